"""P2 as an exact multi-choice knapsack: at most one action per loop within the slot budget, eq:p2-reduced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.allocation.knapsack_arguments import flat_items, row_of_numbers, whole_budget
from core.allocation.knapsack_kernels import Items, backtrack, collapse, fill_rows, windows
from core.allocation.knapsack_reduction import reduce_items
from core.errors import ScenarioError


@dataclass(frozen=True)
class Knapsack:
    """An optimum of P2.

    Attributes:
        choice: chosen item of each loop, -1 = zero allocation, shape (N,). `solve_knapsack` counts items within
            their loop, `solve_knapsack_csr` counts them in the flat arrays.
        value: the total value F_N(budget) [m²].
        curve: F_N(b) for b = 0 … budget, shape (budget+1,); empty when it was not asked for.
        slots_used: slots of the chosen items [slots].
    """

    choice: NDArray[np.int64]
    value: float
    curve: NDArray[np.float64]
    slots_used: int

    @property
    def marginal(self) -> NDArray[np.float64]:
        """What the b-th slot added, F_N(b) − F_N(b−1) for b = 1 … budget, shape (budget,)."""
        return np.diff(self.curve)


@dataclass(frozen=True)
class DynamicProgram:
    """All rows of eq:p2-dp-recurrence up to a budget, from which the optimum of any smaller budget is read off.

    This is Algorithm 1's own way in: arguments are trusted, not checked.
    """

    budget: int
    item_cost: NDArray[np.int64]
    item_value: NDArray[np.float64]
    item_index: NDArray[np.int64]
    item_offsets: NDArray[np.int64]
    lo: NDArray[np.int64]
    hi: NDArray[np.int64]
    row_offsets: NDArray[np.int64]
    rows: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        values: NDArray[np.float64],
        slots: NDArray[np.int64],
        offsets: NDArray[np.int64],
        budget: int,
    ) -> DynamicProgram:
        """Collapse each loop's items and fill every row, arguments as in `solve_knapsack_csr`."""
        return cls._fill(collapse(values, slots, offsets, budget), budget, whole_curve=True)

    @classmethod
    def reduced(
        cls,
        values: NDArray[np.float64],
        slots: NDArray[np.int64],
        offsets: NDArray[np.int64],
        budget: int,
    ) -> DynamicProgram:
        """The same, on the items that can be part of an optimum at exactly this budget."""
        items = reduce_items(collapse(values, slots, offsets, budget), budget)
        return cls._fill(items, budget, whole_curve=False)

    @classmethod
    def _fill(cls, items: Items, budget: int, *, whole_curve: bool) -> DynamicProgram:
        cost, value, index, offsets = items
        lo, hi = windows(cost, offsets, budget, whole_curve)
        row_offsets = np.concatenate([[0], np.cumsum(hi - lo + 1)])
        rows = fill_rows(cost, value, offsets, lo, hi, row_offsets)
        return cls(budget, cost, value, index, offsets, lo, hi, row_offsets, rows)

    @property
    def curve(self) -> NDArray[np.float64]:
        """F_N(b) for b = 0 … budget, shape (budget+1,); only rows of the whole curve have it."""
        last = self.rows[self.row_offsets[-2] : self.row_offsets[-1]]
        curve = np.full(self.budget + 1, last[-1])
        curve[: len(last)] = last
        return curve

    def choice(self, budget: int | None = None) -> NDArray[np.int64]:
        """The optimum within a budget (default: all of it): flat item index of each loop or -1, shape (N,).

        Args:
            budget: slots to spend, 0 … `self.budget`; only rows of the whole curve know less than all of it [slots].
        """
        last = self.rows[self.row_offsets[-2] : self.row_offsets[-1]]
        b = int(self.hi[-1]) if budget is None else min(budget, int(self.hi[-1]))
        # Fewest slots: the smallest budget with the same value.
        b = int(self.lo[-1]) + int(np.searchsorted(last, last[b - int(self.lo[-1])]))
        items = (self.item_cost, self.item_value, self.item_index, self.item_offsets)
        choice: NDArray[np.int64] = backtrack(*items, self.lo, self.hi, self.row_offsets, self.rows, b)
        return choice


def solve_knapsack(values: Sequence[ArrayLike], slots: Sequence[ArrayLike], budget: int) -> Knapsack:
    r"""Solve P2 exactly for lists of arrays, eq:p2-reduced.

    .. math:: \max \sum_i U_i(\pi_i) \quad\text{s.t.}\quad \sum_i s_i(\pi_i) \le S

    Args:
        values: U of each loop's actions, N rows [W units]; -inf = not available. Zero allocation is worth 0 and
            always available.
        slots: slot cost of each loop's actions, N rows of whole numbers ≥ 0 [slots].
        budget: S, a whole number ≥ 0 [slots].

    Returns:
        The optimum with the whole curve. Ties go to fewer slots, then to earlier loops, then to the earlier item.

    Raises:
        ScenarioError: an argument is none of this; the message says which and what to change.
    """
    if len(values) != len(slots):
        raise ScenarioError(f"values has {len(values)} loops but slots has {len(slots)}; give both for each loop.")
    v = [row_of_numbers(x, f"values of loop {i}") for i, x in enumerate(values)]
    s = [row_of_numbers(x, f"slots of loop {i}") for i, x in enumerate(slots)]
    sizes = np.array([len(x) for x in v], dtype=np.int64)
    for i, x in enumerate(s):
        if len(x) != sizes[i]:
            raise ScenarioError(f"Loop {i} has {sizes[i]} values but {len(x)} slot costs; give one cost per value.")
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    flat_v = np.concatenate(v) if v else np.empty(0)
    flat_s = np.concatenate(s) if s else np.empty(0, dtype=np.int64)
    flat = solve_knapsack_csr(flat_v, flat_s, offsets, budget)
    choice = np.where(flat.choice >= 0, flat.choice - offsets[:-1], -1)
    return Knapsack(choice, flat.value, flat.curve, flat.slots_used)


def solve_knapsack_csr(
    values: NDArray[np.float64],
    slots: NDArray[np.int64],
    offsets: NDArray[np.int64],
    budget: int,
    *,
    curve: bool = True,
) -> Knapsack:
    """Solve P2 exactly for flat arrays of all loops, eq:p2-reduced and eq:p2-dp-recurrence.

    Args:
        values: U of each item, shape (M,) [W units]; items not above 0 (also -inf: not available) are never chosen.
        slots: cost of each item, whole numbers ≥ 0, shape (M,) [slots].
        offsets: loop i owns items offsets[i]:offsets[i+1], shape (N+1,).
        budget: S, a whole number ≥ 0 [slots].
        curve: whether F_N(b) is wanted for every b. Without it the instance is first reduced to the items that can
            be in an optimum (Pisinger's core); the value is the same, a tie may be broken differently.

    Returns:
        The optimum; `choice` holds flat indices.

    Raises:
        ScenarioError: an argument is none of this; the message says which and what to change.
    """
    v, s, bounds = flat_items(values, slots, offsets)
    build = DynamicProgram.of if curve else DynamicProgram.reduced
    program = build(v, s, bounds, whole_budget(budget))
    choice = program.choice()
    return Knapsack(
        choice=choice,
        value=float(program.rows[-1]),
        curve=program.curve if curve else np.empty(0),
        slots_used=int(s[choice[choice >= 0]].sum()),
    )
