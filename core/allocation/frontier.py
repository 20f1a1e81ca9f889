"""Certificate-cost dominance: which admitted actions no other action beats, prop:frontier-sufficiency."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from core.errors import ScenarioError
from core.twin import Candidates
from core.wanted import check, pieces

COORDINATES = ("D_ul", "D_dl", "T_cert", "rho_ul", "rho_dl", "slots")
"""Columns of a coordinate array: the certificate q and the slot cost s."""

SIGN = np.array([1.0, 1.0, 1.0, -1.0, -1.0, 1.0])
"""Smaller is better for the delays, the interaction bound and the cost; larger for both delivery guarantees."""

_WEIGHTS = np.array([1.0, 0.97, 0.93, 0.89, 0.86, 0.83])  # unequal, so that swapping directions makes no tie
_CHUNK = 16  # window entries compared at once: four AVX2 registers of float64 per coordinate
_AT_ONCE = 300_000  # candidates compared before somebody asks whether they are still wanted: below a tenth of a second
_CROWD = 192  # a frontier of this many, most of those looked at: from here on each is compared with all by bits
_CROWD_SHARE = 0.9
_MOST_BITS = 8192  # candidates of a loop that are compared by bits: the table takes an eighth of their square [bytes]
_LOOP_STRIDE = 32.0  # more than any weighted sum, infinite coordinates included


def certified_frontier(certificates: ArrayLike, slots: ArrayLike) -> NDArray[np.bool_]:
    r"""Mask of one loop's actions on the certified supply frontier, prop:frontier-sufficiency.

    .. math:: \pi' \triangleright \pi \iff q(\pi') \succeq q(\pi),\ s(\pi') \le s(\pi),\ \text{one strictly}

    Args:
        certificates: D_ul [s], D_dl [s], T_cert [s], rho_ul [-], rho_dl [-] of each action, shape (K, 5).
        slots: slot cost of each action, shape (K,) [slots].

    Returns:
        True where no other action dominates, shape (K,). Equal actions are kept once: the first wins.

    Raises:
        ScenarioError: the shapes are others, or a number is NaN.
    """
    q, cost = np.asarray(certificates, dtype=np.float64), np.asarray(slots, dtype=np.float64)
    if q.size == 0 and cost.size == 0:
        return np.zeros(0, dtype=np.bool_)
    if q.ndim != 2 or q.shape[1] != 5 or cost.shape != q.shape[:1]:
        raise ScenarioError(
            f"certificates of shape {q.shape} with slots of shape {cost.shape} must be (K, 5) with (K,): one row of "
            f"{', '.join(COORDINATES[:5])} and one slot cost per action; transpose or complete them."
        )
    return frontier_mask(np.column_stack([q, cost]), np.array([0, len(q)], dtype=np.int64))


def frontier_mask(
    coords: NDArray[np.float64], offsets: NDArray[np.int64], keep: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """The frontiers of all loops at once, prop:frontier-sufficiency.

    Candidates are visited in the order of their weighted, normalised coordinate sum, so that a dominator is met before
    whatever it dominates, and each is compared with the frontier found so far; where almost everything stays on it, all
    are compared with all, by bits. Algorithm 1 calls this: shapes are trusted, not checked.

    Args:
        coords: columns in the order of COORDINATES with their natural signs, shape (M, 6).
        offsets: loop i owns rows offsets[i]:offsets[i+1], shape (N+1,).
        keep: candidates that take part (the admitted ones), shape (M,); all when None.

    Returns:
        True on the frontier of its loop, shape (M,). Among equal candidates the first in order is kept.
    """
    bounds = np.ascontiguousarray(offsets, dtype=np.int64)
    rows = np.arange(len(coords)) if keep is None else np.flatnonzero(keep)
    mask = np.zeros(len(coords), dtype=np.bool_)
    mine = np.searchsorted(rows, bounds)
    x = _smaller_is_better(np.ascontiguousarray(coords.T), rows)
    check()
    key = _sort_keys(x, mine)
    if np.isnan(key).any():
        raise ScenarioError("A coordinate is NaN; leave an action without a certificate out.")
    loops = len(mine) - 1
    for some in pieces(loops, max(loops * _AT_ONCE // max(len(rows), 1), 1)):
        own = mine[some.start : some.stop + 1]
        part = slice(own[0], own[-1])
        found, crowded = _skyline(x[part], key[part], np.argsort(key[part]), own - own[0])
        mask[rows[part]] = found
        for i in np.flatnonzero(crowded):
            one = slice(own[i], own[i + 1])
            columns = np.ascontiguousarray(x[one].T)
            mask[rows[one]] = _undominated(columns, np.argsort(columns, axis=1))
    return mask


def coordinates(candidates: Candidates, rows: NDArray[np.int64] | slice = slice(None)) -> NDArray[np.float64]:
    """The six coordinates in which actions are compared, natural signs, of some rows or all, shape (rows, 6)."""
    columns = np.empty((len(COORDINATES), candidates.loop[rows].size))
    for column, name in zip(columns, COORDINATES, strict=True):
        column[:] = getattr(candidates, name)[rows]
    return columns.T


def admitted_frontier(candidates: Candidates, admitted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each candidate is on the certified supply frontier of its loop among those admitted, shape (M,)."""
    return frontier_mask(coordinates(candidates), candidates.offsets, keep=admitted)


def dominates(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where a is at least as good as b in all six coordinates (equal counts), natural signs, shapes (..., 6)."""
    result: NDArray[np.bool_] = np.all(np.asarray(a) * SIGN <= np.asarray(b) * SIGN, axis=-1)
    return result


@njit(cache=True, nogil=True)
def _smaller_is_better(columns: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Some rows of the coordinates with their signs turned so that smaller is better, shape (rows, 6)."""
    x = np.empty((rows.size, 6))
    for p in range(rows.size):
        for d in range(6):
            x[p, d] = SIGN[d] * columns[d, rows[p]]
    return x


@njit(cache=True, nogil=True)
def _sort_keys(x: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Loop number times a stride plus the weighted sum of the coordinates, each scaled to [0, 1] over all rows."""
    lo = np.full(6, np.inf)
    hi = np.full(6, -np.inf)
    for p in range(x.shape[0]):
        for d in range(6):
            v = x[p, d]
            if np.isfinite(v):
                lo[d] = min(lo[d], v)
                hi[d] = max(hi[d], v)
    scale = np.zeros(6)
    for d in range(6):
        if hi[d] > lo[d]:
            scale[d] = _WEIGHTS[d] / (hi[d] - lo[d])
        else:
            lo[d] = 0.0
    key = np.empty(x.shape[0])
    for i in range(offsets.size - 1):
        for p in range(offsets[i], offsets[i + 1]):
            total = 0.0
            for d in range(6):
                v = x[p, d]
                if np.isinf(v):
                    total += 2.0 if v > 0.0 else -1.0
                else:
                    total += (v - lo[d]) * scale[d]
            key[p] = _LOOP_STRIDE * i + total
    return key


@njit(cache=True, nogil=True)
def _skyline(
    x: NDArray[np.float64],
    key: NDArray[np.float64],
    order: NDArray[np.int64],
    offsets: NDArray[np.int64],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Sort-filter skyline of each loop; the window is stored by coordinate so that comparisons vectorise.

    Second comes which loops were given up because almost everything is on their frontier.
    """
    widest = 0
    for i in range(offsets.size - 1):
        widest = max(widest, offsets[i + 1] - offsets[i])
    window = np.empty((6, widest))
    w0, w1, w2, w3, w4, w5 = window[0], window[1], window[2], window[3], window[4], window[5]
    member = np.empty(widest, dtype=np.int64)
    mask = np.zeros(x.shape[0], dtype=np.bool_)
    crowded = np.zeros(offsets.size - 1, dtype=np.bool_)
    for i in range(offsets.size - 1):
        size = 0
        recent = 0  # chunk that held the last dominator: neighbours in the order are often beaten by the same one
        run = offsets[i]
        for t in range(offsets[i], offsets[i + 1]):
            if t == run:  # equal keys in order of index, so that the first of equal candidates is met first
                run = t + 1
                while run < offsets[i + 1] and key[order[run]] == key[order[t]]:
                    run += 1
                if run - t > 1:
                    order[t:run].sort()
            p = order[t]
            x0, x1, x2, x3, x4, x5 = x[p, 0], x[p, 1], x[p, 2], x[p, 3], x[p, 4], x[p, 5]
            beaten = False
            if recent >= size:
                recent = 0
            start, first = recent, True
            while start < size:
                hits = 0
                for w in range(start, min(start + _CHUNK, size)):
                    hits |= (
                        (w0[w] <= x0) & (w1[w] <= x1) & (w2[w] <= x2) & (w3[w] <= x3) & (w4[w] <= x4) & (w5[w] <= x5)
                    )
                if hits:
                    beaten = True
                    recent = start
                    break
                start, first = (0 if first else start + _CHUNK), False
                if start == recent:
                    start += _CHUNK
            if beaten:
                continue
            size = _evict(x, key, window, member, mask, size, p)
            w0[size], w1[size], w2[size], w3[size], w4[size], w5[size] = x0, x1, x2, x3, x4, x5
            member[size] = p
            mask[p] = True
            size += 1
            if size == _CROWD and size > _CROWD_SHARE * (t - offsets[i]) and offsets[i + 1] - offsets[i] <= _MOST_BITS:
                crowded[i] = True
                break
    return mask, crowded


@njit(cache=True, nogil=True)
def _undominated(columns: NDArray[np.float64], orders: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The frontier of one loop by bits: bit q of row p stays while q is no worse than p in each coordinate so far.

    Args:
        columns: coordinates, smaller is better, shape (6, K).
        orders: candidates in the order of each coordinate, shape (6, K).
    """
    K = columns.shape[1]
    bit = np.uint64(1) << (np.arange(K).astype(np.uint64) & np.uint64(63))
    no_worse = np.empty((K, (K + 63) // 64), dtype=np.uint64)
    no_worse[:] = ~np.uint64(0)
    for d in range(columns.shape[0]):
        x, order = columns[d], orders[d]
        passed = np.zeros(no_worse.shape[1], dtype=np.uint64)
        end = 0
        for p in order:
            while end < K and x[order[end]] <= x[p]:  # equals too
                passed[order[end] >> 6] |= bit[order[end]]
                end += 1
            for w in range(passed.size):
                no_worse[p, w] &= passed[w]
    mask = np.ones(K, dtype=np.bool_)
    for p in range(K):
        no_worse[p, p >> 6] &= ~bit[p]
        for w in range(no_worse.shape[1]):
            q, left = w << 6, no_worse[p, w]
            while left and mask[p]:
                if left & np.uint64(1):  # of equal candidates the first stays
                    mask[p] = q > p and np.all(columns[:, q] == columns[:, p])
                left >>= np.uint64(1)
                q += 1
    return mask


@njit(cache=True, nogil=True)
def _evict(
    x: NDArray[np.float64],
    key: NDArray[np.float64],
    window: NDArray[np.float64],
    member: NDArray[np.int64],
    mask: NDArray[np.bool_],
    size: int,
    p: int,
) -> int:
    """Drop what p dominates from the window's tail: rounding can give a dominator the key of what it dominates."""
    first = size
    while first > 0 and key[member[first - 1]] == key[p]:
        first -= 1
    left = first
    for w in range(first, size):
        q = member[w]
        no_worse = True
        for d in range(6):
            no_worse = no_worse and x[p, d] <= x[q, d]
        if no_worse:
            mask[q] = False
        else:
            window[:, left] = window[:, w]
            member[left] = q
            left += 1
    return left
