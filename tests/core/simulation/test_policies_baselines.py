"""The baselines beyond the paper's: each decision recomputed by hand from what its docstring says it knows."""

from dataclasses import replace

import numpy as np
import pytest

from core import Scenario
from core.control import Plan
from core.errors import SafeExplorerError
from core.simulation import POLICIES, CycleView, Simulation
from core.simulation.policies import Calls, FixedService, NMSESched, Rollout, WhittleAge
from core.simulation.policies.service import picked
from core.simulation.policies.whittle_age import whittle_index
from core.twin import certify

SCENARIO = Scenario().replace(**{"mission.duration_s": 5.0})
NEW = (WhittleAge, Calls, NMSESched, Rollout)


@pytest.fixture(scope="module")
def view(calibration) -> CycleView:
    """A cycle in mid-mission with loops of different age, some of them flown by the onboard law."""
    simulation = Simulation(SCENARIO, "VoI-Sched", 3, calibration)
    for _ in range(12):
        simulation.step()
    view = simulation._view(simulation.states())
    view = replace(view, plan=Plan.ahead(simulation.trace.positions, simulation.k, 8))
    z, s = view.states.z.copy(), view.states
    z[7:10] *= 4.0  # beyond what may be held
    states = replace(s, z=z, V=view.model.lyapunov(z), safe=np.isin(np.arange(50), [7, 20]))
    assert view.model.hold_admissible(states)[[7, 8, 9, 20]].tolist() == [False, False, False, True]
    return replace(view, states=states)


def rows(view, i):
    return range(view.candidates.offsets[i], view.candidates.offsets[i + 1])


def cheapest(view, i, usable):
    """The loop's cheapest row that delivers well enough, else its most reliable one; −1 without rows."""
    c, delivery = view.candidates, view.candidates.delivery()
    good = [m for m in rows(view, i) if delivery[m] >= usable]
    if good:
        return min(good, key=lambda m: (c.slots[m], -delivery[m], m))
    return min(rows(view, i), key=lambda m: (-delivery[m], c.slots[m], m), default=-1)


def in_order(view, order, pick):
    choice, left = np.full(len(view.states), -1), view.budget
    for i in order:
        if pick[i] >= 0 and view.candidates.slots[pick[i]] <= left:
            choice[i], left = pick[i], left - view.candidates.slots[pick[i]]
    return choice.tolist()


def fly(view, i, visits, arrival_s):
    """Errors and tr Σ of a loop, cycle by cycle, when its visits deliver; written with vectors, not axis by axis."""
    model, s, law = view.model, view.states, view.model.law
    local = model.supervisor and bool(~model.hold_admissible(s)[i])
    if visits[0]:
        local = local or (model.supervisor and bool(s.safe[i]))
    e, u, tr = s.z[i, 0], s.u[i], s.tr_sigma[i]
    past, found = list(s.z[i]), []
    for j, visit in enumerate(visits):
        before = -law.onboard * e if local else u
        u = -law.k * e if visit else before
        local = local and not visit
        e = e + arrival_s * before + (law.Ts - arrival_s) * u - view.plan.steps[j, i]
        tr = model.tr_meas + model.h_max * model.tr_proc if visit else tr + model.tr_proc
        past = [e, *past]
        found.append((model.lyapunov(np.array(past[: model.H + 1])), float(e @ e), tr))
    return np.array(found).T


def frame_s(view):
    return view.scenario.network.slots * view.scenario.network.tau_slot_s


def test_the_whittle_index_is_the_price_at_which_two_thresholds_cost_the_same():
    """Long-run cost of "send from age H on" as a renewal process, by brute force, equal for H = h and h + 1."""
    f = np.concatenate([[0.0, 1.0, 1.5, 4.0, 4.5, 9.0], np.full(4000, 9.0)])  # f(0) is never used

    def long_run(H, p, price):
        ages = np.arange(H, 4000)
        waits = (1 - p) ** (ages - H)
        return (f[1:H].sum() + (waits * f[H:4000]).sum() + price / p) / (H - 1 + 1 / p)

    for p in (1.0, 0.8, 0.3):
        for h in (1, 2, 3, 4):
            one = [np.array([x]) for x in (p, h, f[1 : h + 1].sum())]
            price = float(whittle_index(*one, f[None, h + 1 : h + 7])[0])
            assert long_run(h, p, price) == pytest.approx(long_run(h + 1, p, price), rel=1e-9)
    assert whittle_index(np.array([1.0]), np.array([3]), np.array([6.5]), np.array([[4.5]])) == 3 * 4.5 - 6.5
    assert whittle_index(np.array([0.0]), np.array([3]), np.array([6.5]), np.array([[4.5]])) == 0.0


@pytest.mark.parametrize("of_error", [True, False])
@pytest.mark.parametrize("per_slot", [True, False])
def test_whittle_serves_the_largest_index_first(view, of_error, per_slot):
    J = 3
    policy = type("W", (WhittleAge,), {"of_error": of_error, "per_slot": per_slot, "horizon": J})()
    c, s, model = view.candidates, view.states, view.model
    pick = [cheapest(view, i, policy.usable) for i in range(50)]
    assert min(pick) >= 0

    def index(i, paid, c_i):
        V, _, tr = fly(view, i, [False] * J, 0.0)
        ahead = V + model.lam * tr if of_error else tr
        p, h = c.delivery()[pick[i]], c_i + 1
        expected = sum(p * (1 - p) ** (k - 1) * ahead[min(k, J) - 1] for k in range(1, 400))
        W = p * (h * expected - paid) if p > 0 else 0.0
        return W / c.slots[pick[i]] if per_slot else W

    now = s.V + model.lam * s.tr_sigma if of_error else s.tr_sigma
    paid = (s.c + 1) * now  # nothing is known of the cycles before the first
    for staleness in (s.c, s.c + 1, np.where(np.arange(50) < 25, 0, s.c + 2)):  # everybody waits, then half are heard
        if staleness is not s.c:
            paid = np.where(staleness > 0, paid, 0.0) + now
        W = np.array([index(i, paid[i], staleness[i]) for i in range(50)])
        later = replace(view, states=replace(s, c=staleness))
        assert policy.decide(later).choice.tolist() == in_order(view, np.argsort(-W, kind="stable"), pick)


@pytest.mark.parametrize(("rate", "ceiling", "own"), [(Calls.rate, Calls.ceiling, 0), (1.0, 0.95, 3)])
def test_calls_meets_each_loops_target_with_least_airtime(view, rate, ceiling, own):
    policy = type("C", (Calls,), {"rate": rate, "ceiling": ceiling})()
    c, s, model = view.candidates, view.states, view.model
    delivery, q, excess = c.delivery(), np.zeros(50), np.zeros(50)
    fresh = model.tr_meas + model.h_max * model.tr_proc
    for i in range(50):
        idle = fly(view, i, [False], 0.0)[0, 0] + model.X[0, 0] * (s.tr_sigma[i] + model.tr_proc)
        served = max(fly(view, i, [True], t)[0, 0] for t in (0.0, frame_s(view)))
        served += model.X[0, 0] * min(fresh, s.tr_sigma[i] + model.tr_proc)
        excess[i] = idle - policy.rate * s.V[i]
        if excess[i] > 0 and idle > served:
            q[i] = min(excess[i] / (idle - served), policy.ceiling)
            at_target = q[i] * served + (1 - q[i]) * idle
            assert q[i] == policy.ceiling or at_target == pytest.approx(policy.rate * s.V[i])
    found, found_excess = policy.targets(view)
    np.testing.assert_allclose(found, q, rtol=1e-9)
    np.testing.assert_allclose(found_excess, excess, rtol=1e-9)
    pick = [cheapest(view, i, q[i]) if q[i] > 0 else -1 for i in range(50)]
    order = sorted(range(50), key=lambda i: (-found[i], -found_excess[i]))
    choice = policy.decide(view).choice
    assert choice.tolist() == in_order(view, order, pick)
    assert (
        len({round(x, 6) for x in q} - {0.0, ceiling}) >= own
    )  # targets of the loops' own, neither none nor the ceiling
    assert (delivery[choice[choice >= 0]] >= q[choice >= 0]).any()


def test_calls_leaves_loops_alone_that_need_nothing(view):
    calm = replace(view, states=replace(view.states, V=view.states.V * 1e6))
    assert (Calls().decide(calm).choice == -1).all()


@pytest.mark.parametrize("command", [True, False])
def test_nmse_serves_the_largest_normalised_error_first(view, command):
    policy = type("E", (NMSESched,), {"command": command})()
    s, law, delivery = view.states, view.model.law, view.candidates.delivery()
    pick = [cheapest(view, i, policy.usable) for i in range(50)]
    error = s.tr_sigma / view.model.tr_proc
    if command:
        astray = law.Ts * (s.u + law.k * s.z[:, 0])
        error = error + (astray**2).sum(axis=1) / view.model.tr_proc
    np.testing.assert_allclose(policy.errors(view), error)
    order = np.argsort(-policy.errors(view) * delivery[pick], kind="stable")
    assert policy.decide(view).choice.tolist() == in_order(view, order, pick)


def test_nmse_counts_the_reference_velocity_with_feed_forward(calibration):
    simulation = Simulation(SCENARIO.replace(**{"control.feed_forward": True}), NMSESched, 3, calibration)
    view = simulation._view(simulation.states())
    # in steady flight with feed-forward the command in force is the one that would be sent, but for the first measurement
    law, s = view.model.law, view.states
    np.testing.assert_allclose(
        NMSESched().errors(view),
        (s.tr_sigma + ((law.Ts * law.k * s.z[:, 0]) ** 2).sum(axis=1)) / view.model.tr_proc,
    )


@pytest.mark.parametrize("of_energy", [True, False])
def test_rollout_weighs_an_exchange_now_by_what_the_rotation_would_do_next(view, of_energy):
    J, model = 5, view.model
    policy = type("R", (Rollout,), {"of_energy": of_energy, "horizon": J})()
    rotation, c = FixedService(), view.candidates
    visits = np.array([rotation.decide(view).choice >= 0 for _ in range(J)]).T
    assert len(np.unique(visits, axis=0)) > 3

    def cost(i, now):
        V, squared, tr = fly(view, i, [now, *visits[i, 1:]], frame_s(view))
        return (V + model.lam * tr).sum() if of_energy else (squared + tr).sum()

    gains = np.array([cost(i, False) - cost(i, True) for i in range(50)])
    np.testing.assert_allclose(policy.gains(view, visits), gains, rtol=1e-9, atol=1e-9)
    choice = policy.decide(view).choice
    worth = gains[c.loop] * c.delivery()
    total = worth[choice[choice >= 0]].sum()
    # no other frame is better: not the rotation's own, nor any that exchanges one loop's action
    own = FixedService().decide(view).choice
    assert total >= worth[own[own >= 0]].sum()
    left = view.budget - c.slots[choice[choice >= 0]].sum()
    for m in range(len(c.slots)):
        at = choice[c.loop[m]]
        room = left + (c.slots[at] if at >= 0 else 0)
        assert c.slots[m] > room or worth[m] <= (worth[at] if at >= 0 else 0.0) + 1e-9
    # the timetable runs on, whoever was served
    second = rotation_after(view, 1)
    np.testing.assert_array_equal(policy._visits(_picks(view), c.slots, view.budget)[:, 0], second)


def _picks(view):
    return np.array([cheapest(view, i, FixedService.usable) for i in range(50)])


def rotation_after(view, cycles):
    rotation = FixedService()
    for _ in range(cycles):
        rotation.decide(view)
    return rotation.decide(view).choice >= 0


def test_a_loop_that_an_exchange_would_only_harm_gets_no_slots_from_the_rollout(view):
    s, c = view.states, view.candidates
    calm = replace(view, budget=10_000, states=replace(s, u=-view.model.k * s.z[:, 0], tr_sigma=np.zeros(50)))
    gains = Rollout().gains(calm, Rollout()._visits(_picks(view), c.slots, calm.budget))
    assert (gains < 0).any()
    np.testing.assert_array_equal(Rollout().decide(calm).choice >= 0, gains > 0)


@pytest.mark.parametrize("policy", NEW, ids=lambda p: p.name)
def test_what_a_baseline_does_not_know_changes_nothing(policy, view):
    """Certificates are hidden from all four; the plan beyond the horizon too."""
    c = view.candidates
    blind = replace(c, rho_ul=c.rho_ul * 0, rho_dl=c.rho_dl * 0, g=c.g * 0, mu1=c.mu1 * 0 + 1, T_cert=c.T_cert * np.inf)
    short = Plan(view.plan.references[: policy.horizon + 1])
    bent = view.plan.references.copy()
    bent[policy.horizon + 1 :] += 100.0
    expected = policy().decide(view).choice
    for other in (replace(view, candidates=blind), replace(view, plan=short), replace(view, plan=Plan(bent))):
        np.testing.assert_array_equal(policy().decide(other).choice, expected)


@pytest.mark.parametrize("policy", NEW, ids=lambda p: p.name)
def test_a_baseline_sees_as_far_as_its_horizon(policy, calibration):
    far = type("Far", (policy,), {"horizon": 9})
    simulation = Simulation(SCENARIO, far, 0, calibration)
    assert simulation._view(simulation.states()).plan.cycles == 9


@pytest.mark.parametrize("policy", NEW, ids=lambda p: p.name)
def test_a_baseline_serves_nobody_where_nothing_is_on_offer(policy, calibration):
    simulation = Simulation(SCENARIO, policy, 0, calibration)
    view, links = simulation._view(simulation.states()), simulation._channel.predicted(SCENARIO, simulation._p_hat)
    for loops in ([], [3, 8]):
        few = certify(SCENARIO, links, calibration, view.states.c_fail, loops=np.array(loops, dtype=np.int64))
        served = np.flatnonzero(policy().decide(replace(view, candidates=few)).choice >= 0)
        assert set(served) <= set(loops)
    assert len(served)


@pytest.mark.parametrize("policy", NEW, ids=lambda p: p.name)
def test_an_estimate_that_is_missing_is_asked_for(policy, view):
    with pytest.raises(SafeExplorerError, match="estimated errors"):
        policy().decide(replace(view, states=replace(view.states, z=None, u=None)))


def test_picked_is_zero_without_an_action():
    assert picked(np.array([3, 5]), np.array([1, -1, 0])).tolist() == [5.0, 0.0, 3.0]
    assert picked(np.array([], dtype=int), np.array([-1])).tolist() == [0.0]


def test_they_are_registered_under_their_names():
    assert [POLICIES[p.name] for p in NEW] == list(NEW)
