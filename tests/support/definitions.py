"""The definitions of Section IV written out in plain Python: slow, and what every kernel of core.allocation is tested against."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.allocation.frontier import SIGN


def frontier_by_definition(certificates: ArrayLike, slots: ArrayLike) -> NDArray[np.bool_]:
    """The frontier as prop:frontier-sufficiency defines it: every pair compared, equal actions kept once.

    Args:
        certificates: D_ul [s], D_dl [s], T_cert [s], rho_ul [-], rho_dl [-] of each action, shape (K, 5).
        slots: slot cost of each action, shape (K,) [slots].

    Returns:
        True where no other action dominates and no earlier one is equal, shape (K,).
    """
    x = np.column_stack([certificates, slots]) * SIGN
    mask = np.ones(len(x), dtype=np.bool_)
    for j in range(len(x)):
        for i in range(len(x)):
            no_worse = bool(np.all(x[i] <= x[j]))
            better = bool(np.any(x[i] < x[j]))
            if no_worse and (better or i < j):
                mask[j] = False
    return mask


def knapsack_by_recurrence(
    values: Sequence[ArrayLike],
    slots: Sequence[ArrayLike],
    budget: int,
    *,
    forced: tuple[int, int] | None = None,
) -> tuple[list[int], float, list[float]]:
    r"""P2 by the recurrence as printed, eq:p2-dp-recurrence, with one attaining action stored per state.

    .. math:: F_i(b) = \max_{\pi,\ s_i(\pi) \le b} \{F_{i-1}(b - s_i(\pi)) + U_i(\pi)\}

    Args:
        values: U of each loop's actions, N arrays [W units].
        slots: cost of each loop's actions, N arrays [slots].
        budget: S [slots].
        forced: a loop and the action imposed on it; zero allocation and its other actions are then not available.

    Returns:
        The choice of each loop (-1 = zero allocation), the value, and F_N(b) for b = 0 … S; -inf where the forced
        action does not fit.
    """
    F = [0.0] * (budget + 1)
    stored: list[list[int]] = []
    for i, (U, s) in enumerate(zip(values, slots, strict=True)):
        items = [(j, float(u), int(c)) for j, (u, c) in enumerate(zip(np.asarray(U), np.asarray(s), strict=True))]
        row, attained = list(F), [-1] * (budget + 1)
        if forced is not None and forced[0] == i:
            items, row = [items[forced[1]]], [-np.inf] * (budget + 1)
        for b in range(budget + 1):
            for j, u, c in items:
                if c <= b and F[b - c] + u > row[b]:
                    row[b], attained[b] = F[b - c] + u, j
        F = row
        stored.append(attained)
    b = F.index(F[-1])
    choice = [-1] * len(stored)
    for i in range(len(stored) - 1, -1, -1):
        choice[i] = stored[i][b]
        if choice[i] >= 0:
            b -= int(np.asarray(slots[i])[choice[i]])
    return choice, F[-1], F
