"""P1, the benchmark over the unpruned action set, and the regret of P2 against it."""

import dataclasses
import itertools

import numpy as np
import pytest
from definitions import knapsack_by_recurrence

from core.allocation import allocate, drift_terms, solve_p1
from core.twin.certificate import _Bounds


@pytest.fixture(scope="module", params=["repaired", "paper"])
def full(request, make_case):
    return make_case(request.param, uavs=8, slots=50, full=True)


def test_equals_the_minimum_of_total_drift(full):
    scenario, model, q, states = full.parts
    p1 = solve_p1(*full.parts)
    phi = drift_terms(model, q, states).phi
    B = model.baseline(states).B
    values, slots = [], []
    for i, (a, b) in enumerate(itertools.pairwise(q.offsets)):
        U = B[i] - np.where(q.g[a:b] >= 1, phi[a:b], np.inf)
        costs = np.unique(q.slots[a:b])  # the recurrence is slow: of equally dear actions only the best can matter
        values.append([U[q.slots[a:b] == s].max() for s in costs])
        slots.append(costs)
    _, value, _ = knapsack_by_recurrence(values, slots, scenario.network.slots)
    assert p1.value == pytest.approx(value)
    chosen = p1.choice >= 0
    total = np.where(chosen, phi[p1.choice], B).sum()
    assert pytest.approx(total) == p1.J
    assert p1.value == pytest.approx(B.sum() - total)
    assert p1.slots_used == q.slots[p1.choice[chosen]].sum() <= scenario.network.slots


def test_never_worse_than_p2(full):
    p1 = solve_p1(*full.parts)
    a = allocate(*full.parts)
    assert p1.regret(a) == p1.value - a.value >= a.price_of_reserve - 1e-9


def test_no_regret_when_everything_is_admitted(make_case):
    calm = make_case(uavs=8, slots=50, full=True, **{"allocation.sync_exchanges": 0, "network.snr_offset_db": 15.0})
    scenario, model, q, states = calm.parts
    n = len(states)
    states = dataclasses.replace(
        states, V=np.full(n, 0.2 * model.V_max), c=np.zeros(n, np.int64), c_fail=np.zeros(n, np.int64)
    )
    a = allocate(scenario, model, q, states)
    p1 = solve_p1(scenario, model, q, states)
    assert p1.admitted.all()
    assert p1.regret(a) == pytest.approx(0.0, abs=1e-6)


def test_uses_actions_that_admission_refuses(full):
    p1 = solve_p1(*full.parts)
    phi = drift_terms(full.model, full.candidates, full.states).phi
    served = p1.choice >= 0
    assert np.array_equal(p1.admitted[served], phi[p1.choice[served]] <= 0)
    assert not p1.admitted.all()
    assert p1.admitted[~served].all()


def test_budget(full):
    assert solve_p1(*full.parts, budget=0).value == 0.0
    assert solve_p1(*full.parts, budget=20).value <= solve_p1(*full.parts, budget=40).value


@pytest.mark.parametrize("at_once", [1, 3])
def test_the_same_to_the_last_bit_with_some_loops_at_a_time(full, at_once):
    scenario, model, q, states = full.parts
    loops = range(0, len(states), at_once)
    parts = [
        dataclasses.replace(
            q,
            actions=q.actions.take(mine),
            **{name: getattr(q, name)[mine] for name in (*_Bounds._fields, "beyond_horizon")},
        )
        for mine in ((q.loop >= first) & (q.loop < first + at_once) for first in loops)
    ]
    assert len(parts) > 1
    whole, pieced = solve_p1(*full.parts), solve_p1(scenario, model, iter(parts), states)
    assert (whole.value, whole.J, whole.slots_used) == (pieced.value, pieced.J, pieced.slots_used)
    np.testing.assert_array_equal(whole.choice, pieced.choice)
    np.testing.assert_array_equal(whole.admitted, pieced.admitted)
