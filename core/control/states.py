"""What the controller knows of each loop at the start of a cycle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.control.lifted import FloatArray

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class LoopStates:
    """Controller-side states of N loops; the state of a loop is (V, tr Σ, c), not (V, tr Σ) alone (D11).

    Args:
        V: tracking-error energy of the estimate, shape (N,) [m²].
        tr_sigma: trace of the position covariance, shape (N,) [m²].
        c: staleness, cycles since the last bidirectional success; hold and safe mode count too, shape (N,).
        c_fail: attempts in a row that were not bidirectional, shape (N,).
        safe: whether the loop was in local safe mode last cycle, shape (N,).
        z: estimated tracking errors ê_k … ê_{k−H}, current first, shape (N, H+1, 3) [m]; None where only V is known.
        u: velocity the controller believes is in force (the acknowledged command, or the onboard law's), shape (N, 3)
            [m/s]; None where only V is known.
    """

    V: FloatArray
    tr_sigma: FloatArray
    c: IntArray
    c_fail: IntArray
    safe: BoolArray
    z: FloatArray | None = None
    u: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.V)

    @classmethod
    def at_rest(cls, n: int, tr_sigma: float) -> LoopStates:
        """n loops on their reference, just heard from.

        Args:
            n: number of loops.
            tr_sigma: trace of the position covariance of each [m²].
        """
        zero = np.zeros(n, np.int64)
        return cls(np.zeros(n), np.full(n, float(tr_sigma)), zero, zero.copy(), np.zeros(n, bool))


def count_failures(
    c: IntArray, c_fail: IntArray, *, attempted: BoolArray, delivered: BoolArray
) -> tuple[IntArray, IntArray]:
    """Both counters at the end of a cycle (D11).

    A bidirectional success clears both; an attempt that was not bidirectional (one-sided and synchronisation included)
    adds one to both; hold and safe mode add one to the staleness only.

    Args:
        c: staleness before the cycle, shape (N,) [cycles].
        c_fail: failed attempts in a row before the cycle, shape (N,).
        attempted: whether slots were allocated, shape (N,).
        delivered: whether both directions arrived, shape (N,).

    Returns:
        (c, c_fail) for the next cycle.
    """
    return np.where(delivered, 0, c + 1), np.where(delivered, 0, c_fail + attempted)
