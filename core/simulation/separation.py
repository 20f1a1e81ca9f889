"""How close the UAVs come to each other."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def nearest_distances(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distance of every UAV to its nearest neighbour, inf for a single UAV, (N,) [m].

    Args:
        p: positions, (N, 3) [m].
    """
    n = len(p)
    nearest = np.full(n, math.inf)
    for i in range(n):
        for j in range(i + 1, n):
            d = (p[i, 0] - p[j, 0]) ** 2 + (p[i, 1] - p[j, 1]) ** 2 + (p[i, 2] - p[j, 2]) ** 2
            if d < nearest[i]:
                nearest[i] = d
            if d < nearest[j]:
                nearest[j] = d
    out: NDArray[np.float64] = np.sqrt(nearest)
    return out
