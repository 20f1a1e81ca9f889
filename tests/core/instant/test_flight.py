"""The flight behind an instant is the run itself: same states, same candidates, flown once and as far as asked."""

from __future__ import annotations

import threading
import weakref

import numpy as np
import pytest

from core.control import ControlModel, Plan
from core.errors import SafeExplorerError
from core.instant import Flight, flight, takeoff
from core.instant.takeoff import FLOWN
from core.scenario import Scenario, field_names
from core.simulation import POLICIES, CycleRecord, Decision, Policy, Simulation, register
from core.simulation.restart import RESTART_FIELDS
from core.wanted import Superseded, while_wanted

SMALL = Scenario().replace(**{"mission.uavs": 6, "network.slots": 34, "mission.duration_s": 4.0})


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flight, "_flights", flight._Flights())


def flown(scenario: Scenario, policy: str = "SAFE", seed: int = 0) -> list[CycleRecord]:
    return list(Simulation(scenario, policy, seed))


@pytest.mark.parametrize(("policy", "seed"), [("SAFE", 0), ("SAFE-paper", 3), ("DynTx-HLC", 7)])
def test_states_are_those_the_policy_decided_on(policy: str, seed: int) -> None:
    found = Flight.of(SMALL, policy, seed)
    assert found.cycles == 16
    failed = 0
    for record in flown(SMALL, policy, seed):
        mine, theirs = found.states(record.k), record.states
        for name in ("V", "tr_sigma", "c", "c_fail", "safe", "z", "u"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), err_msg=f"{name} at {record.k}")
            assert getattr(mine, name).dtype == getattr(theirs, name).dtype
        failed += int((mine.c_fail > 0).sum())
    assert failed > 0  # else the test could not tell the counters apart


@pytest.mark.parametrize("policy", ["SAFE", "SAFE-paper"])
def test_candidates_are_exactly_those_the_flown_policy_saw(policy: str) -> None:
    found = Flight.of(SMALL, policy, 1)
    for record in flown(SMALL, policy, 1):
        mine, theirs = found.instant(record.k).candidates, record.candidates
        for name in ("offsets", "slots", "rho_ul", "rho_dl", "g", "T_cert", "D_ul", "D_dl", "mu1", "p11"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), err_msg=f"{name} at {record.k}")
        np.testing.assert_array_equal(mine.ul_routes.snr_db, theirs.ul_routes.snr_db)


def test_the_allocator_at_an_instant_does_what_it_did_in_flight() -> None:
    found = Flight.of(SMALL)
    for record in flown(SMALL):
        here = found.instant(record.k).allocation
        np.testing.assert_array_equal(here.choice, record.choice)
        assert here.slots_used == record.slots_used > 0


def test_estimates_and_plan_belong_to_the_start_of_the_cycle() -> None:
    found = Flight.of(SMALL)
    for record in flown(SMALL)[:-1]:
        np.testing.assert_array_equal(found.estimates(record.k + 1), record.estimates)
    for k in (0, 5, 15):
        np.testing.assert_array_equal(found.plan(k, 4).references, Plan.ahead(found.trace.positions, k, 4).references)
        z = found.states(k).z
        assert z is not None
        np.testing.assert_array_equal(z[:, 0], found.estimates(k) - found.plan(k, 4).references[0])


def test_energy_is_that_of_the_scenario_asked_for() -> None:
    found, other = Flight.of(SMALL), SMALL.replace(**{"control.Q": 2.0})
    mine, theirs = found.states(9), found.states(9, other)
    np.testing.assert_array_equal(mine.z, theirs.z)
    np.testing.assert_allclose(theirs.V, ControlModel.of(other).lyapunov(mine.z))
    assert not np.allclose(mine.V, theirs.V)


def test_it_flies_only_as_far_as_asked_and_goes_on_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []
    step = Simulation.step
    monkeypatch.setattr(Simulation, "step", lambda self: (steps.append(self.k), step(self))[1])
    found = Flight.of(SMALL)
    assert (found.flown, steps) == (0, [])
    found.states(3)
    found.estimates(2)
    assert steps == [0, 1, 2]
    Flight.of(SMALL).instant(5).candidates  # noqa: B018
    assert steps == [0, 1, 2, 3, 4]
    found.reach(10_000)
    assert steps == list(range(16))  # the last cycle is flown to its end, so that the run can go


def test_a_cycle_outside_the_mission_is_its_nearest_one() -> None:
    found = Flight.of(SMALL)
    assert (found.at(-3), found.at(7), found.at(2400)) == (0, 7, 15)
    np.testing.assert_array_equal(found.states(2400).V, found.states(15).V)
    assert found.instant(2400).cycle == 15


def test_what_nobody_waits_for_is_given_up_and_taken_up_again() -> None:
    found = Flight.of(SMALL)
    with pytest.raises(Superseded), while_wanted(lambda: found.flown < 2):
        found.reach(9)
    assert found.flown == 2
    with while_wanted(lambda: False):
        found.reach(2)  # already there
    found.reach(9)
    np.testing.assert_array_equal(found.states(9).V, flown(SMALL)[9].states.V)


def test_many_threads_see_one_flight() -> None:
    expected = [r.states.V for r in flown(SMALL)]
    found = Flight.of(SMALL)
    wrong: list[int] = []

    def look(k: int) -> None:
        if not np.array_equal(Flight.of(SMALL).states(k).V, expected[k]):
            wrong.append(k)

    for cycles in ((7,) * 8, (15, 3, 9, 15, 1, 12, 7, 0)):
        threads = [threading.Thread(target=look, args=(k,)) for k in cycles]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []
        assert found.flown == max(cycles)  # and not one cycle further for every thread that waited
    assert Flight.of(SMALL) is found


def test_flights_are_kept_by_all_that_decides_them() -> None:
    first = Flight.of(SMALL)
    assert Flight.of(SMALL.replace(), "SAFE", 0) is first
    for other in (
        Flight.of(SMALL, seed=1),
        Flight.of(SMALL, "VoI-Sched"),
        Flight.of(SMALL.replace(formulation="paper")),
    ):
        assert other is not first


def test_a_policy_registered_anew_flies_anew() -> None:
    def silent(name: str) -> type[Policy]:
        return type(name, (Policy,), {"name": "mine", "decide": lambda _, view: Decision.of(-np.ones(6, np.int64))})

    try:
        register(silent("First"))
        first = Flight.of(SMALL, "mine")
        register(silent("Second"))
        assert Flight.of(SMALL, "mine") is not first
    finally:
        POLICIES.pop("mine", None)


def test_memory_is_bounded_and_the_least_used_flight_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    flights = [Flight.of(SMALL, seed=seed) for seed in range(3)]
    flights[0].states(2)
    monkeypatch.setattr(flight, "MAX_BYTES", sum(f.nbytes for f in flights))
    assert Flight.of(SMALL, seed=0) is flights[0]
    assert len(flight._flights) == 3
    flights[0].states(3)  # now they take more than they may
    assert Flight.of(SMALL, seed=2) is flights[2]
    assert len(flight._flights) == 2
    assert Flight.of(SMALL, seed=0) is flights[0]
    assert Flight.of(SMALL, seed=1) is flights[1], "somebody still has it: it is not flown twice"
    gone = weakref.ref(flights.pop(1))
    Flight.of(SMALL, seed=0), Flight.of(SMALL, seed=2)
    assert gone() is None
    monkeypatch.setattr(flight, "MAX_BYTES", 0)
    alone = Flight.of(SMALL, seed=9)
    assert len(flight._flights) == 1
    assert Flight.of(SMALL, seed=9) is alone


def test_memory_grows_with_the_cycles_flown_and_the_links_go_at_the_end() -> None:
    found = Flight.of(SMALL)
    N = SMALL.mission.uavs
    found.states(1)
    start = found.nbytes
    found.states(2)
    per_cycle = found.nbytes - start
    frame, sent = found._log.frames[1], found._log.sent[1]
    assert (
        per_cycle == 65 * N + 22 * N + 12 + 6 * (8 + 4 + 4) + frame.nbytes + sent.nbytes + found._log.delays[1].nbytes
    )
    assert frame.nbytes < 20 * len(frame)
    links = 16 * (N + 1) ** 2
    found.states(14)
    before = found.nbytes
    found.states(15)
    assert found.nbytes < before - links + 2 * 2000


def test_an_unknown_policy_is_refused_in_words() -> None:
    with pytest.raises(SafeExplorerError, match=r"Nobody.*SAFE"):
        Flight.of(SMALL, "Nobody")


def test_takeoff_keeps_what_decides_the_flight_and_nothing_else() -> None:
    assert {n for n in field_names() if n.startswith("mission.")} | set(RESTART_FIELDS) == set(FLOWN)
    moved = {
        "mission.uavs": 9,
        "mission.speed_mps": 12.0,
        "control.Ts": 0.3,
        "control.H": 6,
        "twin.link_age_cycles": 3,
    }
    sliders = {
        "network.slots": 77,
        "network.snr_offset_db": -4.0,
        "twin.beta": 0.2,
        "control.corridor_radius_m": 44.0,
        "control.feed_forward": True,
        "allocation.sync_exchanges": 3,
        "formulation": "paper",
    }
    assert takeoff(Scenario().replace(**moved, **sliders)) == Scenario().replace(**moved)


def test_takeoff_takes_its_own_control_law_where_the_default_one_does_not_fit() -> None:
    needed = {"mission.speed_mps": 25.0, "control.corridor_radius_m": 60.0, "mission.uavs": 3}
    with pytest.raises(SafeExplorerError):
        ControlModel.of(Scenario().replace(**{"mission.speed_mps": 25.0}))
    scenario = Scenario().replace(**needed)
    sliders = {"network.slots": 90, "twin.beta": 0.2, "formulation": "paper"}
    assert takeoff(scenario.replace(**sliders)) == scenario  # the other sliders still fly nothing
    assert Flight.of(takeoff(scenario)).states(1).V.shape == (3,)


def test_takeoff_is_the_scenario_itself_where_nothing_fits() -> None:
    scenario = Scenario().replace(**{"mission.speed_mps": 25.0, "network.slots": 90})
    assert takeoff(scenario) == scenario
    with pytest.raises(SafeExplorerError, match="corridor"):  # and says what to change
        Flight.of(takeoff(scenario))
