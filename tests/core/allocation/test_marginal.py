"""The next slot that pays: one definition, from the value curve."""

import dataclasses

import numpy as np
import pytest

from core.allocation import allocate, next_slot


def without_sync(case):
    return case.scenario.replace(**{"allocation.sync_exchanges": 0}), *case.parts[1:]


def best_of_each_loop(allocation):
    """The value when every loop has its best frontier action: what slots without end are worth."""
    U = np.where(allocation.frontier, allocation.U, 0.0)
    loops = range(len(allocation.states))
    return sum(U[allocation.candidates.loop == i].max(initial=0.0) for i in loops)


def test_it_is_the_first_longer_frame_that_is_worth_more(case):
    """Against Algorithm 1 run again with one slot more, then another, until its value rises."""
    parts = without_sync(case)
    steps = set()
    for budget in range(60):
        now, more = allocate(*parts, budget=budget), next_slot(allocate(*parts, budget=budget))
        longer = budget + 1
        while (then := allocate(*parts, budget=longer)).value <= now.value + now.rounding:
            longer += 1
        assert more.slots == longer
        assert more.gain == pytest.approx(then.value - now.value)
        rise = [a.U[a.choice] * (a.choice >= 0) for a in (now, then)]
        assert more.loop == np.argmax(rise[1] - rise[0])
        steps.add(longer - budget)
    assert len(steps) > 2


@pytest.mark.parametrize("sync", [0, 1, 3])
def test_the_gain_is_above_zero_and_on_the_curve_whatever_the_reserve(case, sync):
    """A larger budget may bring a larger reserve and so a smaller value of P2; the gain must not show that."""
    scenario = case.scenario.replace(**{"allocation.sync_exchanges": sync})
    curve = allocate(scenario, *case.parts[1:], budget=400).curve
    reserves = set()
    for budget in range(0, 300, 3):
        now = allocate(scenario, *case.parts[1:], budget=budget)
        more = next_slot(now)
        reserves.add(now.reserve)
        if more is None:
            assert now.value == pytest.approx(best_of_each_loop(now))
            continue
        room = budget - now.reserve
        assert more.gain > 0.0
        assert more.slots > budget
        assert more.gain == pytest.approx(curve[more.slots - now.reserve] - curve[room])
        assert curve[more.slots - now.reserve - 1] == pytest.approx(curve[room])
    assert (len(reserves) > 1) == (sync > 0)


def test_none_means_that_no_frame_of_any_length_is_worth_more(case):
    parts = without_sync(case)
    roomy = allocate(*parts, budget=int(case.candidates.slots.max()) * case.scenario.mission.uavs)
    assert next_slot(roomy) is None
    assert roomy.value == pytest.approx(best_of_each_loop(roomy))
    missing = roomy.value - roomy.curve > len(roomy.states) * roomy.rounding
    assert next_slot(allocate(*parts, budget=int(np.flatnonzero(missing)[-1]))) is not None


def test_a_gain_as_far_away_as_the_dearest_action_is_found(case):
    """Nothing to gain before one loop can afford its only action, whatever that costs."""
    scenario, model, q, states = without_sync(case)
    a = allocate(scenario, model, q, states, budget=0)
    only = int(np.argmax(np.where(a.frontier & (a.U > 0), q.slots, 0)))
    alone = dataclasses.replace(a)
    vars(alone)["frontier"] = np.arange(a.U.size) == only
    more = next_slot(alone)
    assert (more.slots, more.loop) == (q.slots[only], q.loop[only])
    assert more.gain == a.U[only]


def test_a_swarm_without_actions_gains_nothing(make_case):
    lost = make_case(uavs=5, **{"network.snr_offset_db": -20.0, "network.min_link_snr_db": 20.0})
    assert lost.candidates.loop.size == 0
    assert next_slot(allocate(*lost.parts)) is None
