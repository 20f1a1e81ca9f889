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


def prune_options(options: Options) -> Options:
    """Drop every option that another of its loop beats or equals in slots, worst and nominal failure (D17).

    Exact for patterns whose spans equal the direction's slots (ul-first, dl-first): the certificate is monotone in
    these three. Equal options are kept once, the first.

    Args:
        options: one direction, all loops.
    """
    return options.take(_undominated(options.slots, options.failure_worst, options.failure_nominal, options.offsets))
