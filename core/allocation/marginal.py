"""What a longer frame would buy: the next slots that pay, read off the value curve F_N(b)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.allocation.result import Allocation


@dataclass(frozen=True)
class NextSlot:
    """The shortest longer frame that is worth more, with this cycle's reserve still set aside (D13).

    Attributes:
        slots: its length, above S [slots].
        gain: F_N(slots − reserve) − F_N(S − reserve), above 0 [m²].
        loop: the loop whose U rises most.
    """

    slots: int
    gain: float
    loop: int


def next_slot(allocation: Allocation) -> NextSlot | None:
    r"""The next slot that pays, from eq:p2-dp-recurrence; None when no frame of any length is worth more.

    .. math:: S' = \min\{b > S : F_N(b - s_{sync}) > F_N(S - s_{sync})\}

    Args:
        allocation: the allocation.
    """
    a = allocation
    room = a.budget - a.reserve
    # Whoever can still gain does so with one action, so the curve rises within the dearest one or never again.
    program = a.program(room + int(a.candidates.slots[a.frontier].max(initial=0)))
    gain = program.curve[room:] - program.curve[room]
    pays = np.flatnonzero(gain > a.rounding)
    if pays.size == 0:
        return None
    more = int(pays[0])
    rise = _worth(a, program.choice(room + more)) - _worth(a, program.choice(room))
    return NextSlot(a.budget + more, float(gain[more]), int(np.argmax(rise)))


def _worth(allocation: Allocation, choice: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.where(choice >= 0, allocation.U[choice], 0.0)
