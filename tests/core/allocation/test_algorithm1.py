"""Algorithm 1 on a swarm: what is chosen, what it is worth, and how zero allocation is realised."""

import dataclasses
import itertools

import numpy as np
import pytest
from definitions import frontier_by_definition, knapsack_by_recurrence

from core.allocation import (
    VERDICTS,
    Mode,
    Others,
    Verdict,
    allocate,
    coordinates,
    solve_knapsack_csr,
    solve_p1,
)
from core.allocation.knapsack import DynamicProgram
from core.control import LoopStates
from core.errors import SafeExplorerError


def without_sync(scenario):
    return scenario.replace(**{"allocation.sync_exchanges": 0})


def per_loop(allocation, array, mask):
    q = allocation.candidates
    return [array[a:b][mask[a:b]] for a, b in itertools.pairwise(q.offsets)]


@pytest.fixture(scope="module", params=["repaired", "paper"])
def any_case(request, case, paper_case):
    return case if request.param == "repaired" else paper_case


def test_at_most_one_own_action_per_loop_within_the_budget(any_case):
    a = allocate(*any_case.parts)
    served = np.flatnonzero(a.choice >= 0)
    assert served.size > 0
    assert np.array_equal(a.candidates.loop[a.choice[served]], served)
    assert a.slots_used == a.slots.sum() <= any_case.scenario.network.slots
    certified = a.mode == Mode.CERTIFIED
    assert np.all(a.admitted[a.choice[certified]] & a.frontier[a.choice[certified]])
    assert a.value == pytest.approx(a.U[a.choice[certified]].sum())


def test_numbers_of_every_candidate(any_case):
    scenario, model, q, states = any_case.parts
    a = allocate(*any_case.parts)
    i = q.loop
    assert pytest.approx(a.baseline.B[i] - a.phi) == a.U
    expected = (a.phi <= 0) & (q.g >= 1)
    if scenario.formulation == "paper":
        expected &= states.c_fail[i] < q.g
    assert np.array_equal(a.admitted, expected)
    assert not np.any(a.frontier & ~a.admitted)
    row = int(np.flatnonzero(a.admitted)[0])
    alone = model.drift(
        states.V[i[row]],
        states.tr_sigma[i[row]],
        model.counter(states)[i[row]],
        q.rho_ul[row],
        q.rho_dl[row],
        q.g[row],
        q.h_ul[row],
        q.h_dl[row],
    )
    assert a.phi[row] == pytest.approx(float(alone.phi))


def test_frontier_is_the_definition_among_the_admitted(case):
    a = allocate(*case.parts)
    coords, q = coordinates(a.candidates), a.candidates
    rows = [np.arange(x, y)[a.admitted[x:y]] for x, y in itertools.pairwise(q.offsets)]
    small = [r for r in rows if 0 < r.size <= 90]
    assert len(small) >= 2
    for r in small[:6]:
        assert np.array_equal(a.frontier[r], frontier_by_definition(coords[r, :5], coords[r, 5]))


def test_one_loop_alone_is_judged_as_among_all(any_case):
    a = allocate(*any_case.parts)
    loops = range(len(a.choice))
    alone = [(a.frontier_of(i), a.verdicts_of(i), Others.of(a, i).program.curve) for i in loops]
    everything = np.where(a.frontier, a.U, -np.inf)
    for i, (frontier, verdicts, curve) in zip(loops, alone, strict=True):
        own, without = a.rows_of(i), everything.copy()
        without[own] = -np.inf
        assert np.array_equal(frontier, a.frontier[own])
        assert np.array_equal(verdicts, a.verdict[own])
        whole = DynamicProgram.of(without, a.candidates.slots, a.candidates.offsets, a.room)
        assert np.array_equal(curve, whole.curve)


def test_value_is_that_of_the_printed_recurrence(any_case):
    a = allocate(without_sync(any_case.scenario), *any_case.parts[1:])
    values, slots = per_loop(a, a.U, a.frontier), per_loop(a, a.candidates.slots, a.frontier)
    _, value, curve = knapsack_by_recurrence(values, slots, a.budget)
    assert a.value == pytest.approx(value, rel=1e-12)
    assert a.curve == pytest.approx(curve, rel=1e-12)
    assert a.reserve == 0
    assert a.price_of_reserve == 0.0
    assert a.marginal == pytest.approx(np.diff(curve), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_pruning_never_changes_the_optimum(make_case, seed):
    """Frontier (prop:frontier-sufficiency) and directional pre-pruning (D17) against all admitted actions."""
    online = make_case(uavs=10, slots=50, seed=seed)
    full = make_case(uavs=10, slots=50, seed=seed, full=True)
    assert full.candidates.loop.size > 5 * online.candidates.loop.size
    a, b = allocate(*online.parts), allocate(*full.parts)
    everything = np.where(b.admitted, b.U, -np.inf)
    unpruned = solve_knapsack_csr(everything, b.candidates.slots, b.candidates.offsets, b.budget)
    assert b.curve == pytest.approx(unpruned.curve, rel=1e-12)
    assert a.curve == pytest.approx(unpruned.curve, rel=1e-12)


def test_at_least_as_good_as_any_greedy(any_case):
    a = allocate(without_sync(any_case.scenario), *any_case.parts[1:])
    q = a.candidates
    good = np.flatnonzero(a.frontier & (a.U > 0))
    for score in (a.U, a.U / q.slots, -q.slots.astype(float), q.rho_ul + q.rho_dl):
        left, value, served = a.budget, 0.0, set()
        for row in good[np.argsort(-score[good], kind="stable")]:
            if q.loop[row] not in served and q.slots[row] <= left:
                served.add(int(q.loop[row]))
                left -= int(q.slots[row])
                value += a.U[row]
        assert a.value >= value - 1e-9


def test_modes_say_how_each_loop_spends_the_cycle(case):
    a = allocate(*case.parts)
    idle = a.choice < 0
    assert set(a.mode[~idle]) <= {Mode.CERTIFIED, Mode.SYNCHRONISATION}
    assert np.array_equal(a.mode[idle] == Mode.HOLD, a.baseline.hold_admissible[idle])
    assert np.array_equal(a.mode == Mode.SYNCHRONISATION, a.synchronisation)
    assert {Mode.HOLD, Mode.SAFE} <= {a.mode_of(i) for i in np.flatnonzero(idle)}
    assert all(mode.sentence for mode in Mode)


def test_without_the_supervisor_nobody_enters_safe_mode(case):
    a = allocate(case.scenario.replace(**{"control.supervisor": False}), *case.parts[1:])
    assert not np.any(a.mode == Mode.SAFE)
    assert np.any(~a.baseline.hold_admissible[a.mode == Mode.HOLD])


def test_verdicts_cover_every_candidate_once(any_case):
    a = allocate(*any_case.parts)
    code = {v: a.verdict == v.code for v in VERDICTS}
    chosen = np.zeros(a.U.size, bool)
    chosen[a.choice[a.mode == Mode.CERTIFIED]] = True
    sent = np.zeros(a.U.size, bool)
    sent[a.choice[a.synchronisation]] = True
    assert np.array_equal(code[Verdict.CHOSEN], chosen)
    assert np.array_equal(code[Verdict.SYNCHRONISATION], sent)
    assert np.array_equal(code[Verdict.FRONTIER], a.frontier & ~chosen & ~sent)
    assert np.array_equal(code[Verdict.DOMINATED], a.admitted & ~a.frontier & ~sent)
    assert np.array_equal(code[Verdict.NO_BOUND], (a.candidates.g < 1) & ~sent)
    refused = (a.candidates.g >= 1) & ~a.admitted & ~sent
    assert np.array_equal(code[Verdict.REFUSED_DRIFT], refused & (a.phi > 0))
    assert np.array_equal(code[Verdict.REFUSED_GATE], refused & (a.phi <= 0))
    if any_case.scenario.formulation == "repaired":
        assert not code[Verdict.REFUSED_GATE].any()
    else:
        assert code[Verdict.REFUSED_GATE].any()


def test_no_slots_serve_nobody(case):
    a = allocate(*case.parts, budget=0)
    assert np.all(a.choice == -1)
    assert (a.value, a.slots_used, a.curve.tolist()) == (0.0, 0, [0.0])


def test_a_swarm_without_routes_holds_or_is_safe(make_case):
    lost = make_case(uavs=5, **{"network.snr_offset_db": -20.0, "network.min_link_snr_db": 20.0})
    assert lost.candidates.loop.size == 0
    a = allocate(*lost.parts)
    assert np.all(a.choice == -1)
    assert set(a.mode) <= {Mode.HOLD, Mode.SAFE}
    assert a.slots_used == 0


def test_budget_replaces_the_scenarios_slots(case):
    for budget in (10, 37):
        a = allocate(*case.parts, budget=budget)
        b = allocate(case.scenario.replace(**{"network.slots": budget}), *case.parts[1:])
        assert a.choice.tolist() == b.choice.tolist()
        assert a.slots_used <= budget


@pytest.mark.parametrize("budget", [2.9, -1, "9"])
def test_a_budget_that_is_not_a_whole_number_of_slots_is_refused(case, budget):
    for solve in (allocate, solve_p1):
        with pytest.raises(SafeExplorerError, match="must be a whole number of slots"):
            solve(*case.parts, budget=budget)


def test_a_fresh_swarm_is_the_same_from_any_order_of_calls(case):
    first, second = allocate(*case.parts), allocate(*case.parts)
    for name in ("choice", "mode", "verdict", "U", "curve", "frontier"):
        assert np.array_equal(getattr(first, name), getattr(second, name))


def test_worse_states_are_worth_more(case):
    """Doubling one loop's V doubles what its V term can save: its best U must rise."""
    scenario, model, q, states = case.parts
    i = int(q.loop[np.flatnonzero(allocate(*case.parts).frontier)[0]])
    V = states.V.copy()
    V[i] = 0.05 * model.V_max
    low = allocate(scenario, model, q, dataclasses.replace(states, V=V))
    V2 = V.copy()
    V2[i] = 0.1 * model.V_max
    high = allocate(scenario, model, q, dataclasses.replace(states, V=V2))
    rows = slice(q.offsets[i], q.offsets[i + 1])
    assert high.U[rows].max() > low.U[rows].max()


def test_at_rest_nothing_is_admitted_and_leftover_slots_synchronise(case):
    """With V = 0 process noise makes every Φ positive; holding is right, and free slots still keep in touch."""
    scenario, model, q, _ = case.parts
    a = allocate(scenario, model, q, LoopStates.at_rest(scenario.mission.uavs, model.tr_meas))
    assert not a.admitted.any()
    assert a.value == 0.0
    assert set(a.mode) == {Mode.SYNCHRONISATION, Mode.HOLD}
