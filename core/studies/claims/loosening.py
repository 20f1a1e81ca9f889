"""The certificate with some of its bounds replaced by what they bound: the exact law, a count, the nominal value.

Nothing here certifies anything. The ledger asks what each bound costs by taking it away, alone.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.allocation import allocate, predicted_value
from core.control import ControlModel, DriftTerms, LoopStates, Plan
from core.control.drift import mean_factor
from core.control.lifted import OUTCOMES, mode_matrix, run_matrix
from core.control.tables import FactorTables
from core.errors import StudyError
from core.network import either_fails, link_budget_db
from core.scenario import Scenario
from core.simulation import CycleView, Decision
from core.simulation.policies import Safe
from core.twin import Calibration, Candidates, exact_tolerances, failure_tolerances
from core.twin.certificate import RHO_STEPS
from core.twin.persistence import failure_bin

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Bound(Enum):
    """A bound of the certificate; the value says what takes its place."""

    BETA = "ρ at the predicted SNR, without the conformal margin (β)."
    FRECHET = "Uplink and downlink fail independently, ρ_ul·ρ_dl, in μ₁ and in ᾱ; the certificate allows any dependence, ρ_ul + ρ_dl − 1."
    UNION = "g by the exact law of failure runs (D18); the certificate adds up all starts of a run."
    PERSISTENCE = (
        "p₁₁ as counted in its own bin at the nearest link budget: no Clopper–Pearson confidence, no bin that inherits from a worse "
        "one, no worst over better budgets."
    )
    STALENESS = (
        "ᾱ at the loop's own staleness c, not at the worst that the certificate allows, c* = max(c, g − 1) (D11)."
    )
    DIRECTIONS = (
        "Growth of V in the direction that ẑ has, not in the worst of all directions; reference motion still left out."
    )
    PREDICTION = "V predicted with the plan and the velocity in force (D23) in place of every growth factor."


FACTORS = (Bound.STALENESS, Bound.DIRECTIONS, Bound.PREDICTION)
"""Bounds that act on Φ alone; the others act on the certificate too."""
Replaced = frozenset[Bound]


def loosened_candidates(
    scenario: Scenario, calibration: Calibration, candidates: Candidates, replaced: Replaced
) -> Candidates:
    """The same actions with ρ, μ₁, p₁₁, g and T_cert recomputed (eq:dt-certificate-map), some bounds replaced.

    Actions of a route without a margin and of a bin without p₁₁ stay without a certificate: what is not calibrated has
    no nominal value either.

    Args:
        scenario: δ_T, H_T, link budget.
        calibration: of the twin, for the counts behind p₁₁.
        candidates: as certified, M rows.
        replaced: bounds to replace.
    """
    c, twin = candidates, scenario.twin
    sides = ((c.ul_options, c.actions.ul), (c.dl_options, c.actions.dl))
    rho_ul, rho_dl = (
        np.floor((1.0 - (o.failure_nominal if Bound.BETA in replaced else o.failure_worst)[rows]) * RHO_STEPS)
        / RHO_STEPS
        for o, rows in sides
    )
    nominal = either_fails(*(o.failure_nominal[rows] for o, rows in sides))
    p11 = counted_persistence(scenario, calibration)[failure_bin(nominal)] if Bound.PERSISTENCE in replaced else c.p11
    mu1 = 1.0 - both_delivered(rho_ul, rho_dl, independent=Bound.FRECHET in replaced)
    tolerances = exact_tolerances if Bound.UNION in replaced else failure_tolerances
    bounded = np.isfinite(c.margin_ul_db[c.ul_options.route[c.actions.ul]])
    bounded &= np.isfinite(c.margin_dl_db[c.dl_options.route[c.actions.dl]])
    g = np.where(bounded, tolerances(mu1, p11, twin.H_T, twin.delta_T), 0)
    return dataclasses.replace(
        c,
        rho_ul=rho_ul,
        rho_dl=rho_dl,
        mu1=mu1,
        p11=p11,
        g=g,
        T_cert=np.where(g > 0, g * scenario.control.Ts, np.inf),
        beyond_horizon=g > twin.H_T,
    )


def both_delivered(rho_ul: Floats, rho_dl: Floats, *, independent: bool) -> Floats:
    """P(both directions arrive): the product, or the least of all dependences, max(0, ρ_ul + ρ_dl − 1) [-]."""
    if independent:
        return rho_ul * rho_dl
    # in whole steps, so that no rounding of the sum can move g
    steps = np.rint(rho_ul * RHO_STEPS) + np.rint(rho_dl * RHO_STEPS) - RHO_STEPS
    least: Floats = np.maximum(0.0, steps) / RHO_STEPS
    return least


def counted_persistence(scenario: Scenario, calibration: Calibration) -> Floats:
    """Share of failures that repeat (eq:markov-failure-tail), by bin, at the calibrated budget nearest to the scenario's.

    The bound itself where the bin has none to count, and nan where there is no bound, (bins,) [-].
    """
    twin, budget = scenario.twin, link_budget_db(scenario)
    bound = calibration.persistence(twin.chain_confidence, twin.min_failures, budget)
    counts = calibration.counts[int(np.abs(np.array(calibration.budgets_db) - budget).argmin())]
    failures, repeats = counts.failures.sum(axis=0), counts.repeats.sum(axis=0)
    share = np.divide(repeats, failures, out=bound.copy(), where=failures > 0)
    return np.where(np.isnan(bound), np.nan, share)


def loosened_drift(
    scenario: Scenario,
    model: ControlModel,
    candidates: Candidates,
    states: LoopStates,
    plan: Plan | None,
    replaced: Replaced,
) -> DriftTerms:
    """Φ of every candidate at its loop's state (eq:drift-bound), some bounds of its V term replaced.

    Args:
        scenario: authority split, look-ahead, frame.
        model: control side; any formulation but "paper".
        candidates: the actions, from `loosened_candidates` with the same bounds.
        states: loop states; with z (and u and a plan for PREDICTION).
        plan: references ahead.
        replaced: bounds to replace.
    """
    if model.formulation == "paper":
        raise StudyError(
            "The ledger takes the repaired certificate apart; choose formulation 'predicted' or 'repaired'."
        )
    q, i, V = candidates, candidates.loop, states.V[candidates.loop]
    # g = 1 allows no failure, so that c* = c
    g = np.minimum(q.g, 1) if Bound.STALENESS in replaced else q.g
    terms = model.drift(V, states.tr_sigma[i], states.c[i], q.rho_ul, q.rho_dl, g, q.h_ul, q.h_dl)
    if not replaced & {Bound.FRECHET, Bound.DIRECTIONS, Bound.PREDICTION}:
        return terms
    if Bound.PREDICTION in replaced:
        after = _predicted_energy(scenario, model, q, states, plan)
    else:
        after = expected_energy(scenario, model, q, states, terms.c_star, replaced)
    v_term = after - V
    return DriftTerms(
        alpha_bar=np.divide(after, V, out=np.ones_like(V), where=V > 0.0),
        c_star=terms.c_star,
        v_term=v_term,
        sigma_term=terms.sigma_term,
        noise_term=terms.noise_term,
        phi=v_term + terms.sigma_term + terms.noise_term,
    )


def expected_energy(
    scenario: Scenario,
    model: ControlModel,
    q: Candidates,
    states: LoopStates,
    c_star: Ints,
    replaced: Replaced,
) -> Floats:
    """E[V⁺] of the jump system over the four outcomes of an exchange, (M,) [m²]."""
    j = np.minimum(c_star, model.H - 1)
    if Bound.DIRECTIONS in replaced:
        success, lost = energies_at(scenario, model, states)
        outcomes = (*(success[n, q.h_ul, q.h_dl, q.loop] for n in range(3)), lost[j, q.loop])
    else:
        tables, V = FactorTables.of(model.factors, formulation=model.formulation), states.V[q.loop]
        outcomes = (*(tables.success[q.h_ul, q.h_dl, n] * V for n in range(3)), tables.lost[q.h_ul, q.h_dl, j] * V)
    ends = [both_delivered(q.rho_ul, q.rho_dl, independent=Bound.FRECHET in replaced)]
    if Bound.FRECHET not in replaced:
        ends.append(np.minimum(q.rho_ul, q.rho_dl))
    worst: Floats = np.max([mean_factor(b, q.rho_ul, q.rho_dl, *outcomes) for b in ends], axis=0)
    return worst


def energies_at(scenario: Scenario, model: ControlModel, states: LoopStates) -> tuple[Floats, Floats]:
    """V of M_ξẑ and of M₀₀^(j)ẑ (eq:alpha-raw without the maximum over directions), delays as the factors take them.

    Returns:
        (1,1), (1,0), (0,1) by certificate delays, the largest over all shorter ones, shape (3, h_max+1, h_max+1, N), and
        the run lengths 1 … H, the largest over the full delay grid (D10), shape (H, N) [m²].
    """
    if states.z is None:
        raise StudyError("The direction of ẑ is not known: give states with z, as a Simulation does.")
    grid, H, n = [(u, d) for u in range(model.h_max + 1) for d in range(model.h_max + 1)], model.H, model.h_max + 1
    split = scenario.control.split
    modes = [mode_matrix(o, u, d, H=H, a=model.a, split=split) for o in OUTCOMES[:3] for u, d in grid]
    runs = [run_matrix(j, u, d, H=H, a=model.a) for j in range(1, H + 1) for u, d in grid]
    V = np.array([model.lyapunov(M @ states.z) for M in (*modes, *runs)])
    success = V[: len(modes)].reshape(3, n, n, -1)
    success = np.maximum.accumulate(np.maximum.accumulate(success, axis=1), axis=2)
    return success, V[len(modes) :].reshape(H, len(grid), -1).max(axis=1)


def _predicted_energy(
    scenario: Scenario, model: ControlModel, q: Candidates, states: LoopStates, plan: Plan | None
) -> Floats:
    """V predicted for the end of the cycle: with the command as often as it surely arrives, a harmful one always, (M,) [m²]."""
    found = predicted_value(model, states, plan, 1, frame_s=scenario.network.frame_s)
    V0, V1 = found.V0[q.loop, 0], found.V1[q.loop, 0]
    after: Floats = np.maximum(V1, V0 + q.rho_dl * (V1 - V0))
    return after


@dataclass(frozen=True, eq=False, kw_only=True)
class _GivenDrift(ControlModel):
    """A control model whose Φ is given, row by row of the candidates it is asked for."""

    terms: DriftTerms

    @classmethod
    def of_model(cls, model: ControlModel, terms: DriftTerms) -> _GivenDrift:
        """The model with the given Φ."""
        return cls(**{f.name: getattr(model, f.name) for f in dataclasses.fields(ControlModel)}, terms=terms)

    def drift(self, *_: Any, **__: Any) -> DriftTerms:
        """The given terms, whatever state and certificate they are asked for."""
        return self.terms


class LoosenedSafe(Safe):
    """SAFE with bounds of its certificate replaced; it may not be called safe, and is not registered.

    Args:
        replaced: bounds to replace.
        calibration: of the twin.
    """

    name = "SAFE, loosened"

    def __init__(self, replaced: Replaced, calibration: Calibration) -> None:
        self.replaced, self.calibration = replaced, calibration

    def decide(self, view: CycleView) -> Decision:
        """Allocate on the loosened certificates; the actions are those of the view, row by row."""
        scenario, states, plan = view.scenario, view.states, view.plan
        candidates = loosened_candidates(scenario, self.calibration, view.candidates, self.replaced)
        terms = loosened_drift(scenario, view.model, candidates, states, plan, self.replaced)
        model = _GivenDrift.of_model(view.model, terms)
        a = allocate(scenario, model, candidates, states, plan=plan, budget=view.budget)
        return Decision(a.choice, a.synchronisation, a)
