"""The few frontier actions that P2 can choose, without the rest of the frontier."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from core.twin import Candidates

Floats = NDArray[np.float64]


class Compared(NamedTuple):
    """The coordinates in which actions of one cost are compared, (M,) each."""

    D_ul: Floats
    D_dl: Floats
    T_cert: Floats
    rho_ul: Floats
    rho_dl: Floats


def sufficient_actions(
    candidates: Candidates, U: Floats, admitted: NDArray[np.bool_], budget: int
) -> NDArray[np.bool_]:
    """For each loop and cost the frontier action with the largest value, where that beats every cheaper one, shape (M,).

    P2 over these and P2 over the whole frontier are the same program: equal items, equal curve, equal choice. An action worth
    most among those of its cost, and more than all cheaper ones, is dominated only by one of the same cost and the same value
    (prop:frontier-sufficiency), so these alone are compared, and the first that no other dominates is the one.

    Args:
        candidates: the actions, M rows.
        U: value of each, which must not fall where an action is at least as good in every coordinate, to the last bit: true of
            `exchange_value`, not of B − Φ, shape (M,) [m²].
        admitted: whether each takes part, shape (M,).
        budget: dearer ones are left out [slots].
    """
    compared = Compared(*(getattr(candidates, name) for name in Compared._fields))
    found: NDArray[np.bool_] = sufficient(compared, U, candidates.slots, candidates.offsets, admitted, budget)
    return found


@njit(cache=True, nogil=True)
def _dominates(q: Compared, a: int, b: int) -> bool:
    """Whether action a is at least as good as b, which costs the same, and better in something."""
    D_ul, D_dl, T_cert, rho_ul, rho_dl = q
    as_good = D_ul[a] <= D_ul[b] and D_dl[a] <= D_dl[b] and T_cert[a] <= T_cert[b]
    if not (as_good and rho_ul[a] >= rho_ul[b] and rho_dl[a] >= rho_dl[b]):
        return False
    same_delays = D_ul[a] == D_ul[b] and D_dl[a] == D_dl[b] and T_cert[a] == T_cert[b]
    return not (same_delays and rho_ul[a] == rho_ul[b] and rho_dl[a] == rho_dl[b])


@njit(cache=True, nogil=True)
def sufficient(
    q: Compared,
    U: Floats,
    slots: NDArray[np.int64],
    offsets: NDArray[np.int64],
    admitted: NDArray[np.bool_],
    budget: int,
) -> NDArray[np.bool_]:
    """See `sufficient_actions`."""
    mask = np.zeros(U.size, dtype=np.bool_)
    best, found = np.zeros(budget + 1), np.zeros(budget + 1, dtype=np.bool_)
    equals, room = np.empty(16, dtype=np.int64), 16
    for i in range(offsets.size - 1):
        rows = offsets[i + 1] - offsets[i]
        if rows > room:
            equals, room = np.empty(rows, dtype=np.int64), rows
        low, high = budget + 1, -1
        for m in range(offsets[i], offsets[i + 1]):
            c = slots[m]
            if admitted[m] and c <= budget and U[m] > best[c]:
                best[c] = U[m]
                low, high = min(low, c), max(high, c)
        top = 0.0
        for c in range(low, high + 1):  # what a cheaper action is worth as well is no longer a best
            if best[c] > top:
                top = best[c]
            else:
                best[c] = 0.0
        count = 0
        for m in range(offsets[i], offsets[i + 1]):
            c = slots[m]
            if admitted[m] and c <= budget and U[m] == best[c] and best[c] > 0.0:
                equals[count] = m
                count += 1
        for x in range(count):
            a = equals[x]
            if found[slots[a]]:
                continue
            beaten = False
            for y in range(count):
                b = equals[y]
                if y != x and slots[b] == slots[a] and _dominates(q, b, a):
                    beaten = True
                    break
            if not beaten:
                mask[a] = found[slots[a]] = True
        for c in range(low, high + 1):
            best[c], found[c] = 0.0, False
    return mask
