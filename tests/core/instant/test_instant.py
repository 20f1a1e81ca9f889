"""What if, now: sliders act on top of the flown instant, one loop's state is replaced and nothing else moves."""

from __future__ import annotations

import dataclasses
import textwrap

import numpy as np
import pytest

import core.instant
from core.control import ControlModel
from core.errors import SafeExplorerError, ScenarioError
from core.instant import Flight, Instant, interesting_loop, takeoff
from core.instant.instant import scaled
from core.instant.scene import cycles_to_walk, geometry, predicted_links
from core.scenario import Scenario
from core.simulation import Channel, reference
from core.twin import calibration_for, certify, predict

SMALL = Scenario().replace(**{"mission.uavs": 6, "network.slots": 34, "mission.duration_s": 6.0})
K = 13


@pytest.fixture
def here() -> Instant:
    return Flight.of(SMALL).instant(K)


def links_of(scenario: Scenario, flight: Flight, k: int) -> np.ndarray:
    """Predicted links without any cache, from the first cycle on."""
    channel = Channel(scenario, reference(scenario, flight.key.seed), flight.key.seed)
    for _ in range(k):
        channel.advance(scenario)
    return predict(scenario, flight.estimates(k), channel.los, channel.link_quality(scenario)).snr_db


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"network.snr_offset_db": -3.0, "network.tx_power_dbm": 12.0},
        {"network.slots": 20, "twin.beta": 0.2, "control.Q": 2.0, "formulation": "paper"},
        {"network.carrier_ghz": 5.0, "twin.link_noise_db": 3.0},
        {"twin.link_quality": False},
        {"network.slot_ms": 2.0, "network.slots": 30},
    ],
)
def test_links_are_those_the_scenario_predicts_at_the_flown_estimates(change: dict[str, object]) -> None:
    flight = Flight.of(SMALL)
    scenario = SMALL.replace(**change)
    for k in (K, 4, 5, K + 2):  # backwards and forwards
        found = predicted_links(scenario, flight, k).snr_db
        np.testing.assert_allclose(found, links_of(scenario, flight, k), rtol=0, atol=1e-9)


def test_links_come_from_estimates_not_from_references(here: Instant) -> None:
    at_references = Channel(SMALL, here.flight.trace, 0)
    for _ in range(K):
        at_references.advance(SMALL)
    there = at_references.predicted(SMALL, here.flight.trace.positions[K]).snr_db
    assert not np.allclose(here.topology.snr_db[0, 1:], there[0, 1:], atol=1e-3)


def test_sliders_that_shape_no_link_share_one_scene() -> None:
    sliders = {
        "network.snr_offset_db": 4.0,
        "network.slots": 12,
        "twin.beta": 0.3,
        "control.eta": 0.5,
        "formulation": "paper",
    }
    assert geometry(SMALL.replace(**sliders)) == geometry(SMALL)
    assert geometry(SMALL.replace(**{"network.carrier_ghz": 5.0})) != geometry(SMALL)


def test_a_scenario_asks_what_if_at_the_same_flown_state(here: Instant) -> None:
    other = SMALL.replace(**{"twin.beta": 0.3, "network.slots": 60})
    there = here.replace(scenario=other)
    np.testing.assert_array_equal(there.states.z, here.states.z)
    expected = certify(other, there.topology, calibration_for(other), here.states.c_fail)
    np.testing.assert_array_equal(there.candidates.rho_ul, expected.rho_ul)
    assert there.allocation.budget == 60
    assert there.flight is here.flight


def test_v_scales_the_flown_error_and_keeps_its_direction(here: Instant) -> None:
    V = 0.37 * here.model.V_max
    moved = here.replace(focus=2, V=V)
    assert moved.states.V[2] == V
    before, after = here.states.z[2], moved.states.z[2]
    assert float(here.model.lyapunov(after)) == pytest.approx(V)
    np.testing.assert_allclose(after / np.linalg.norm(after), before / np.linalg.norm(before))
    others = np.arange(6) != 2
    np.testing.assert_array_equal(moved.states.V[others], here.states.V[others])
    np.testing.assert_array_equal(moved.states.z[others], here.states.z[others])
    np.testing.assert_array_equal(moved.states.u, here.states.u)


def test_an_error_of_zero_becomes_a_constant_one() -> None:
    model = ControlModel.of(SMALL)
    z = scaled(model, np.zeros((model.H + 1, 3)), 7.0)
    assert float(model.lyapunov(z)) == pytest.approx(7.0)
    assert np.ptp(z, axis=0).max() == 0.0
    assert not scaled(model, z, 0.0).any()


@pytest.mark.parametrize(("name", "value"), [("tr_sigma", 2.5), ("c", 7), ("c_fail", 3)])
def test_the_other_numbers_replace_that_of_one_loop(here: Instant, name: str, value: float) -> None:
    moved = here.replace(focus=4, **{name: value})
    expected = getattr(here.states, name).copy()
    expected[4] = value
    for n in (f.name for f in dataclasses.fields(here.states)):
        np.testing.assert_array_equal(getattr(moved.states, n), expected if n == name else getattr(here.states, n))
        assert getattr(moved.states, n).dtype == getattr(here.states, n).dtype


def test_a_failure_widens_the_margin_of_that_loop_alone(here: Instant) -> None:
    calm, failed = (here.replace(focus=1, c_fail=n).candidates for n in (0, 1))
    for i in range(6):
        same = np.array_equal(
            calm.rho_ul[calm.offsets[i] : calm.offsets[i + 1]], failed.rho_ul[failed.offsets[i] : failed.offsets[i + 1]]
        )
        assert same == (i != 1)


def test_the_whole_set_holds_what_the_policy_sees_and_more(here: Instant) -> None:
    own = here.whole_set(3)
    assert own.offsets[-1] == own.offsets[4] - own.offsets[3] > here.candidates.offsets[4] - here.candidates.offsets[3]
    assert here.benchmark().value >= here.allocation.value - 1e-9


def test_the_plan_begins_at_this_cycle(here: Instant) -> None:
    np.testing.assert_array_equal(here.plan.references[:3], here.flight.trace.positions[K : K + 3])


def test_what_needs_another_flight_is_refused(here: Instant) -> None:
    with pytest.raises(ScenarioError, match=r"mission\.uavs"):
        here.replace(scenario=SMALL.replace(**{"mission.uavs": 7}))
    with pytest.raises(ScenarioError, match=r"control\.H"):
        here.replace(scenario=SMALL.replace(**{"control.H": 7}))
    with pytest.raises(SafeExplorerError, match="focus"):
        here.replace(V=1.0)
    with pytest.raises(SafeExplorerError, match="from 0 to 5"):
        here.replace(focus=6)


def test_the_interesting_loop_depends_on_the_flown_states_and_on_no_slider() -> None:
    flight = Flight.of(takeoff(SMALL))
    assert interesting_loop(flight, K) == interesting_loop(Flight.of(takeoff(SMALL.replace(**{"twin.beta": 0.3}))), K)
    picks = {interesting_loop(flight, k) for k in range(flight.cycles)}
    assert len(picks) > 1
    assert picks <= set(range(6))


def test_three_lines_are_enough(capsys: pytest.CaptureFixture[str]) -> None:
    """The example of the module's docstring, as it stands there."""
    text = str(core.instant.__doc__).split("\n\n", 1)[1]
    exec(textwrap.dedent(text), {})
    sentence, why, certifiable = capsys.readouterr().out.splitlines()
    assert sentence == Flight.of(Scenario()).instant(60).on(16).sentence
    assert why.startswith("UAV 17 ")
    assert certifiable == str(Flight.of(Scenario()).instant(60).on(16).solve("network.snr_offset_db").certifiable)


def test_what_must_be_walked_through_is_known_before() -> None:
    flown = Flight.of(SMALL.replace(**{"mission.duration_s": 9.0}), "SAFE", 87)
    flown.reach(30)
    other = flown.scenario.replace(**{"network.shadow_corr_los_m": 61.0})
    assert cycles_to_walk(flown.scenario, flown, 20) == 0  # the flight has been there
    assert cycles_to_walk(other, flown, 20) == 20
    predicted_links(other, flown, 20)
    assert cycles_to_walk(other, flown, 20) == 0
    assert cycles_to_walk(other, flown, 26) == 6
    steered = flown.changed(10, other)
    steered.reach(15)
    assert cycles_to_walk(other, steered, 14) == 4  # from the change on nobody else has walked
