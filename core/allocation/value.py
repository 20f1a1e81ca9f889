"""What each action is worth against zero allocation, under the scenario's formulation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.allocation.prediction import PredictedValue, predicted_value
from core.control import Baseline, ControlModel, DriftTerms, LoopStates, Plan
from core.scenario import Scenario
from core.twin import Candidates

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Valuation:
    """Values of M actions of N loops, energies in [m²].

    Attributes:
        U: value of each action, shape (M,).
        B: change of W without service that U is measured from (eq:allocation-baseline, or predicted), shape (N,).
        worth: what hearing each loop is worth to the synchronisation pass (D13), shape (N,).
        predicted: where the values come from under "predicted" (D23), else None.
    """

    U: Floats
    B: Floats
    worth: Floats
    predicted: PredictedValue | None


def value_actions(
    scenario: Scenario,
    model: ControlModel,
    candidates: Candidates,
    states: LoopStates,
    *,
    terms: DriftTerms,
    baseline: Baseline,
    plan: Plan | None,
) -> Valuation:
    """U of every action: predicted (D23), or B − Φ as in the paper.

    Args:
        scenario: look-ahead and frame.
        model: control side of the scenario, which knows the formulation.
        candidates: the actions, M rows.
        states: loop states; with z and u under "predicted".
        terms: Φ of the actions.
        baseline: what becomes of the loops without service.
        plan: references ahead, under "predicted".
    """
    if model.formulation != "predicted":
        U = baseline.B[candidates.loop] - terms.phi
        return Valuation(U, baseline.B, model.W(states.V, states.tr_sigma), None)
    L, frame_s = scenario.allocation.lookahead_cycles, scenario.network.frame_s
    found = predicted_value(model, states, plan, L, hold_admissible=baseline.hold_admissible, frame_s=frame_s)
    B = found.V0.mean(axis=1) - states.V + model.lam * model.tr_proc + model.noise_term
    return Valuation(found.U(candidates, model.lam), B, found.worth(model.lam), found)
