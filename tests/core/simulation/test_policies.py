"""Each policy does what its docstring says, and a user can add one."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from core import Scenario
from core.control import ControlModel
from core.errors import SafeExplorerError
from core.simulation import (
    PAPER_FIVE,
    POLICIES,
    RANKED,
    REPRODUCED,
    CycleView,
    Decision,
    Policy,
    Simulation,
    register,
    simulate,
)
from core.simulation.policies import CertFixed, DynTxHLC, FixedService
from core.simulation.policies.service import cheapest_usable, serve_in_order
from core.studies.paper_table import PAPER_MEAN_RMSE_M

SCENARIO = Scenario().replace(**{"mission.duration_s": 5.0})


@pytest.fixture(scope="module")
def view(calibration) -> CycleView:
    """A cycle in mid-mission with loops of different age."""
    simulation = Simulation(SCENARIO, "VoI-Sched", 3, calibration)
    for _ in range(12):
        simulation.step()
    return simulation._view(simulation.states())


def _slots(view, choice):
    return int(view.candidates.slots[choice[choice >= 0]].sum())


def test_the_papers_five_the_two_other_values_of_safe_the_baselines_and_the_ablations_are_registered():
    five = ["Fixed-Service", "Cert-Fixed", "DynTx-HLC", "VoI-Sched", "SAFE"]
    baselines = ["Whittle-Age", "CALLS", "NMSE-Sched", "Rollout"]
    parts = ["greedy", "no-admission", "reach", "no-sync", "nominal", "no-plan", "L1"]
    assert list(RANKED) == [*five, *baselines]
    assert sorted(REPRODUCED) == sorted(POLICIES)
    assert list(POLICIES) == [*five, "SAFE-repaired", "SAFE-paper", *baselines, *(f"SAFE-{part}" for part in parts)]
    assert sorted(PAPER_FIVE) == sorted(five)
    assert tuple(PAPER_MEAN_RMSE_M) == PAPER_FIVE
    assert all(POLICIES[name].name == name and POLICIES[name].__doc__ for name in POLICIES)


def by_hand(view, order, rows_of, usable):
    """Loops in order, each with its cheapest row that delivers well enough (else its most reliable), while slots last."""
    c, left = view.candidates, view.budget
    delivery, choice = c.delivery(), np.full(len(view.states), -1)
    for i in order:
        rows = rows_of(i)
        good = [m for m in rows if delivery[m] >= usable]
        if good:
            pick = min(good, key=lambda m: (c.slots[m], -delivery[m], m))
        elif len(rows):
            pick = min(rows, key=lambda m: (-delivery[m], c.slots[m], m))
        else:
            continue
        if c.slots[pick] <= left:
            choice[i], left = pick, left - c.slots[pick]
    return choice.tolist()


def all_rows(view, i):
    return np.flatnonzero(view.candidates.loop == i)


@pytest.mark.parametrize("name", list(POLICIES))
def test_every_policy_stays_in_budget_and_gives_each_loop_its_own_action(name, view):
    decision = POLICIES[name]().decide(view)
    assert 0 < _slots(view, decision.choice) <= view.budget
    served = decision.choice >= 0
    assert np.array_equal(view.candidates.loop[decision.choice[served]], np.flatnonzero(served))


def test_fixed_service_takes_the_cheapest_usable_exchange_of_each_loop_in_turn(view):
    policy = FixedService()
    first = policy.decide(view).choice
    assert first.tolist() == by_hand(view, range(50), lambda i: all_rows(view, i), policy.usable)
    next_loop = int(np.flatnonzero((first < 0) & (np.diff(view.candidates.offsets) > 0))[0])
    order = [(next_loop + i) % 50 for i in range(50)]
    assert policy.decide(view).choice.tolist() == by_hand(view, order, lambda i: all_rows(view, i), policy.usable)


def test_fixed_service_is_a_regular_rotation(calibration):
    run = simulate(SCENARIO.replace(**{"network.snr_offset_db": 10.0}), "Fixed-Service", 0, calibration)
    visits = run.served.sum(axis=0)
    assert visits.max() - visits.min() <= 2  # a cheap loop may use what is left of a frame before its turn


def test_cert_fixed_serves_loops_by_their_number_with_their_cheapest_admitted_action(view, calibration):
    c, s, model = view.candidates, view.states, view.model

    def admitted(i):
        rows = all_rows(view, i)
        terms = model.drift(
            s.V[i], s.tr_sigma[i], s.c[i], c.rho_ul[rows], c.rho_dl[rows], c.g[rows], c.h_ul[rows], c.h_dl[rows]
        )
        return rows[(terms.phi <= 0) & c.certified[rows]]

    policy = CertFixed()
    wanted = by_hand(view, range(50), admitted, policy.usable)
    assert policy.decide(view).choice.tolist() == wanted
    assert any(len(admitted(i)) < len(all_rows(view, i)) for i in range(50))
    run = simulate(SCENARIO, "Cert-Fixed", 0, calibration)
    assert run.summary()["synchronisation_share"] == 0.0
    visits = run.served.sum(axis=0)
    assert visits[:10].sum() > 3 * visits[-10:].sum()  # the same loops are first in every cycle


def test_dyntx_serves_the_longest_silent_first_and_transmits_more_often_after_failures(view):
    policy = DynTxHLC()
    c = view.candidates
    n_re = c.ul_options.n_re[c.actions.ul] + c.dl_options.n_re[c.actions.dl]
    counts = []
    for failures in (0, 2, 3, 6, 30):
        s = replace(view.states, c_fail=np.where(np.arange(50) % 2, failures, 0))
        now = replace(view, states=s)
        order = sorted(range(50), key=lambda i: (-s.c[i], -s.c_fail[i], i))

        def rows_of(i, s=s, now=now):
            more = min(s.c_fail[i] // 3, 2)
            rows = all_rows(now, i)
            return rows[n_re[rows] >= more] if np.any(n_re[rows] >= more) else rows

        choice = policy.decide(now).choice
        assert choice.tolist() == by_hand(now, order, rows_of, policy.target)
        failed = choice[(choice >= 0) & (s.c_fail > 0)]
        counts.append(n_re[failed].min(initial=9))
    assert counts == [9, 0, 1, 2, 2]


def test_voi_takes_the_highest_value_first_and_the_most_efficient_action(view):
    decision = POLICIES["VoI-Sched"]().decide(view)
    c, s = view.candidates, view.states
    efficiency = c.delivery() / c.slots
    best = np.array([efficiency[a:b].max(initial=0) for a, b in pairwise(c.offsets)])
    served = decision.choice >= 0
    np.testing.assert_allclose(efficiency[decision.choice[served]], best[served])
    delivery, left = c.delivery(), view.budget
    pick = [min(all_rows(view, i), key=lambda m: (-efficiency[m], c.slots[m], m), default=-1) for i in range(50)]
    worth = [(1 + s.c[i]) * s.tr_sigma[i] * delivery[pick[i]] if pick[i] >= 0 else 0.0 for i in range(50)]
    expected = np.full(50, -1)
    for i in sorted(range(50), key=lambda i: -worth[i]):
        if pick[i] >= 0 and c.slots[pick[i]] <= left:
            expected[i], left = pick[i], left - c.slots[pick[i]]
    assert decision.choice.tolist() == expected.tolist()


def test_printed_safe_decides_by_the_printed_formulas_while_v_is_the_same(calibration):
    other = Simulation(SCENARIO, "SAFE", 0, calibration)
    printed = Simulation(SCENARIO, "SAFE-paper", 0, calibration)
    view = printed._view(printed.states())
    assert view.model.formulation == view.scenario.formulation == "paper"
    assert np.array_equal(view.model.X, ControlModel.of(SCENARIO).X)
    assert np.array_equal(printed.states().V, other.states().V)
    assert printed.scenario.formulation == "predicted"


def test_cheapest_usable_by_brute_force():
    rng = np.random.default_rng(0)
    for _ in range(200):
        counts = rng.integers(0, 6, size=4)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        slots, delivery = rng.integers(1, 5, offsets[-1]), rng.integers(0, 11, offsets[-1]) / 10
        allowed = rng.random(offsets[-1]) < 0.8
        pick = cheapest_usable(offsets, slots, allowed, delivery, 0.5)
        for i in range(4):
            rows = [m for m in range(offsets[i], offsets[i + 1]) if allowed[m]]
            if not rows:
                assert pick[i] == -1
                continue
            usable = [m for m in rows if delivery[m] >= 0.5]
            if usable:
                assert pick[i] == min((slots[m], -delivery[m], m) for m in usable)[2]
            else:
                assert pick[i] == min((-delivery[m], slots[m], m) for m in rows)[2]


def test_serving_in_order_fills_what_is_left():
    order, pick, slots = np.array([2, 0, 1]), np.array([0, 1, 2]), np.array([3, 1, 4])
    assert serve_in_order(order, pick, slots, 6).tolist() == [-1, 1, 2]
    assert serve_in_order(order, pick, slots, 7).tolist() == [0, -1, 2]


def test_a_user_can_register_a_policy(calibration):
    @register
    class Nobody(Policy):
        """Serves nobody."""

        name = "Nobody"

        def decide(self, view):
            return Decision.of(np.full(len(view.states), -1))

    try:
        assert not simulate(SCENARIO, "Nobody", 0, calibration).served.any()
    finally:
        del POLICIES["Nobody"]


def test_a_policy_without_a_name_is_refused():
    class Nameless(Policy):
        def decide(self, view):
            return Decision.of(np.full(len(view.states), -1))

    with pytest.raises(SafeExplorerError, match="name"):
        register(Nameless)


def test_unknown_policy_names_the_known_ones():
    with pytest.raises(SafeExplorerError, match="VoI-Sched"):
        simulate(SCENARIO, "VoI")


class _Greedy(Policy):
    name = "greedy"

    def decide(self, view):
        c = view.candidates
        first = np.where(np.diff(c.offsets) > 0, c.offsets[:-1], -1)
        return Decision.of(first)


class _Swapped(Policy):
    name = "swapped"

    def decide(self, view):
        choice = np.full(len(view.states), -1)
        choice[0] = view.candidates.offsets[-1] - 1
        return Decision.of(choice)


class _Short(Policy):
    name = "short"

    def decide(self, view):
        return Decision.of(np.array([-1]))


@pytest.mark.parametrize(("policy", "message"), [(_Greedy, "slots"), (_Swapped, "another loop"), (_Short, "each")])
def test_impossible_decisions_are_refused(policy, message, calibration):
    with pytest.raises(SafeExplorerError, match=message):
        simulate(SCENARIO, policy, 0, calibration)
