"""What serving a loop is worth, predicted from what the twin knows: estimate, velocity in force and plan (D23)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.allocation.admission import REACH_CYCLES, known
from core.control import ControlModel, LoopStates, Plan, Prediction, predict_paths
from core.scenario import Scenario
from core.twin import Candidates

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PredictedValue:
    """Two numbers per loop, and the paths they come from; N loops, look-ahead of L cycles.

    Attributes:
        G: what a command is worth, mean over the look-ahead of V without service − V with it, shape (N,) [m²].
        T: what telemetry is worth, the fall of tr Σ it brings, shape (N,) [m²].
        idle: predicted path without service, shape (N, L).
        command: predicted paths with the command, arriving at once and at the end of the frame, shape (N, L) each.
    """

    G: Floats
    T: Floats
    idle: Prediction
    command: tuple[Prediction, Prediction]

    @property
    def V0(self) -> Floats:
        """Energy without service at the end of each cycle of the look-ahead, shape (N, L) [m²]."""
        return self.idle.V

    @property
    def V1(self) -> Floats:
        """Energy with the command: the larger of both ends, V being convex in the arrival, shape (N, L) [m²]."""
        return np.maximum(self.command[0].V, self.command[1].V)

    def U(self, candidates: Candidates, lam: float) -> Floats:
        r"""Value of each action against zero allocation, shape (M,) [m²].

        .. math:: U(\pi) = \rho^{dl} G + \lambda_\Sigma\, \rho^{ul} T

        With B̂ = V̂⁰ − V + λ_Σ·tr Σ_proc + noise this is B̂ − Φ̂: the predicted change of W that the exchange saves.

        A command that would do harm (G < 0) counts in full: ρ is only a lower bound on delivery. U rises with ρ_ul and
        ρ_dl and depends on nothing else of the certificate, so it respects the order of prop:frontier-sufficiency.

        Args:
            candidates: the actions, M rows.
            lam: λ_Σ [-].
        """
        G, T = self.G[candidates.loop], self.T[candidates.loop]
        U: Floats = np.where(G >= 0.0, candidates.rho_dl * G, G) + lam * candidates.rho_ul * T
        return U

    def worth(self, lam: float) -> Floats:
        """U of an exchange that surely arrives, never below 0, shape (N,) [m²]."""
        return np.maximum(self.G + lam * self.T, 0.0)


def predicted_value(
    model: ControlModel,
    states: LoopStates,
    plan: Plan | None,
    L: int,
    *,
    frame_s: float = 0.0,
    hold_admissible: NDArray[np.bool_] | None = None,
) -> PredictedValue:
    """G and T of every loop at the start of a cycle, all controller-side (D23).

    Args:
        model: control side of the scenario.
        states: loop states with z and u.
        plan: references of this cycle and at least the L after it.
        L: look-ahead [cycles].
        frame_s: latest arrival of a command in the cycle: the length of the frame [s].
        hold_admissible: whether each loop may hold, where the caller knows it already, shape (N,).
    """
    z, u, steps = known(states, plan, L)
    may_hold = model.hold_admissible(states) if hold_admissible is None else hold_admissible
    local = model.supervisor & ~may_hold
    until = local | (model.supervisor & states.safe)  # a served loop in safe mode obeys the local law until a command
    idle = predict_paths(model.X, z, u, steps, model.law, local=local)
    at_once, at_end = (predict_paths(model.X, z, u, steps, model.law, local=until, arrival_s=t) for t in (0.0, frame_s))
    G = (idle.V - np.maximum(at_once.V, at_end.V)).mean(axis=1)
    refreshed = model.tr_meas + model.h_max * model.tr_proc
    T = np.maximum(0.0, states.tr_sigma + model.tr_proc - refreshed)
    return PredictedValue(G, T, idle, (at_once, at_end))


def plan_cycles(scenario: Scenario) -> int:
    """How many cycles of the plan the allocator of a scenario looks at."""
    L = scenario.allocation.lookahead_cycles
    return max(L, REACH_CYCLES) if scenario.allocation.admission == "reach" else L
