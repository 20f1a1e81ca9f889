"""Each policy does what its docstring says, and a user can add one."""

from itertools import pairwise

import numpy as np
import pytest

from core import Scenario
from core.control import ControlModel
from core.errors import SafeExplorerError
from core.simulation import POLICIES, CycleView, Decision, Policy, Simulation, register, simulate
from core.simulation.policies.service import cheapest_usable, serve_in_order

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


def test_all_five_policies_of_the_paper_and_the_printed_safe_are_registered():
    assert list(POLICIES) == ["Fixed-Service", "Cert-Fixed", "DynTx-HLC", "VoI-Sched", "SAFE", "SAFE-paper"]
    assert all(POLICIES[name].name == name and POLICIES[name].__doc__ for name in POLICIES)


@pytest.mark.parametrize("name", list(POLICIES))
def test_every_policy_stays_in_budget_and_leaves_no_room_for_its_cheapest_action(name, view):
    decision = POLICIES[name]().decide(view)
    assert 0 < _slots(view, decision.choice) <= view.budget
    served = decision.choice >= 0
    assert np.array_equal(view.candidates.loop[decision.choice[served]], np.flatnonzero(served))


def test_fixed_service_is_a_regular_rotation(calibration):
    run = simulate(SCENARIO.replace(**{"network.snr_offset_db": 10.0}), "Fixed-Service", 0, calibration)
    visits = run.served.sum(axis=0)
    assert visits.max() - visits.min() <= 2  # a cheap loop may use what is left of a frame before its turn


def test_cert_fixed_uses_admitted_actions_only(calibration):
    run = simulate(SCENARIO, "Cert-Fixed", 0, calibration)
    assert run.served.any()
    assert run.summary()["synchronisation_share"] == 0.0


def test_dyntx_serves_the_longest_silent_first_and_sends_more_after_failures(view):
    decision = POLICIES["DynTx-HLC"]().decide(view)
    served = decision.choice >= 0
    offered = np.isin(np.arange(len(served)), view.candidates.loop)
    assert view.states.c[served].min() >= view.states.c[~served & offered].max() - 1
    delivery = view.candidates.delivery()
    best = np.array([delivery[a:b].max(initial=0) for a, b in pairwise(view.candidates.offsets)])
    failed = served & (view.states.c_fail > 0) & (best >= 0.9)
    assert failed.any()
    assert np.all(delivery[decision.choice[failed]] >= 0.9)
    fresh = served & (view.states.c_fail == 0) & (best >= 0.8)
    assert np.all(delivery[decision.choice[fresh]] >= 0.8)
    assert np.any(delivery[decision.choice[fresh]] < 0.9)


def test_voi_takes_the_highest_value_first_and_the_most_efficient_action(view):
    decision = POLICIES["VoI-Sched"]().decide(view)
    c, s = view.candidates, view.states
    efficiency = c.delivery() / c.slots
    best = np.array([efficiency[a:b].max(initial=0) for a, b in pairwise(c.offsets)])
    served = decision.choice >= 0
    np.testing.assert_allclose(efficiency[decision.choice[served]], best[served])
    value = (1 + s.c) * s.tr_sigma
    assert served[np.argmax(value * (best > 0))]
    assert np.median(value[served]) > np.median(value[~served])


def test_printed_safe_decides_by_the_printed_formulas_while_v_is_the_same(calibration):
    repaired = Simulation(SCENARIO, "SAFE", 0, calibration)
    printed = Simulation(SCENARIO, "SAFE-paper", 0, calibration)
    view = printed._view(printed.states())
    assert view.model.formulation == view.scenario.formulation == "paper"
    assert np.array_equal(view.model.X, ControlModel.of(SCENARIO).X)
    assert np.array_equal(printed.states().V, repaired.states().V)
    assert printed.scenario.formulation == "repaired"


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
