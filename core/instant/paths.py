"""Where a loop is headed: its predicted ways with and without the exchange, and what the difference is worth (D23)."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.allocation import Allocation, predicted_value
from core.allocation.admission import lookahead_inputs
from core.control import predict_paths

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Paths:
    """The next L cycles of one loop as the twin sees them; row j is the end of j cycles, row 0 is now.

    Attributes:
        references: where the UAV should be, shape (L+1, 3) [m].
        without: predicted position without service, shape (L+1, 3) [m].
        at_once, at_end: with the command, if it arrived at once or at the end of the frame, shape (L+1, 3) [m].
        V_without: energy without service, V⁰, shape (L+1,) [m²].
        V_served: with the command, the larger of both arrivals, V¹, shape (L+1,) [m²].
        G: what the command is worth, mean of V⁰ − V¹ over the L cycles [m²].
        T: fall of tr Σ that the telemetry brings [m²].
        telemetry: λ_Σ·T, what that is worth [m²].
        onboard: whether the onboard law flies the loop when it is not served.
        counts: whether the allocator's values come from this prediction; another formulation does not use it.
    """

    references: Floats
    without: Floats
    at_once: Floats
    at_end: Floats
    V_without: Floats
    V_served: Floats
    G: float
    T: float
    telemetry: float
    onboard: bool
    counts: bool

    @property
    def cycles(self) -> int:
        """L, the look-ahead."""
        return len(self.references) - 1

    def off(self, path: Floats) -> Floats:
        """Distance of a path from the references, shape (L+1,) [m]."""
        return np.asarray(np.linalg.norm(path - self.references, axis=1))


def paths(allocation: Allocation, loop: int) -> Paths:
    """The predicted ways of one loop, in every formulation.

    Args:
        allocation: with its plan of the references.
        loop: counted from 0.
    """
    a, model, s, one = allocation, allocation.model, allocation.scenario, slice(loop, loop + 1)
    L, frame_s = s.allocation.lookahead_cycles, s.network.frame_s
    may_hold = a.baseline.hold_admissible
    found = a.predicted or predicted_value(model, a.states, a.plan, L, frame_s=frame_s, hold_admissible=may_hold)
    z, u, steps = lookahead_inputs(a.states, a.plan, L)
    assert a.plan is not None
    references = a.plan.references[: L + 1, loop]
    ahead = functools.partial(predict_paths, model.X, z[one], u[one], steps[:, one], model.law)
    ways = (
        ahead(local=found.idle[loop]),
        ahead(local=found.until[loop], arrival_s=0.0),
        ahead(local=found.until[loop], arrival_s=found.frame_s),
    )
    without, at_once, at_end = (references + np.concatenate([z[loop, :1], way.errors[0]]) for way in ways)
    V, T = float(a.states.V[loop]), float(found.T[loop])
    return Paths(
        references=references,
        without=without,
        at_once=at_once,
        at_end=at_end,
        V_without=np.concatenate([[V], found.V0[loop]]),
        V_served=np.concatenate([[V], found.V1[loop]]),
        G=float(found.G[loop]),
        T=T,
        telemetry=model.lam * T,
        onboard=bool(found.idle[loop]),
        counts=a.predicted is not None,
    )
