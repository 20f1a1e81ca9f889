"""Steps the baselines share: one action per loop, then loops in an order while slots last."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@njit(cache=True, nogil=True)
def cheapest_usable(offsets: Ints, slots: Ints, allowed: Bools, delivery: Floats, usable: float) -> Ints:
    """Cheapest allowed action of each loop that delivers well enough, else its most reliable allowed one, (N,).

    Ties in cost go to the better delivery, then to the earlier row; −1 for a loop without allowed actions.

    Args:
        offsets: loop i owns rows offsets[i]:offsets[i+1], (N+1,).
        slots: cost, (M,).
        allowed: rows that may be chosen, (M,).
        delivery: predicted probability of delivery, (M,).
        usable: what is well enough [-].
    """
    n = len(offsets) - 1
    pick = np.full(n, -1, dtype=np.int64)
    for i in range(n):
        best = -1
        for m in range(offsets[i], offsets[i + 1]):
            if not allowed[m]:
                continue
            if best < 0:
                best = m
                continue
            good, was = delivery[m] >= usable, delivery[best] >= usable
            if good != was:
                better = good
            elif good:
                better = slots[m] < slots[best] or (slots[m] == slots[best] and delivery[m] > delivery[best])
            else:
                better = delivery[m] > delivery[best] or (delivery[m] == delivery[best] and slots[m] < slots[best])
            if better:
                best = m
        pick[i] = best
    return pick


@njit(cache=True, nogil=True)
def serve_in_order(order: Ints, pick: Ints, slots: Ints, budget: int) -> Ints:
    """Give each loop in turn its action if it still fits; later, cheaper ones may use what is left, (N,).

    Args:
        order: loops, first served first, (N,).
        pick: the action of each loop, −1 = none, (N,).
        slots: cost of every action, (M,).
        budget: slots in the frame.
    """
    choice = np.full(len(pick), -1, dtype=np.int64)
    left = budget
    for i in order:
        if pick[i] >= 0 and slots[pick[i]] <= left:
            choice[i] = pick[i]
            left -= slots[pick[i]]
    return choice


def picked(column: NDArray[Any], pick: Ints) -> Floats:
    """What a column says of each loop's action, 0 without one, (N,).

    Args:
        column: of the actions, (M,).
        pick: the action of each loop, −1 = none, (N,).
    """
    found = np.zeros(len(pick))
    found[pick >= 0] = column[pick[pick >= 0]]
    return found


class Rotation:
    """A fixed cyclic order that resumes with the first loop it could not serve."""

    def __init__(self, first: int = 0) -> None:
        self._next = first

    def copy(self) -> Rotation:
        """A rotation that goes on from here by itself."""
        return Rotation(self._next)

    def serve(self, pick: Ints, slots: Ints, budget: int) -> Ints:
        """The choice of this cycle, (N,); arguments as for `serve_in_order`."""
        order = (self._next + np.arange(len(pick))) % len(pick)
        choice: Ints = serve_in_order(order, pick, slots, budget)
        waiting = order[(pick[order] >= 0) & (choice[order] < 0)]
        if len(waiting):
            self._next = int(waiting[0])
        return choice
