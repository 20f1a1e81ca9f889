"""How long a cycle takes is learnt from those that are flown, and carried over to other sizes."""

from __future__ import annotations

import pytest

from core.instant import Flight
from core.instant.cost import CycleTimes, growth
from core.scenario import Scenario

SMALL = Scenario().replace(**{"mission.uavs": 3, "network.slots": 20, "mission.duration_s": 5.0})


def test_what_was_measured_counts_and_other_sizes_follow_from_the_nearest() -> None:
    times = CycleTimes()
    assert times.cycle_s(50) == growth(50)
    for _ in range(100):
        times.learn(50, 2 * growth(50))
    assert times.cycle_s(50) == pytest.approx(2 * growth(50))
    assert times.cycle_s(1000) == pytest.approx(2 * growth(1000))
    for _ in range(100):
        times.learn(1000, growth(1000))
    assert times.cycle_s(900) == pytest.approx(growth(900), rel=1e-3)
    assert times.cycle_s(60) == pytest.approx(2 * growth(60))


def test_one_cycle_that_waits_for_a_compiler_says_little() -> None:
    times = CycleTimes()
    for _ in range(20):
        times.learn(50, growth(50))
    times.learn(50, 60.0)
    assert times.cycle_s(50) < 1.2 * growth(50)


def test_cycles_to_fly_count_what_is_flown_and_what_a_branch_flies_again() -> None:
    flight = Flight.of(SMALL, seed=77)
    assert (flight.cycles_to(8), flight.cycles_to(19), flight.cycles_to(100)) == (8, 20, 20)
    flight.reach(5)
    assert (flight.cycles_to(8), flight.cycles_to(4)) == (3, 0)
    branch = flight.changed(2, SMALL.replace(**{"network.slots": 10}))
    assert branch.cycles_to(2) == 0
    assert branch.cycles_to(6) == 6, "it has to fly its past again"
    assert Flight.known(branch.key) is branch
    assert Flight.known(branch.key._replace(seed=78)) is None
