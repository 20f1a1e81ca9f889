"""Where one loop is headed with and without the exchange: the numbers behind its predicted value (D23)."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.allocation.admission import lookahead_inputs
from core.allocation.result import Allocation
from core.control import predict_paths

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Outlook:
    """Two predicted paths of one loop at the ends of the next L cycles.

    Attributes:
        references: where it should be, shape (L, 3) [m].
        without: predicted position without service, shape (L, 3) [m].
        served: predicted position when the command arrives at the end of the frame, shape (L, 3) [m].
        V_without: energy without service, shape (L,) [m²].
        V_served: energy with the command, the larger of an arrival at once and at the end of the frame, shape (L,) [m²].
        G: what the command is worth, mean of V_without − V_served [m²].
        T: fall of tr Σ that the telemetry brings [m²].
        telemetry: λ_Σ·T, what that is worth [m²].
        onboard: whether the onboard law flies the loop when it is not served.
    """

    references: Floats
    without: Floats
    served: Floats
    V_without: Floats
    V_served: Floats
    G: float
    T: float
    telemetry: float
    onboard: bool

    @property
    def cycles(self) -> int:
        """L, the look-ahead."""
        return len(self.references)

    @property
    def off_without_m(self) -> float:
        """Distance from the reference at the end of the look-ahead without service [m]."""
        return float(np.linalg.norm(self.without[-1] - self.references[-1]))

    @property
    def off_served_m(self) -> float:
        """The same with the command [m]."""
        return float(np.linalg.norm(self.served[-1] - self.references[-1]))


def outlook(allocation: Allocation, loop: int) -> Outlook | None:
    """The predicted paths of one loop; None unless the allocation was made with the predicted value.

    Args:
        allocation: the allocation.
        loop: index of the loop.
    """
    found, plan = allocation.predicted, allocation.plan
    if found is None or plan is None:
        return None
    L, model, one = found.V0.shape[1], allocation.model, slice(loop, loop + 1)
    references = plan.references[1 : L + 1, loop]
    z, u, steps = lookahead_inputs(allocation.states, plan, L)
    ahead = functools.partial(predict_paths, model.X, z[one], u[one], steps[:, one], model.law)
    T = float(found.T[loop])
    return Outlook(
        references=references,
        without=references + ahead(local=found.idle[loop]).errors[0],
        served=references + ahead(local=found.until[loop], arrival_s=found.frame_s).errors[0],
        V_without=found.V0[loop],
        V_served=found.V1[loop],
        G=float(found.G[loop]),
        T=T,
        telemetry=model.lam * T,
        onboard=bool(found.idle[loop]),
    )
