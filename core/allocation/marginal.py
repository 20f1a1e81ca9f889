"""What a longer frame would buy: the next slots that pay, read off the value curve F_N(b)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.allocation.appraisal import Appraisal
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


def next_slot(allocation: Allocation, offer: Appraisal | None = None, longest: int | None = None) -> NextSlot | None:
    r"""The next slot that pays, from eq:p2-dp-recurrence; None when no frame up to the longest is worth more.

    .. math:: S' = \min\{b > S : F_N(b - s_{sync}) > F_N(S - s_{sync})\}

    U stays what it is in the frame of S slots.

    Args:
        allocation: the allocation.
        offer: its loops' candidates with those that S slots are too few for; its own when None.
        longest: frame to look up to; as long as any may be when None [slots].
    """
    a = allocation
    found = offer if offer is not None else Appraisal.own(a)
    # Whoever can still gain does so with one action, so the curve rises within the dearest one or never again.
    most = a.room + int(found.candidates.slots[found.frontier].max(initial=0))
    program = found.program(most if longest is None else max(a.room, min(most, longest - a.reserve)))
    gain = program.curve[a.room :] - program.curve[a.room]
    pays = np.flatnonzero(gain > a.rounding)
    if pays.size == 0:
        return None
    more = int(pays[0])
    rise = _worth(found, program.choice(a.room + more)) - _worth(found, program.choice(a.room))
    return NextSlot(a.budget + more, float(gain[more]), int(np.argmax(rise)))


def _worth(offer: Appraisal, choice: NDArray[np.int64]) -> NDArray[np.float64]:
    """U of each loop's action, 0 without one, shape (N,)."""
    worth = np.zeros(choice.size)
    worth[choice >= 0] = offer.U[choice[choice >= 0]]
    return worth
