"""Rollout: one-step lookahead over the rotation of Fixed-Service."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from core.allocation import predicted_value, solve_knapsack_csr
from core.allocation.admission import lookahead_inputs
from core.control import Law
from core.control.prediction import energy, velocity
from core.simulation.policies.fixed_service import FixedService
from core.simulation.policies.service import Rotation, cheapest_usable
from core.simulation.policy import CycleView, Decision, Policy

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


class Stage(NamedTuple):
    """What one cycle costs and how it changes a loop.

    Args:
        X: certificate matrix of one axis, shape (H+1, H+1).
        of_energy: whether the error costs V, or else |ê|².
        weight: of tr Σ [-].
        tr_fresh: tr Σ after telemetry [m²].
        tr_proc: growth of tr Σ in a cycle without [m²].
        arrival_s: when a command arrives in its cycle [s].
        law: gains, period, feed-forward.
    """

    X: Floats
    of_energy: bool
    weight: float
    tr_fresh: float
    tr_proc: float
    arrival_s: float
    law: Law


@njit(cache=True, nogil=True)
def cost_to_go(
    z: Floats, u: Floats, tr_sigma: float, local: bool, steps: Floats, visits: Bools, stage: Stage, path: Floats
) -> float:
    """Cost of one loop over J cycles in which every visit delivers [m²].

    Args:
        z: estimated errors, current first, shape (H+1, 3) [m].
        u: velocity in force, shape (3,) [m/s].
        tr_sigma: trace of the position covariance [m²].
        local: whether the onboard law has the loop until the first visit.
        steps: moves of the reference, shape (J, 3) [m].
        visits: cycles with an exchange, shape (J,).
        stage: cost and change of one cycle.
        path: scratch, shape (J+H+1, 3) [m].
    """
    J, law, t = len(steps), stage.law, stage.arrival_s
    path[J:] = z
    held = u.copy()
    total = 0.0
    for j in range(J):
        squared = 0.0
        for axis in range(3):
            e, step = path[J - j, axis], steps[j, axis]
            before = velocity(law.onboard, e, step, law) if local else held[axis]
            after = velocity(law.k, e, step, law) if visits[j] else before
            path[J - j - 1, axis] = e + t * before + (law.Ts - t) * after - step
            held[axis] = after
            squared += path[J - j - 1, axis] ** 2
        local = local and not visits[j]
        tr_sigma = stage.tr_fresh if visits[j] else tr_sigma + stage.tr_proc
        total += (energy(stage.X, path, J - j - 1) if stage.of_energy else squared) + stage.weight * tr_sigma
    return total


@njit(cache=True, nogil=True)
def service_gains(
    z: Floats, u: Floats, tr_sigma: Floats, idle: Bools, until: Bools, steps: Floats, visits: Bools, stage: Stage
) -> Floats:
    """How much less each loop costs when an exchange delivers in the first cycle than when none does, shape (N,) [m²].

    Args:
        z, u, tr_sigma, steps, stage: as for `cost_to_go`, of N loops; steps has shape (J, N, 3).
        idle, until: whether the onboard law flies a loop that is not served, or until it is served, shape (N,).
        visits: cycles in which the base heuristic serves each loop, shape (N, J); the first column is overwritten.
    """
    gains = np.empty(len(z))
    path = np.empty((len(steps) + z.shape[1], 3))
    for i in range(len(z)):
        visits[i, 0] = False
        without = cost_to_go(z[i], u[i], tr_sigma[i], idle[i], steps[:, i], visits[i], stage, path)
        visits[i, 0] = True
        gains[i] = without - cost_to_go(z[i], u[i], tr_sigma[i], until[i], steps[:, i], visits[i], stage, path)
    return gains


class Rollout(Policy):
    """Bertsekas and Castañón, "Rollout algorithms for stochastic scheduling problems" (Journal of Heuristics 1999).

    Taken from there: the decision of this cycle is the one with the smallest predicted cost when a base heuristic takes
    all later ones. The base is Fixed-Service's rotation, as a timetable that runs on whether it is followed or not, so
    that loops do not interact after this frame; the sum over loops is then smallest for a knapsack over delivery ×
    (cost without − cost with an exchange now), solved exactly, any action on offer. Costs are simulated over `horizon`
    cycles from the estimate, command in force and plan: |ê|² + tr Σ, or V + λ_Σ·tr Σ with `of_energy`; the visits of the
    timetable deliver at the end of their frame, and hold or onboard law act between them (certainty equivalence).
    Information: ẑ, û, tr Σ, predicted delivery, the plan over `horizon` cycles, its own timetable. No certificates.
    Left out: averaging over simulated luck of the visits to come.
    """

    name: ClassVar[str] = "Rollout"
    of_energy: ClassVar[bool] = False
    horizon: ClassVar[int] = 4

    def __init__(self) -> None:
        self._timetable = Rotation()

    def decide(self, view: CycleView) -> Decision:
        """The frame with the smallest cost-to-go."""
        c, delivery = view.candidates, view.candidates.delivery()
        usable = np.ones(len(c.slots), dtype=np.bool_)
        pick = cheapest_usable(c.offsets, c.slots, usable, delivery, FixedService.usable)
        gains = self.gains(view, self._visits(pick, c.slots, view.budget))
        worth = np.maximum(gains[c.loop] * delivery, 0.0)
        return Decision.of(solve_knapsack_csr(worth, c.slots, c.offsets, view.budget).choice)

    def gains(self, view: CycleView, visits: Bools) -> Floats:
        """What an exchange that delivers now saves each loop, given the timetable, shape (N,) [m²]."""
        model, s, network = view.model, view.states, view.scenario.network
        z, u, steps = lookahead_inputs(s, view.plan, self.horizon)
        law = predicted_value(model, s, view.plan, 1)
        stage = Stage(
            X=model.X,
            of_energy=self.of_energy,
            weight=model.lam if self.of_energy else 1.0,
            tr_fresh=model.tr_meas + model.h_max * model.tr_proc,
            tr_proc=model.tr_proc,
            arrival_s=network.frame_s,
            law=model.law,
        )
        gains: Floats = service_gains(z, u, s.tr_sigma, law.idle, law.until, steps, visits.copy(), stage)
        return gains

    def _visits(self, pick: NDArray[np.int64], slots: NDArray[np.int64], budget: int) -> Bools:
        """Who is served in this and the next cycles of the timetable, shape (N, J); the timetable advances by one."""
        ahead = self._timetable.copy()
        visits = np.array([ahead.serve(pick, slots, budget) >= 0 for _ in range(self.horizon)])
        self._timetable.serve(pick, slots, budget)
        return np.ascontiguousarray(visits.T)
