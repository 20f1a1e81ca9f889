"""Directional pre-pruning: dominated options of one direction leave before the product is formed (D17)."""

from __future__ import annotations

import numpy as np
from numba import njit

from core.network.arrays import Bools, Floats, Ints
from core.network.options import Options


@njit(cache=True, nogil=True)
def _undominated(slots: Ints, worst: Floats, nominal: Floats, offsets: Ints) -> Bools:
    keep = np.ones(len(slots), dtype=np.bool_)
    for i in range(len(offsets) - 1):
        for a in range(offsets[i], offsets[i + 1]):
            for b in range(offsets[i], offsets[i + 1]):
                if slots[b] <= slots[a] and worst[b] <= worst[a] and nominal[b] <= nominal[a]:
                    same = slots[b] == slots[a] and worst[b] == worst[a] and nominal[b] == nominal[a]
                    if not same or b < a:
                        keep[a] = False
                        break
    return keep


def prune_options(options: Options, bounded: Bools | None = None) -> Options:
    """Drop every option that another of its loop beats or equals in slots, worst and nominal failure (D17).

    Exact for patterns whose spans equal the direction's slots (ul-first, dl-first): the certificate is monotone in
    these three. Equal options are kept once, the first.

    Args:
        options: one direction, all loops.
        bounded: whether the route of each option has a margin, (M,); None = all. Without one an option cannot be
            certified, so it never beats one that has it.
    """
    worst = options.failure_worst if bounded is None else np.where(bounded, options.failure_worst, np.inf)
    return options.take(_undominated(options.slots, worst, options.failure_nominal, options.offsets))
