"""Which actions may be used (D24): the drift test, the reach certificate and none, with their verdicts and words."""

from dataclasses import replace

import numpy as np
import pytest
from flown import SWARM, allocation_of, at_cycle
from scipy import stats

from core.allocation import REACH_CYCLES, Mode, Verdict, admit, exit_cycles
from core.control import ControlModel, LoopStates, Plan
from core.errors import SafeExplorerError
from core.simulation import simulate


def ruled(rule, cycle=20, **changes):
    return at_cycle(SWARM.replace(**{"allocation.admission": rule, **changes}), cycle)[1]


@pytest.fixture(scope="module")
def reach():
    """Loops at errors from small to just admissible, so that some are about to leave."""
    view = ruled("reach")
    z = view.states.z * np.linspace(0.5, 3.4, len(view.states))[:, None, None]
    return replace(view, states=replace(view.states, z=z, V=view.model.lyapunov(z)))


def exits_by_hand(view):
    """First cycle outside, stepping every loop's lifted state with plain numpy; the margin from scipy's quantile."""
    m, s, Ts = view.model, view.states, view.scenario.control.Ts
    factor = stats.chi2.ppf(0.95, 3) / 3
    found = []
    for i in range(len(s)):
        z, first = s.z[i], REACH_CYCLES
        for j in range(1, REACH_CYCLES + 1):
            e = z[0] + Ts * s.u[i] - (view.plan.references[j, i] - view.plan.references[j - 1, i])
            z = np.vstack([e, z[:-1]])
            spread = np.sqrt(m.X[0, 0] * (s.tr_sigma[i] + j * m.tr_proc) * factor)
            if np.sqrt(np.trace(z.T @ m.X @ z)) + spread > np.sqrt(m.V_max):
                first = j
                break
        found.append(first if m.hold_admissible(s)[i] or not m.supervisor else REACH_CYCLES)
    return found


def test_exit_is_the_first_cycle_outside(reach):
    exits = exit_cycles(reach.model, reach.states, reach.plan)
    assert exits.tolist() == exits_by_hand(reach)
    assert len(set(exits.tolist())) > 2, "loops that differ are needed to tell rules apart"
    assert not reach.model.hold_admissible(reach.states).all()
    onboard = ~reach.model.hold_admissible(reach.states)
    assert (exits[onboard] == REACH_CYCLES).all(), "the onboard law never leaves (D12)"


def test_reach_admits_what_may_fail_until_just_before_the_exit(reach):
    leaves = exit_cycles(reach.model, reach.states, reach.plan)[reach.candidates.loop]
    for g, expected in ((leaves + 1, False), (leaves, True), (leaves * 0 + 1, True), (leaves * 0, False)):
        a = admit(reach.scenario, reach.model, replace(reach.candidates, g=g), reach.states, reach.plan)
        assert (a.admitted == expected).all()
    a = admit(reach.scenario, reach.model, reach.candidates, reach.states, reach.plan)
    assert 0 < a.admitted.sum() < a.admitted.size


def test_an_uncertain_estimate_leaves_earlier(reach):
    m, n, none = reach.model, 400, np.zeros(400, dtype=np.int64)
    z = reach.states.z[0] * np.linspace(0.5, 4.0, n)[:, None, None]  # one loop at 400 errors
    u, plan = np.tile(reach.states.u[0], (n, 1)), Plan(np.repeat(reach.plan.references[:, :1], n, axis=1))
    sure, vague = (
        LoopStates(m.lyapunov(z), np.full(n, s), none, none, none > 0, z, u) for s in (m.sigma_min, 0.9 * m.sigma_max)
    )
    held = m.hold_admissible(vague)
    early, late = exit_cycles(m, vague, plan)[held], exit_cycles(m, sure, plan)[held]
    assert (early <= late).all()
    assert (early < late).any()


def test_reach_says_when_the_loop_could_leave_and_what_the_certificate_allows(reach):
    a = allocation_of(reach)
    rows = np.flatnonzero(a.verdict == Verdict.REFUSED_REACH.code)
    index = int(rows[0])
    leaves, g = a.admission.exit_cycles[a.candidates.loop[index]], a.candidates.g[index]
    e = a.explain(index)
    assert f"could leave its corridor in {leaves} cycle" in e.sentence
    assert f"this certificate allows {g - 1}" in e.sentence
    assert e.term is None, "no term of Φ refuses it"
    chosen = int(a.choice[a.mode == Mode.CERTIFIED][0])
    assert "without a command; this certificate allows" in a.explain(chosen).sentence


@pytest.mark.parametrize("formulation", ["predicted", "repaired", "paper"])
def test_without_admission_everything_is_on_offer_and_nothing_is_certified(formulation):
    view = ruled("none", formulation=formulation)
    a = allocation_of(view)
    assert a.admitted.all()
    served = a.choice >= 0
    assert served.any()
    assert (a.mode[served] == Mode.SYNCHRONISATION).all()
    assert "admission is off, so nothing is certified" in a.explain(int(a.choice[served][0])).sentence.lower()
    run = simulate(SWARM.replace(**{"allocation.admission": "none", "formulation": formulation}), "SAFE", 3)
    assert run.served.any()
    assert not (run.mode == Mode.CERTIFIED).any()


@pytest.mark.parametrize("policy", ["Cert-Fixed", "Fixed-Service"])
def test_without_admission_nobody_elses_service_is_certified_either(policy):
    run = simulate(SWARM.replace(**{"allocation.admission": "none"}), policy, 3)
    assert run.served.any()
    assert not (run.mode == Mode.CERTIFIED).any()
    assert (simulate(SWARM, policy, 3).mode == Mode.CERTIFIED).any()


@pytest.mark.parametrize("formulation", ["predicted", "repaired", "paper"])
def test_reach_works_with_every_value(formulation):
    view = ruled("reach", formulation=formulation)
    a = allocation_of(view)
    assert (a.mode == Mode.CERTIFIED).any()
    assert (a.admission.exit_cycles == exit_cycles(view.model, view.states, view.plan)).all()


def test_reach_needs_to_know_where_the_loop_is(reach):
    s = reach.states
    with pytest.raises(SafeExplorerError, match="reach certificate need"):
        allocation_of(reach, states=LoopStates(s.V, s.tr_sigma, s.c, s.c_fail, s.safe))


@pytest.mark.parametrize("policy", ["SAFE", "Cert-Fixed"])
@pytest.mark.parametrize("rule", ["drift", "reach"])
def test_the_flight_counts_as_certified_what_the_rule_admits(rule, policy):
    """What the simulator flags is recomputed from what the policy saw."""
    scenario = SWARM.replace(**{"allocation.admission": rule})
    simulation, _ = at_cycle(scenario, 0, policy=policy)
    seen = 0
    for _ in range(25):
        view = simulation._view(simulation.states())
        record = simulation.step()
        admitted = admit(scenario, view.model, view.candidates, view.states, view.plan).admitted
        rows = record.choice[record.served]
        sure = admitted[rows]
        if record.allocation is not None:
            sure &= ~record.allocation.synchronisation[record.served]
        assert (record.mode[record.served] == Mode.CERTIFIED).tolist() == sure.tolist()
        seen += int(sure.sum())
    assert seen > 10


def test_drift_is_the_default_and_asks_for_phi():
    view = ruled("drift")
    a = admit(view.scenario, view.model, view.candidates, view.states)
    assert a.exit_cycles is None
    assert (a.admitted == ((a.terms.phi <= 0) & (view.candidates.g >= 1))).all()
    assert 0 < a.admitted.sum() < a.admitted.size
    paper = view.scenario.replace(formulation="paper")
    gated = admit(paper, ControlModel.of(paper), view.candidates, view.states)
    c_fail = view.states.c_fail[view.candidates.loop]
    assert (gated.admitted == ((gated.terms.phi <= 0) & (view.candidates.g >= 1) & (c_fail < view.candidates.g))).all()
