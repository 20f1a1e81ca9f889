"""Which actions may be used: the paper's drift certificate, the reach certificate, or none (D24)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from core.allocation.verdict import Verdict
from core.control import ControlModel, DriftTerms, LoopStates, Plan, predict_paths
from core.errors import SafeExplorerError
from core.scenario import Scenario
from core.twin import Candidates
from core.wanted import check

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

REACH_CYCLES = 25
"""How far ahead the reach certificate looks; a loop that stays inside that long counts as one that never leaves."""
REACH_CONFIDENCE = 0.95
"""Confidence of the ellipsoid around the estimate in the reach certificate [-]."""
_REACH_FACTOR = float(chdtri(3, 1.0 - REACH_CONFIDENCE)) / 3.0

RULE_WORDS = {"drift": "pass Φ ≤ 0", "reach": "keep their corridor", "none": "need no certificate"}
"""What the admitted actions do, by rule."""


@dataclass(frozen=True, eq=False)
class Admission:
    """The actions that may be used, M rows, and what decided.

    Attributes:
        rule: "drift", "reach" or "none".
        admitted: shape (M,).
        terms: Φ and its terms, whatever the rule, shape (M,).
        exit_cycles: first cycle in which each loop could leave its domain without a command, REACH_CYCLES = not within
            the look-ahead; None unless the rule is "reach", shape (N,).
    """

    rule: str
    admitted: Bools
    terms: DriftTerms
    exit_cycles: Ints | None


def admit(
    scenario: Scenario, model: ControlModel, candidates: Candidates, states: LoopStates, plan: Plan | None = None
) -> Admission:
    """Admission of every candidate at its loop's state under the scenario's rule (D24).

    Args:
        scenario: `allocation.admission`.
        model: control side of the scenario.
        candidates: the actions, M rows.
        states: loop states; "reach" needs z and u.
        plan: references ahead; "reach" needs REACH_CYCLES of them.
    """
    rule, loop = scenario.allocation.admission, candidates.loop
    check()
    terms = drift_terms(model, candidates, states)
    check()
    exits = exit_cycles(model, states, plan) if rule == "reach" else None
    at = None if exits is None else exits[loop]
    admitted = passes(rule, model, terms, candidates.g, c_fail=states.c_fail[loop], exit_cycles=at)
    return Admission(rule, admitted, terms, exits)


def passes(
    rule: str, model: ControlModel, terms: DriftTerms, g: Ints, *, c_fail: Ints, exit_cycles: Ints | None
) -> Bools:
    """Whether each action passes a rule; all arguments of one shape.

    - drift: Φ ≤ 0 (and in "paper" the gate), eq:safe-certificate-region;
    - reach: g − 1 < j_exit, so the loop is still inside when the last failure its certificate allows is over;
    - none: every action.

    Args:
        rule: "drift", "reach" or "none".
        model: gives the drift rule.
        terms: drift of the actions.
        g: failure tolerance; below 1 there is no certificate [cycles].
        c_fail: failed attempts in a row of each action's loop.
        exit_cycles: j_exit of each action's loop, for "reach".
    """
    if rule == "none":
        return np.ones(g.shape, dtype=np.bool_)
    if rule == "reach":
        assert exit_cycles is not None
        inside: Bools = (g >= 1) & (g - 1 < exit_cycles)
        return inside
    return model.admitted(terms, c_fail, g)


def refusals(candidates: Candidates, admission: Admission) -> NDArray[np.int8]:
    """Why each candidate is not used, if it is not on the frontier: a refusal, or DOMINATED where admitted, shape (M,)."""
    if admission.rule == "reach":
        verdict = np.full(candidates.g.shape, Verdict.REFUSED_REACH.code, dtype=np.int8)
    else:
        positive = admission.terms.phi > 0.0
        verdict = np.where(positive, Verdict.REFUSED_DRIFT.code, Verdict.REFUSED_GATE.code).astype(np.int8)
    verdict[candidates.g < 1] = Verdict.NO_BOUND.code
    verdict[admission.admitted] = Verdict.DOMINATED.code
    return verdict


def drift_terms(model: ControlModel, candidates: Candidates, states: LoopStates) -> DriftTerms:
    """Φ of every candidate at its loop's state, eq:drift-bound, shapes (M,)."""
    i = candidates.loop
    V, tr_sigma, c = states.V[i], states.tr_sigma[i], model.counter(states)[i]
    check()
    return model.drift(
        V,
        tr_sigma,
        c,
        candidates.rho_ul,
        candidates.rho_dl,
        candidates.g,
        candidates.h_ul,
        candidates.h_dl,
    )


def exit_cycles(model: ControlModel, states: LoopStates, plan: Plan | None) -> Ints:
    r"""First cycle j in which each loop could leave V ≤ V_max without a command, shape (N,); REACH_CYCLES = not seen to.

    .. math:: \sqrt{\hat V(j)} + \sqrt{X_{00}\,(\operatorname{tr}\Sigma + j \operatorname{tr}\Sigma_{proc})\,\chi^2}
              > \sqrt{V_{max}}

    χ² is that of REACH_CONFIDENCE over three axes of equal variance. A loop under the onboard law never leaves (D12).

    Args:
        model: control side of the scenario.
        states: loop states with z and u.
        plan: references of this cycle and the REACH_CYCLES after it.
    """
    z, u, steps = lookahead_inputs(states, plan, REACH_CYCLES)
    V = predict_paths(model.X, z, u, steps, model.law).V
    j = np.arange(1, REACH_CYCLES + 1)
    spread = states.tr_sigma[:, None] + j * model.tr_proc
    outside = np.sqrt(V) + np.sqrt(model.X[0, 0] * spread * _REACH_FACTOR) > np.sqrt(model.V_max)
    first = np.where(outside.any(axis=1), outside.argmax(axis=1) + 1, REACH_CYCLES)
    onboard = model.supervisor & ~model.hold_admissible(states)
    return np.where(onboard, REACH_CYCLES, first)


def lookahead_inputs(states: LoopStates, plan: Plan | None, cycles: int) -> tuple[Floats, Floats, Floats]:
    """ẑ, û and the steps of the references over some cycles, or a message that says what is missing."""
    if states.z is None or states.u is None or plan is None:
        raise SafeExplorerError(
            "The predicted value and the reach certificate need each loop's estimated errors z, its velocity u and the "
            "plan of the references (a Simulation fills all three); or choose formulation 'repaired' with admission 'drift'."
        )
    if plan.cycles < cycles:
        raise SafeExplorerError(f"The plan reaches {plan.cycles} cycles ahead, and {cycles} are asked for.")
    return np.ascontiguousarray(states.z), np.ascontiguousarray(states.u), plan.steps[:cycles]
