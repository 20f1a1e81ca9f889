"""Compile the kernels before the first cycle needs them."""

from __future__ import annotations

import numpy as np

from core.allocation.frontier import frontier_mask
from core.allocation.knapsack import solve_knapsack_csr
from core.allocation.sufficiency import Compared, sufficient


def warm_up() -> None:
    """Run every kernel of this package once with the types that `allocate` uses (about 0.3 s from the cache)."""
    offsets = np.array([0, 2, 3], dtype=np.int64)
    coords = np.ones((3, 6))
    frontier_mask(coords, offsets, keep=np.ones(3, dtype=np.bool_))
    crowd = np.arange(256.0)  # as many as it takes to be compared by bits, all on the frontier
    frontier_mask(np.column_stack([crowd, -crowd, *np.ones((4, 256))]), np.array([0, 256], dtype=np.int64))
    values, slots = np.array([1.0, 2.0, 1.0]), np.array([1, 2, 1], dtype=np.int64)
    sufficient(Compared(*np.ones((5, 3))), values, slots, offsets, np.ones(3, dtype=np.bool_), 3)
    for curve in (True, False):
        solve_knapsack_csr(values, slots, offsets, 3, curve=curve)
