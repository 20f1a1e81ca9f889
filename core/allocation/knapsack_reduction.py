"""Which items can be part of an optimum at all: the linear relaxation of P2 bounds every other choice away."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from core.allocation.knapsack_kernels import Items

TOLERANCE = 1e-9
"""An item is dropped only when it loses more than this, relative to the bound."""


def reduce_items(items: Items, budget: int) -> Items:
    r"""Drop every item whose Lagrangian bound is below a feasible value, after Pisinger's core for eq:p2-reduced.

    .. math:: L(\lambda) = \lambda S + \sum_i \max_j (v_{ij} - \lambda c_{ij})

    Any choice that contains item (i, j) is worth at most L(λ) minus the loss of j against the best of its loop at
    price λ per slot. λ is the slope at which the relaxation runs out of slots; the feasible value is greedy.

    Args:
        items: collapsed items of all loops, costs and values rising within each loop.
        budget: S [slots].

    Returns:
        The items that are left, in the same form; every optimum of the original is among them.
    """
    cost, value, index, offsets = items
    slope, step_cost, step_gain, step_loop = _hull_steps(cost, value, offsets)
    order = np.argsort(-slope)
    price, reached = _greedy(slope, step_cost, step_gain, step_loop, order, cost, value, offsets, budget)
    kept: Items = _keep(cost, value, index, offsets, price, reached, budget)
    return kept


@njit(cache=True, nogil=True)
def _hull_steps(
    cost: NDArray[np.int64], value: NDArray[np.float64], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Steps along the upper concave hull of each loop: slope, extra cost, extra value, loop."""
    slope = np.empty(cost.size)
    step_cost = np.empty(cost.size, dtype=np.int64)
    step_gain = np.empty(cost.size)
    step_loop = np.empty(cost.size, dtype=np.int64)
    hull = np.empty(cost.size, dtype=np.int64)
    steps = 0
    for i in range(offsets.size - 1):
        size = 0
        for j in range(offsets[i], offsets[i + 1]):
            while size >= 2:
                a, b = hull[size - 2], hull[size - 1]
                rise = (value[b] - value[a]) * (cost[j] - cost[b])
                if rise > (value[j] - value[b]) * (cost[b] - cost[a]):
                    break
                size -= 1
            hull[size] = j
            size += 1
        for t in range(1, size):
            a, b = hull[t - 1], hull[t]
            step_cost[steps] = cost[b] - cost[a]
            step_gain[steps] = value[b] - value[a]
            slope[steps] = step_gain[steps] / step_cost[steps]
            step_loop[steps] = i
            steps += 1
    return slope[:steps], step_cost[:steps], step_gain[:steps], step_loop[:steps]


@njit(cache=True, nogil=True)
def _greedy(
    slope: NDArray[np.float64],
    step_cost: NDArray[np.int64],
    step_gain: NDArray[np.float64],
    step_loop: NDArray[np.int64],
    order: NDArray[np.int64],
    cost: NDArray[np.int64],
    value: NDArray[np.float64],
    offsets: NDArray[np.int64],
    budget: int,
) -> tuple[float, float]:
    """The price per slot at which the hull steps no longer fit, and the value of a feasible choice."""
    loops = offsets.size - 1
    spent = np.empty(loops, dtype=np.int64)
    closed = np.zeros(loops, dtype=np.bool_)
    left = budget
    reached = 0.0
    for i in range(loops):
        spent[i] = cost[offsets[i]]
        left -= spent[i]
        reached += value[offsets[i]]
    price = 0.0
    for t in order:
        i = step_loop[t]
        if closed[i]:
            continue
        if step_cost[t] <= left:
            left -= step_cost[t]
            reached += step_gain[t]
            spent[i] += step_cost[t]
        else:
            closed[i] = True
            if price == 0.0:
                price = slope[t]
    # Spend what is left on the single best exchange of one loop's item for a dearer one, hull or not.
    best = 0.0
    for i in range(loops):
        here = 0.0
        for j in range(offsets[i], offsets[i + 1]):
            if cost[j] == spent[i]:
                here = value[j]
            elif cost[j] > spent[i] and cost[j] - spent[i] <= left:
                best = max(best, value[j] - here)
    return price, reached + best


@njit(cache=True, nogil=True)
def _keep(
    cost: NDArray[np.int64],
    value: NDArray[np.float64],
    index: NDArray[np.int64],
    offsets: NDArray[np.int64],
    price: float,
    reached: float,
    budget: int,
) -> Items:
    """The items whose bound is not below the value reached."""
    loops = offsets.size - 1
    top = np.empty(loops)
    bound = price * budget
    for i in range(loops):
        top[i] = -np.inf
        for j in range(offsets[i], offsets[i + 1]):
            top[i] = max(top[i], value[j] - price * cost[j])
        bound += top[i]
    gap = bound - reached + TOLERANCE * (1.0 + abs(bound))
    kept_cost = np.empty_like(cost)
    kept_value = np.empty_like(value)
    kept_index = np.empty_like(index)
    kept_offsets = np.zeros_like(offsets)
    kept = 0
    for i in range(loops):
        for j in range(offsets[i], offsets[i + 1]):
            if top[i] - (value[j] - price * cost[j]) <= gap:
                kept_cost[kept], kept_value[kept], kept_index[kept] = cost[j], value[j], index[j]
                kept += 1
        kept_offsets[i + 1] = kept
    return kept_cost[:kept].copy(), kept_value[:kept].copy(), kept_index[:kept].copy(), kept_offsets
