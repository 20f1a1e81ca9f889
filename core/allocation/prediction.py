"""What serving a loop is worth, predicted from what the twin knows: estimate, velocity in force and plan (D23)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from core.allocation.admission import REACH_CYCLES, lookahead_inputs
from core.control import ControlModel, LoopStates, Plan, predict_service
from core.scenario import Scenario
from core.twin import Candidates

Floats = NDArray[np.float64]


@njit(cache=True, nogil=True)
def exchange_value(G: float, T: float, lam: float, rho_ul: float, rho_dl: float) -> float:
    r"""What one action is worth against zero allocation (D23) [m²].

    .. math:: U(\pi) = \rho^{dl} G + \lambda_\Sigma\, \rho^{ul} T

    With B̂ = V̂⁰ − V + λ_Σ·tr Σ_proc + noise this is B̂ − Φ̂: the predicted change of W that the exchange saves. A command
    that would do harm (G < 0) counts in full: ρ is only a lower bound on delivery. U rises with ρ_ul and ρ_dl and depends
    on nothing else of the certificate, so it respects the order of prop:frontier-sufficiency.

    Args:
        G: what the command is worth [m²].
        T: fall of tr Σ that telemetry brings, ≥ 0 [m²].
        lam: λ_Σ [-].
        rho_ul, rho_dl: lower bounds on directional delivery [-].
    """
    return (rho_dl * G if G >= 0.0 else G) + lam * rho_ul * T


@njit(cache=True, nogil=True)
def _values(G: Floats, T: Floats, lam: float, loop: NDArray[np.int64], rho_ul: Floats, rho_dl: Floats) -> Floats:
    U = np.empty(loop.size)
    for m in range(loop.size):
        i = loop[m]
        U[m] = exchange_value(G[i], T[i], lam, rho_ul[m], rho_dl[m])
    return U


@dataclass(frozen=True, eq=False)
class PredictedValue:
    """Two numbers per loop, and the energies they come from; N loops, look-ahead of L cycles.

    Attributes:
        G: what a command is worth, mean over the look-ahead of V0 − V1, shape (N,) [m²].
        T: what telemetry is worth, the fall of tr Σ it brings, shape (N,) [m²].
        V0: energy without service at the end of each cycle, shape (N, L) [m²].
        V1: energy with the command, the larger of an arrival at once and at the end of the frame, shape (N, L) [m²].
        idle: whether the onboard law flies the loop when it is not served, shape (N,).
        until: whether it flies the loop until the command arrives, shape (N,).
        frame_s: end of the frame [s].
    """

    G: Floats
    T: Floats
    V0: Floats
    V1: Floats
    idle: NDArray[np.bool_]
    until: NDArray[np.bool_]
    frame_s: float

    def U(self, candidates: Candidates, lam: float) -> Floats:
        """Value of each action against zero allocation, shape (M,) [m²]; see `exchange_value`.

        Args:
            candidates: the actions, M rows.
            lam: λ_Σ [-].
        """
        U: Floats = _values(self.G, self.T, lam, candidates.loop, candidates.rho_ul, candidates.rho_dl)
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
    z, u, steps = lookahead_inputs(states, plan, L)
    may_hold = model.hold_admissible(states) if hold_admissible is None else hold_admissible
    idle = model.supervisor & ~may_hold
    until = idle | (model.supervisor & states.safe)  # a served loop in safe mode obeys the local law until a command
    V0, V1 = predict_service(model.X, z, u, steps, idle, until, frame_s, model.law)
    refreshed = model.tr_meas + model.h_max * model.tr_proc
    T = np.maximum(0.0, states.tr_sigma + model.tr_proc - refreshed)
    return PredictedValue((V0 - V1).mean(axis=1), T, V0, V1, idle, until, frame_s)


def plan_cycles(scenario: Scenario) -> int:
    """How many cycles of the plan the allocator of a scenario looks at."""
    L = scenario.allocation.lookahead_cycles
    return max(L, REACH_CYCLES) if scenario.allocation.admission == "reach" else L
