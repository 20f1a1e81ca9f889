"""Scenarios that local safe mode cannot keep safe are refused (D12), and every remedy the message names works."""

import re

import pytest

from core import Scenario
from core.control import ControlModel
from core.errors import ScenarioError
from core.scenario import FORMULATIONS, quantity_of

REMEDIES = {
    "control.corridor_radius_m": r"raise control\.corridor_radius_m to ([\d.]+) or more",
    "mission.speed_mps": r"lower mission\.speed_mps to ([\d.]+) or less",
    "control.kappa": r"raise control\.kappa to ([\d.]*\d)",
    "control.feed_forward": r"switch control\.feed_forward (on)",
}


def message_of(**changes):
    with pytest.raises(ScenarioError) as caught:
        ControlModel.of(Scenario().replace(**changes))
    return str(caught.value)


def remedies_in(message):
    found = {name: re.search(pattern, message) for name, pattern in REMEDIES.items()}
    return {name: True if m[1] == "on" else float(m[1]) for name, m in found.items() if m}


@pytest.mark.parametrize(
    ("changes", "reason", "helps"),
    [
        ({"control.corridor_radius_m": 20.0}, "does not keep V ≤ V_max", set(REMEDIES)),
        ({"control.R": 0.5}, "does not keep V ≤ V_max", set(REMEDIES)),
        ({"mission.speed_mps": 30.0}, "does not keep V ≤ V_max", set(REMEDIES)),
        ({"control.Ts": 0.5}, "holding can never become admissible", set(REMEDIES)),
        ({"control.R": 2.0}, "does not keep V ≤ V_max", set(REMEDIES) - {"control.kappa"}),
        ({"control.Ts": 1.0}, "holding can never become admissible", set(REMEDIES) - {"control.kappa"}),
        ({"control.corridor_radius_m": 5.0}, "does not keep V ≤ V_max", set(REMEDIES) - {"control.kappa"}),
        ({"control.w_u": 0.0, "control.w_d": 0.0}, "does not keep", {"control.kappa", "control.feed_forward"}),
    ],
)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_scenarios_out_of_reach_are_refused_and_each_remedy_works(changes, reason, helps, formulation):
    """A remedy is named exactly when one within the bounds of its field exists, and is the smallest change that helps."""
    changes = {**changes, "formulation": formulation}
    message = message_of(**changes)
    assert reason in message
    remedies = remedies_in(message)
    assert set(remedies) == helps
    for name, value in remedies.items():
        ControlModel.of(Scenario().replace(**{**changes, name: value}))
    for name, less in (("control.corridor_radius_m", -0.11), ("mission.speed_mps", 0.11), ("control.kappa", -0.01)):
        if name in remedies:
            message_of(**{**changes, name: remedies[name] + less})
    for name in helps ^ set(REMEDIES):
        q = quantity_of(name)
        message_of(**{**changes, name: q.lo if name == "mission.speed_mps" else q.hi})


@pytest.mark.parametrize("feed_forward", [True, False])
def test_too_weak_an_onboard_law_is_refused_whatever_the_corridor(feed_forward):
    changes = {"control.kappa": 0.2, "control.corridor_radius_m": 100.0, "control.feed_forward": feed_forward}
    message = message_of(**changes)
    assert "control.kappa = 0.2 is too weak" in message
    needed = remedies_in(message)["control.kappa"]
    assert 0.2 < needed < 1.0
    ControlModel.of(Scenario().replace(**{**changes, "control.kappa": needed}))
    message_of(**{**changes, "control.kappa": needed - 0.01})


def test_too_weak_a_law_in_too_narrow_a_corridor_needs_two_changes():
    changes = {"control.kappa": 0.2, "control.corridor_radius_m": 5.0}
    message = message_of(**changes)
    assert "control.kappa = 0.2 is too weak" in message
    remedies = remedies_in(message)
    kappa = {"control.kappa": remedies.pop("control.kappa")}
    assert kappa == {"control.kappa": 1.0}
    assert set(remedies) == set(REMEDIES) - {"control.kappa"}
    message_of(**{**changes, **kappa})
    for name, value in remedies.items():
        ControlModel.of(Scenario().replace(**{**changes, **kappa, name: value}))


def test_where_no_single_change_is_enough_pairs_are_named():
    """Strong noise in a narrow corridor: the noise alone rules out feed-forward, and the lag every corridor."""
    changes = {
        "control.H": 6,
        "control.h_max": 4,
        "control.w_u": 0.0,
        "control.w_d": 1.0,
        "control.R": 0.45,
        "control.kappa": 1.0,
        "control.sigma_proc_m": 2.0,
        "control.corridor_radius_m": 5.0,
    }
    message = message_of(**changes)
    pairs = message.partition("Any of these helps: ")[2].split("; ")
    assert len(pairs) == 2
    for pair in pairs:
        assert pair.startswith("raise control.corridor_radius_m to 100 and ")
        second = remedies_in(pair)
        ControlModel.of(Scenario().replace(**{**changes, "control.corridor_radius_m": 100.0, **second}))
        message_of(**{**changes, **second})
    message_of(**{**changes, "control.corridor_radius_m": 100.0})
    forward = remedies_in(message_of(**{**changes, "control.feed_forward": True}))
    assert set(forward) == {"control.corridor_radius_m"}


def test_a_law_at_its_strongest_is_not_told_to_be_stronger():
    assert "control.kappa" not in remedies_in(message_of(**{"control.kappa": 1.0, "control.corridor_radius_m": 5.0}))
