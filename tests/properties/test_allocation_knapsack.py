"""What must hold for any multi-choice knapsack: more room, more choice or more loops never hurt."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.allocation import solve_knapsack

ROUNDING = 1e-9

items = st.lists(st.tuples(st.integers(-8, 40).map(lambda x: x / 4), st.integers(1, 15)), max_size=6)
swarms = st.lists(items, max_size=6)
budgets = st.integers(0, 45)


def solve(swarm, budget):
    return solve_knapsack([[v for v, _ in loop] for loop in swarm], [[s for _, s in loop] for loop in swarm], budget)


@given(swarms, budgets)
def test_the_choice_is_feasible_and_worth_its_value(swarm, budget):
    found = solve(swarm, budget)
    chosen = [loop[j] for loop, j in zip(swarm, found.choice, strict=True) if j >= 0]
    assert sum(s for _, s in chosen) == found.slots_used <= budget
    assert sum(v for v, _ in chosen) == pytest.approx(found.value, abs=ROUNDING)
    assert all(v > 0 for v, _ in chosen)


@given(swarms, budgets)
def test_the_curve_rises_to_the_value_and_knows_every_budget(swarm, budget):
    found = solve(swarm, budget)
    assert found.curve.shape == (budget + 1,)
    assert np.all(np.diff(found.curve) >= 0)
    assert found.curve[-1] == found.value
    half = budget // 2
    assert solve(swarm, half).value == pytest.approx(found.curve[half], abs=ROUNDING)
    assert found.curve[found.slots_used] == found.value  # fewest slots: nothing below reaches the value
    assert found.slots_used == 0 or found.curve[found.slots_used - 1] < found.value


@given(swarms, budgets)
def test_one_more_slot_never_hurts(swarm, budget):
    assert solve(swarm, budget + 1).value >= solve(swarm, budget).value


@given(swarms, budgets, st.integers(0, 5), items)
def test_more_actions_never_hurt(swarm, budget, at, extra):
    more = [loop + extra if i == at else loop for i, loop in enumerate(swarm)]
    assert solve(more, budget).value >= solve(swarm, budget).value - ROUNDING


@given(swarms, budgets, items)
def test_one_more_loop_never_hurts(swarm, budget, extra):
    assert solve([*swarm, extra], budget).value >= solve(swarm, budget).value - ROUNDING
    assert solve([extra, *swarm], budget).value >= solve(swarm, budget).value - ROUNDING


@given(swarms, budgets)
def test_no_greedy_does_better(swarm, budget):
    best = solve(swarm, budget).value
    flat = [(v, s, i) for i, loop in enumerate(swarm) for v, s in loop if v > 0]
    for score in (lambda x: -x[0], lambda x: -x[0] / x[1], lambda x: x[1]):
        left, value, served = budget, 0.0, set()
        for v, s, i in sorted(flat, key=score):
            if i not in served and s <= left:
                served.add(i)
                left, value = left - s, value + v
        assert best >= value - ROUNDING


@given(swarms, budgets, st.randoms(use_true_random=False))
def test_the_order_of_loops_and_items_does_not_matter(swarm, budget, random):
    shuffled = [random.sample(loop, len(loop)) for loop in random.sample(swarm, len(swarm))]
    assert solve(shuffled, budget).value == pytest.approx(solve(swarm, budget).value, abs=ROUNDING)


@given(swarms, budgets, st.integers(1, 5))
def test_values_scale_with_the_unit(swarm, budget, unit):
    scaled = [[(v * 2.0**unit, s) for v, s in loop] for loop in swarm]
    one, other = solve(swarm, budget), solve(scaled, budget)
    assert other.value == pytest.approx(one.value * 2.0**unit)
    assert other.choice.tolist() == one.choice.tolist()
