"""Whatever is refused says what to change, and changing that helps: every alternative that a message offers is tried."""

import random
from typing import Any

import pytest
from advice import remedies
from fuzzing import budget
from valid_scenarios import DRAWN, PLAIN, changes

from core.control import ControlModel
from core.errors import SafeExplorerError
from core.scenario import Scenario, quantity_of

TRIED = budget(120)


def refusal(fields: dict[str, Any]) -> str:
    """Empty, or why a scenario with these fields cannot be flown."""
    try:
        ControlModel.of(PLAIN.replace(**fields))
    except SafeExplorerError as error:
        return str(error)
    return ""


def kind(message: str) -> str:
    """What a message is about, without its numbers."""
    return "".join(c for c in message.partition(";")[0] if not c.isdigit())[:60]


def follow(fields: dict[str, Any]) -> list[str]:
    """Try every alternative of every refusal on the way to a valid scenario; the complaints met."""
    met: list[str] = []
    while message := refusal(fields):
        assert len(met) < 12, (fields, met, message)
        offered = list(remedies(message, PLAIN))
        assert offered, message
        for words, alternatives in offered:
            helped = [made for made in alternatives if kind(refusal({**fields, **made})) != kind(message)]
            assert helped, (fields, message, words)
        fields = {**fields, **helped[0]}
        met.append(message)
    return met


@pytest.mark.slow
def test_random_refusals_lead_to_a_valid_scenario() -> None:
    rng, met = random.Random(5), set()
    for _ in range(TRIED):
        met |= {kind(message) for message in follow(changes(rng))}
    assert len(met) >= 8, met  # many kinds of refusal were followed


@pytest.mark.parametrize(
    "fields",
    [
        {"control.h_max": 4},
        {"control.w_u": 0.9},
        {"network.slot_ms": 5.0},
        {"network.slots": 450, "network.slot_ms": 0.55, "control.Ts": 0.26},
        {"twin.online_beta": True, "twin.link_quality": False},
        {"mission.altitude_min_m": 200.0},
        {"mission.altitude_max_m": 30.0},
        {"mission.gust_cycles_min": 9},
        {"mission.gust_min_mps2": 5.0},
        {"network.gcs_x_m": 0.0},
        {"mission.speed_mps": 25.0},
        {"control.Ts": 1.0},
        {"control.corridor_radius_m": 5.0},
        {"control.kappa": 0.1},
        {"control.h_max": 3, "control.R": 0.01},
        {"control.h_max": 2, "control.R": 0.02, "control.Q": 5.0},
    ],
)
def test_each_condition_between_fields_has_advice_that_helps(fields: dict[str, Any]) -> None:
    assert follow(fields)


@pytest.mark.parametrize("name", [n for n in DRAWN if type(PLAIN.value(n)) in (int, float)])
def test_a_value_out_of_bounds_is_told_bounds_that_hold(name: str) -> None:
    meta = quantity_of(name)
    assert meta.lo is not None
    assert meta.hi is not None
    for value in (meta.lo - 1, meta.hi + 1, float("nan"), float("inf"), "many", None, 10**400):
        message = refusal({name: value})
        ((_, ends),) = remedies(message, PLAIN)
        assert [end[name] for end in ends] == [meta.lo, meta.hi], message
        for end in ends:
            assert quantity_of(name).check(name, end[name], Scenario().value(name)) == end[name]
