"""Numba kernels of the knapsack recurrence, eq:p2-dp-recurrence: value rows only, each over the budgets that matter."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Items = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]
"""Collapsed items of all loops: cost, value, flat index (-1 = zero allocation), offsets (N+1,)."""


@njit(cache=True, nogil=True)
def collapse(values: NDArray[np.float64], slots: NDArray[np.int64], offsets: NDArray[np.int64], budget: int) -> Items:
    """Keep per loop the zero allocation and each item worth more than every cheaper one; exact.

    Costs and values of the kept items rise strictly within a loop, and among equals the first item is kept.
    """
    loops = offsets.size - 1
    room = values.size + loops
    cost = np.empty(room, dtype=np.int64)
    value = np.empty(room)
    index = np.empty(room, dtype=np.int64)
    kept_offsets = np.zeros(loops + 1, dtype=np.int64)
    best = np.zeros(budget + 1)
    who = np.full(budget + 1, -1, dtype=np.int64)
    kept = 0
    for i in range(loops):
        low, high = budget + 1, -1
        for j in range(offsets[i], offsets[i + 1]):
            c = slots[j]
            if c <= budget and values[j] > best[c]:
                best[c] = values[j]
                who[c] = j
                low, high = min(low, c), max(high, c)
        top = 0.0
        if low > 0:
            cost[kept], value[kept], index[kept] = 0, 0.0, -1
            kept += 1
        for c in range(low, high + 1):
            if best[c] > top:
                top = best[c]
                cost[kept], value[kept], index[kept] = c, top, who[c]
                kept += 1
            best[c] = 0.0
            who[c] = -1
        kept_offsets[i + 1] = kept
    return cost[:kept].copy(), value[:kept].copy(), index[:kept].copy(), kept_offsets


@njit(cache=True, nogil=True)
def windows(
    cost: NDArray[np.int64], offsets: NDArray[np.int64], budget: int, whole_curve: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Budgets lo[i] … hi[i] at which F_i is needed, shapes (N+1,).

    Above the sum of the largest costs so far F_i is constant, and what the later loops cost at least cannot be
    spent earlier. Without the whole curve, what the later loops cost at most need not be left to them.
    """
    loops = offsets.size - 1
    cheapest_left = 0
    dearest_left = 0
    for i in range(loops):
        cheapest_left += cost[offsets[i]]
        dearest_left += cost[offsets[i + 1] - 1]
    spendable = min(budget, dearest_left)
    lo = np.zeros(loops + 1, dtype=np.int64)
    hi = np.zeros(loops + 1, dtype=np.int64)
    cheapest, dearest = 0, 0
    for i in range(loops):
        cheapest += cost[offsets[i]]
        dearest += cost[offsets[i + 1] - 1]
        cheapest_left -= cost[offsets[i]]
        dearest_left -= cost[offsets[i + 1] - 1]
        lo[i + 1] = cheapest if whole_curve else max(cheapest, spendable - dearest_left)
        hi[i + 1] = min(spendable - cheapest_left, dearest)
    return lo, hi


@njit(cache=True, nogil=True)
def fill_rows(
    cost: NDArray[np.int64],
    value: NDArray[np.float64],
    offsets: NDArray[np.int64],
    lo: NDArray[np.int64],
    hi: NDArray[np.int64],
    row_offsets: NDArray[np.int64],
) -> NDArray[np.float64]:
    """F_i(b) for b = lo[i] … hi[i], all loops in one flat array with row i at row_offsets[i]."""
    rows = np.empty(row_offsets[-1])
    rows[0] = 0.0
    longest = 0
    for i in range(offsets.size - 1):
        longest = max(longest, hi[i + 1] - lo[i] + cost[offsets[i + 1] - 1] + 1)
    padded = np.empty(longest)  # F_{i-1} for every budget an item may leave: -inf below its window, constant above
    for i in range(offsets.size - 1):
        before = rows[row_offsets[i] : row_offsets[i + 1]]
        row = rows[row_offsets[i + 1] : row_offsets[i + 2]]
        first, last = offsets[i], offsets[i + 1] - 1
        pad = cost[last]
        padded[:pad] = -np.inf
        padded[pad : pad + before.size] = before
        zero = pad + lo[i + 1] - lo[i]
        padded[pad + before.size : zero + row.size] = before[before.size - 1]
        row[:] = -np.inf
        for j in range(first, last + 1, 4):  # four items per pass; the last one may be repeated
            j1, j2, j3 = min(j + 1, last), min(j + 2, last), min(j + 3, last)
            v0, v1, v2, v3 = value[j], value[j1], value[j2], value[j3]
            p0, p1 = padded[zero - cost[j] :], padded[zero - cost[j1] :]
            p2, p3 = padded[zero - cost[j2] :], padded[zero - cost[j3] :]
            for b in range(row.size):
                a0, a1, a2, a3 = p0[b] + v0, p1[b] + v1, p2[b] + v2, p3[b] + v3
                a0 = a0 if a0 > a1 else a1
                a2 = a2 if a2 > a3 else a3
                a0 = a0 if a0 > a2 else a2
                row[b] = a0 if a0 > row[b] else row[b]
    return rows


@njit(cache=True, nogil=True)
def backtrack(
    cost: NDArray[np.int64],
    value: NDArray[np.float64],
    index: NDArray[np.int64],
    offsets: NDArray[np.int64],
    lo: NDArray[np.int64],
    hi: NDArray[np.int64],
    row_offsets: NDArray[np.int64],
    rows: NDArray[np.float64],
    budget: int,
) -> NDArray[np.int64]:
    """The flat index each loop chose, found again from the values: the cheapest item that attains F_i(b)."""
    loops = offsets.size - 1
    choice = np.full(loops, -1, dtype=np.int64)
    b = budget
    for i in range(loops - 1, -1, -1):
        b = min(b, hi[i + 1])
        target = rows[row_offsets[i + 1] + b - lo[i + 1]]
        for j in range(offsets[i], offsets[i + 1]):
            left = min(b - cost[j], hi[i])
            if left >= lo[i] and rows[row_offsets[i] + left - lo[i]] + value[j] == target:
                choice[i] = index[j]
                b = left
                break
    return choice
