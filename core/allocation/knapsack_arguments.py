"""What the public solvers accept: whole slots, values that can be added up, items that belong to one loop each."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import ScenarioError

_LARGEST = 2**53
"""Largest slot cost that a float holds exactly."""


def whole_budget(budget: float) -> int:
    """The slot budget as an int; refused unless it is a whole number ≥ 0 [slots]."""
    try:
        whole = operator.index(budget)  # type: ignore[arg-type]
    except TypeError:
        whole = int(budget) if isinstance(budget, float) and budget.is_integer() else -1
    if whole < 0:
        raise ScenarioError(f"budget = {budget!r} must be a whole number of slots, 0 or more.")
    return whole


def row_of_numbers(x: ArrayLike, name: str) -> NDArray[Any]:
    """A one-dimensional array of real numbers; anything else is refused under the name of the argument."""
    try:
        row = np.asarray(x)
    except ValueError as error:
        raise ScenarioError(f"{name} must be one row of numbers, but its entries have different lengths.") from error
    if row.ndim != 1:
        raise ScenarioError(f"{name} must be one row of numbers, not an array of shape {row.shape}.")
    if row.dtype.kind not in "iufb":
        raise ScenarioError(f"{name} must hold numbers, not {row.dtype}.")
    return row


def flat_items(
    values: ArrayLike, slots: ArrayLike, offsets: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Values, costs and offsets of all loops in the types of the kernels, which trust them.

    Args:
        values: U of each item, shape (M,) [W units]; finite, or -inf for an item that is not available.
        slots: cost of each item, shape (M,), whole numbers ≥ 0 [slots].
        offsets: loop i owns items offsets[i]:offsets[i+1], shape (N+1,), from 0 up to M.
    """
    v = np.ascontiguousarray(row_of_numbers(values, "values"), dtype=np.float64)
    given, bounds = row_of_numbers(slots, "slots"), row_of_numbers(offsets, "offsets")
    if v.size != given.size:
        raise ScenarioError(f"There are {v.size} values but {given.size} slot costs; give one cost per value.")
    if bounds.dtype.kind not in "iu" or bounds.size == 0 or bounds[0] != 0 or bounds[-1] != v.size:
        raise ScenarioError(
            f"offsets must be whole numbers that begin with 0 and end with {v.size}, the number of items."
        )
    if not (bounds[1:] >= bounds[:-1]).all():
        raise ScenarioError("offsets must not fall: loop i owns the items from offsets[i] up to offsets[i+1].")
    if not v.max(initial=-np.inf) < np.inf:  # the largest of anything and NaN is NaN
        at = int(np.flatnonzero(~(v < np.inf))[0])
        advice = "give a finite number, or -inf for an action that is not available"
        raise ScenarioError(f"{_item(bounds, at)} has the value {v[at]}; {advice}.")
    exact = given.dtype.kind != "f" or bool(np.all((given == np.floor(given)) & (given <= _LARGEST)))
    s = np.ascontiguousarray(given, dtype=np.int64) if exact else None
    if s is None or s.min(initial=0) < 0:
        at = int(np.flatnonzero(~((given >= 0) & (given <= _LARGEST) & (given == np.floor(given))))[0])
        raise ScenarioError(f"{_item(bounds, at)} costs {given[at]} slots; give a whole number, 0 or more.")
    return v, s, np.ascontiguousarray(bounds, dtype=np.int64)


def _item(offsets: NDArray[Any], at: int) -> str:
    loop = int(np.searchsorted(offsets, at, side="right")) - 1
    return f"Item {at - int(offsets[loop])} of loop {loop}"
