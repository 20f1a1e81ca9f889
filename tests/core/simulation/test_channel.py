"""The channel over pairs, walked once for all, against whole matrices walked anew: the same bits."""

import copy

import numpy as np
import pytest
from plain_channel import PlainChannel

from core.network import Shadowing
from core.network.pairs import symmetric
from core.scenario import Scenario
from core.simulation import Channel, Trace, link_history, reference, simulate

SWARM = Scenario().replace(**{"mission.uavs": 12, "network.slots": 40, "mission.duration_s": 12.0})


@pytest.fixture(autouse=True)
def nothing_walked() -> None:
    link_history.HISTORIES.clear()


def matrix(shadowing: Shadowing | None) -> np.ndarray:
    assert shadowing is not None
    return symmetric(shadowing.unit * shadowing.spread.pairs(), len(shadowing.spread.level))


def assert_same(channel: Channel, plain: PlainChannel, scenario: Scenario) -> None:
    assert channel.k == plain.k
    assert np.array_equal(matrix(channel.shadowing(scenario)), plain.shadowing_db(scenario))
    assert np.array_equal(matrix(channel.link_quality(scenario)), plain.link_quality_db(scenario))


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"twin.link_age_cycles": 3},
        {"twin.link_noise_db": 0.0},
        {"network.gcs_x_m": 900.0, "network.shadow_corr_nlos_m": 20.0},
        {"mission.uavs": 1, "network.slots": 10},
        {"mission.uavs": 60, "network.slots": 100},
    ],
)
def test_every_link_of_every_cycle_is_that_of_the_whole_matrices(change: dict[str, object]) -> None:
    scenario = SWARM.replace(**change)
    trace = reference(scenario, 5)
    channel, plain = Channel(scenario, trace, 5), PlainChannel(scenario, trace, 5)
    for _ in range(20):
        assert_same(channel, plain, scenario)
        channel.advance(scenario)
        plain.advance(scenario)


def test_a_scenario_that_changes_on_the_way_leaves_the_common_history() -> None:
    trace = reference(SWARM, 5)
    other = SWARM.replace(**{"network.shadow_corr_los_m": 9.0, "twin.link_noise_db": 3.0})
    first, plain = Channel(SWARM, trace, 5), PlainChannel(SWARM, trace, 5)
    for _ in range(16):
        first.advance(SWARM)
        plain.advance(SWARM)
    for _ in range(2):  # the second time over what the first has left behind
        turned, truth = Channel(SWARM, trace, 5), PlainChannel(SWARM, trace, 5)
        for k in range(16):
            s = SWARM if k < 6 or k > 10 else other
            turned.advance(s)
            truth.advance(s)
            assert_same(turned, truth, s)
    again = Channel(SWARM, trace, 5)
    again.reach(SWARM, 16)
    assert_same(again, plain, SWARM)


def test_runs_of_one_mission_walk_once() -> None:
    trace = reference(SWARM, 5)
    one, two = Channel(SWARM, trace, 5), Channel(SWARM, trace, 5)
    one.reach(SWARM, 9)
    two.reach(SWARM, 9)
    assert one.shadowing(SWARM).unit is two.shadowing(SWARM).unit
    assert one.shadowing(SWARM).unit is not Channel(SWARM, trace, 6).shadowing(SWARM).unit


def test_a_trace_that_may_still_change_is_walked_alone() -> None:
    trace = Trace.of_positions(reference(SWARM, 5).positions.copy(), SWARM.control.Ts)
    one = Channel(SWARM, trace, 5)
    trace.positions[:] += np.arange(len(trace.positions))[:, None, None]
    assert one.shadowing(SWARM).unit is not Channel(SWARM, trace, 5).shadowing(SWARM).unit


def test_memory_is_bounded_and_dropped_cycles_are_walked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = reference(SWARM, 5)
    one = Channel(SWARM, trace, 5)
    state = one._state.nbytes
    monkeypatch.setattr(link_history, "MAX_HISTORY_BYTES", 10 * state)
    one.reach(SWARM, 40)
    kept = link_history.HISTORIES.of(SWARM, trace, 5)
    assert kept is not None
    assert kept.nbytes <= 10 * state
    assert kept.at(39) is None
    for k in (39, 17, 0, 33, 40):
        one.reach(SWARM, k)
        plain = PlainChannel(SWARM, trace, 5)
        for _ in range(k):
            plain.advance(SWARM)
        assert_same(one, plain, SWARM)
    assert kept.nbytes <= 10 * state


def test_missions_are_dropped_when_they_take_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    traces = [reference(SWARM, seed) for seed in range(6)]
    state = Channel(SWARM, traces[0], 0)._state.nbytes
    monkeypatch.setattr(link_history, "MAX_BYTES", 25 * state)
    for seed, trace in enumerate(traces):
        Channel(SWARM, trace, seed).reach(SWARM, 9)
    assert sum(w.nbytes for w in link_history.HISTORIES._kept.values()) <= 25 * state + 10 * state
    assert len(link_history.HISTORIES._kept) < len(traces)


@pytest.mark.parametrize("policy", ["SAFE", "VoI-Sched"])
def test_a_flight_does_not_depend_on_who_walked_before(policy: str) -> None:
    alone = simulate(SWARM, policy, 7)
    link_history.HISTORIES.clear()
    simulate(SWARM, "Fixed-Service", 7)
    after = simulate(SWARM, policy, 7)
    for name in ("positions", "v_estimated", "mode", "uplink", "downlink", "nearest_m"):
        assert np.array_equal(getattr(alone, name), getattr(after, name))


def test_a_copy_goes_on_by_itself() -> None:
    trace = reference(SWARM, 5)
    other = SWARM.replace(**{"network.shadow_corr_los_m": 9.0})
    one, plain = Channel(SWARM, trace, 5), PlainChannel(SWARM, trace, 5)
    one.reach(SWARM, 4)
    two, changed = copy.deepcopy(one), PlainChannel(SWARM, trace, 5)
    for k in range(12):
        plain.advance(SWARM)
        changed.advance(SWARM if k < 4 else other)
    for _ in range(4, 12):
        two.advance(other)
    assert one.k == 4
    assert one.shadowing(SWARM).unit is not two.shadowing(SWARM).unit
    one.reach(SWARM, 12)
    assert_same(one, plain, SWARM)
    assert_same(two, changed, other)
