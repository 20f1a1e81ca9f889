"""A flight whose scenario changes on the way is the run whose scenario was set there, bit for bit, and shares its past."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import SafeExplorerError, ScenarioError
from core.instant import Flight, flight
from core.scenario import Scenario
from core.simulation import CycleRecord, Simulation

SMALL = Scenario().replace(**{"mission.uavs": 6, "network.slots": 34, "mission.duration_s": 4.0})
OTHER = SMALL.replace(**{"network.slots": 60, "twin.beta": 0.2, "formulation": "repaired"})
THIRD = SMALL.replace(
    **{"network.snr_offset_db": -3.0, "control.corridor_radius_m": 40.0, "network.shadow_corr_los_m": 60.0}
)
RADIO = SMALL.replace(**{"network.carrier_ghz": 5.0, "twin.link_noise_db": 4.0})


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flight, "_flights", flight._Flights())


def flown(changes: dict[int, Scenario], policy: str = "SAFE", seed: int = 1) -> list[CycleRecord]:
    simulation = Simulation(SMALL, policy, seed)
    records = []
    while not simulation.done:
        if simulation.k in changes:
            simulation.scenario = changes[simulation.k]
        records.append(simulation.step())
    return records


def assert_same(found: Flight, records: list[CycleRecord]) -> None:
    found.reach(found.cycles)
    h = found.history()
    for record in records:
        mine, theirs = found.states(record.k), record.states
        for name in ("V", "tr_sigma", "c", "c_fail", "safe", "z", "u"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), err_msg=f"{name} at {record.k}")
        np.testing.assert_array_equal(h.served[record.k], record.served)
        np.testing.assert_array_equal(h.mode[record.k], record.mode)
        np.testing.assert_array_equal(h.v_normalised[record.k], record.v_normalised.astype(np.float32))
        np.testing.assert_array_equal(found.frame(record.k).fate, record.fate)
        assert found.frame(record.k).slots == record.frame.slots
        assert h.rmse[record.k] == record.rmse


@pytest.mark.parametrize("policy", ["SAFE", "Fixed-Service", "Whittle-Age"])
@pytest.mark.parametrize(("cycle", "looked"), [(6, 6), (6, 3), (6, 11), (6, 16), (0, 0), (15, 15)])
def test_a_branch_is_the_run_whose_scenario_was_set_there(policy: str, cycle: int, looked: int) -> None:
    start = Flight.of(SMALL, policy, 1)
    start.reach(looked)
    assert_same(start.changed(cycle, OTHER), flown({cycle: OTHER}, policy))
    assert_same(start, flown({}, policy))  # which stays as it was


@pytest.mark.parametrize("scenario", [THIRD, RADIO])
def test_a_change_of_the_radio_changes_channel_and_calibration_from_there_on(scenario: Scenario) -> None:
    start = Flight.of(SMALL, seed=1)
    start.reach(5)
    found, records = start.changed(5, scenario), flown({5: scenario})
    assert_same(found, records)
    for record in records:  # the instants of the branch see the links its policy saw
        candidates = found.instant(record.k).candidates
        np.testing.assert_allclose(candidates.rho_ul, record.candidates.rho_ul, rtol=0, atol=1e-9)
        np.testing.assert_array_equal(candidates.slots, record.candidates.slots)


def test_changes_follow_each_other_and_a_branch_drops_later_ones() -> None:
    start = Flight.of(SMALL, seed=1)
    twice = start.changed(4, OTHER).changed(9, THIRD)
    assert_same(twice, flown({4: OTHER, 9: THIRD}))
    assert [s[:2] for s in twice.segments] == [(0, 4), (4, 9), (9, 16)]
    assert [s.scenario for s in twice.segments] == [SMALL, OTHER, THIRD]
    assert [twice.scenario_at(k) for k in (0, 3, 4, 8, 9, 99)] == [SMALL, SMALL, OTHER, OTHER, THIRD, THIRD]
    other = twice.changed(7, THIRD)
    assert [s[:2] for s in other.segments] == [(0, 4), (4, 7), (7, 16)]
    assert_same(other, flown({4: OTHER, 7: THIRD}))
    assert twice.changed(4, SMALL) is start
    assert twice.changed(9, OTHER).segments == start.changed(4, OTHER).segments


def test_the_past_is_not_flown_again_when_the_change_is_now(monkeypatch: pytest.MonkeyPatch) -> None:
    start = Flight.of(SMALL, seed=1)
    start.reach(6)
    steps: list[int] = []
    step = Simulation.step
    monkeypatch.setattr(Simulation, "step", lambda self: (steps.append(self.k), step(self))[1])
    now = start.changed(6, OTHER)
    assert (now.flown, now.ended) == (6, 6)
    now.reach(8)
    assert steps == [6, 7]
    ahead = start.changed(8, OTHER)
    ahead.reach(9)
    assert steps == [6, 7, 6, 7, 8]
    early = start.changed(3, OTHER)
    early.states(3)
    assert early.history().cycles == 3
    assert steps == [6, 7, 6, 7, 8]  # its past is known; it is flown again only to go on
    early.reach(4)
    assert steps == [6, 7, 6, 7, 8, 0, 1, 2, 3]


def test_branches_are_shared_and_rebuilt_from_their_key_when_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    start = Flight.of(SMALL, seed=1)
    found = start.changed(5, OTHER)
    assert start.changed(5, OTHER) is found
    monkeypatch.setattr(flight, "_flights", flight._Flights())
    again = Flight.keyed(found.key)
    assert again is not found
    assert_same(again, flown({5: OTHER}))


def test_instants_ask_what_if_of_the_scenario_in_force() -> None:
    found = Flight.of(SMALL, seed=1).changed(5, OTHER)
    assert found.instant(4).scenario == SMALL
    assert found.instant(5).scenario == OTHER
    assert found.instant(9).allocation.budget == 60
    moved = found.instant(9).replace(scenario=OTHER.replace(**{"twin.beta": 0.4}))
    np.testing.assert_array_equal(moved.states.z, found.states(9).z)
    paper = Flight.of(SMALL, "SAFE-paper", 1).changed(5, OTHER)
    assert paper.instant(9).scenario.formulation == "paper"


def test_what_no_run_can_follow_is_refused() -> None:
    start = Flight.of(SMALL)
    with pytest.raises(ScenarioError, match=r"mission\.uavs cannot change while a run is in flight"):
        start.changed(3, SMALL.replace(**{"mission.uavs": 7}))
    with pytest.raises(SafeExplorerError, match="corridor"):
        start.changed(3, SMALL.replace(**{"control.corridor_radius_m": 5.0}))
    for cycle in (-1, 16):
        with pytest.raises(SafeExplorerError, match="0 to 15"):
            start.changed(cycle, OTHER)


def test_a_policy_that_cannot_be_copied_flies_its_past_again() -> None:
    import threading

    from core.simulation.policies import FixedService

    class Locked(FixedService):
        def __init__(self) -> None:
            super().__init__()
            self.lock = threading.Lock()

    start = Flight.of(SMALL, Locked, 1)
    start.reach(6)
    assert_same(start.changed(6, OTHER), flown({6: OTHER}, "Fixed-Service"))
