"""What it would cost to impose an action on a loop: P2 of the others, solved once for every budget."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.allocation.knapsack import DynamicProgram
from core.allocation.result import Allocation

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Others:
    r"""P2 without one loop; with its action imposed the total is :math:`U_a + F_{N \setminus i}(S - s_{sync} - s_a)`.

    The reserve for synchronisation (D13) stays what it is in this cycle.

    Attributes:
        allocation: of all loops.
        loop: the one left out.
        program: P2 of the others for every budget up to S − reserve.
    """

    allocation: Allocation
    loop: int
    program: DynamicProgram

    @classmethod
    def of(cls, allocation: Allocation, loop: int) -> Others:
        """Solve P2 without a loop."""
        q = allocation.candidates
        values = np.where(allocation.offered, allocation.U, -np.inf)
        values[allocation.rows_of(loop)] = -np.inf
        return cls(allocation, loop, DynamicProgram.of(values, q.slots, q.offsets, allocation.room))

    def total(self, U: ArrayLike, slots: ArrayLike) -> Floats:
        """Value of P2 with an action imposed on the loop, −inf when it does not fit, broadcast [m²].

        Args:
            U: value of the action [m²].
            slots: its cost [slots].
        """
        left = self.allocation.room - np.asarray(slots)
        rest = self.program.curve[np.maximum(left, 0)]
        return np.where(left >= 0, np.asarray(U) + rest, -np.inf)

    def loss(self, U: ArrayLike, slots: ArrayLike) -> Floats:
        """How much the total falls with an action imposed; negative where it would rise, inf when it does not fit [m²]."""
        lost: Floats = self.allocation.value - self.total(U, slots)
        return lost

    def pushed_out(self, slots: int) -> tuple[int, ...]:
        """Loops that P2 serves now and would not serve beside an action of so many slots imposed on the loop."""
        a, left = self.allocation, self.allocation.room - slots
        if left < 0:
            return ()
        then = self.program.choice(left)
        now = (a.choice >= 0) & ~a.needy
        now[self.loop] = False
        return tuple(int(i) for i in np.flatnonzero(now & (then < 0)))


def loss_if_forced(allocation: Allocation, index: int) -> float:
    """How much P2's value would fall if this action were imposed on its loop, ≥ 0, inf when it does not fit [m²].

    Args:
        allocation: the allocation.
        index: row of its candidates.
    """
    q = allocation.candidates
    lost = Others.of(allocation, int(q.loop[index])).loss(allocation.U[index], q.slots[index])
    return max(0.0, float(lost)) if math.isfinite(lost) else math.inf
