"""Names of the array types that the network stage passes around, and how scalars meet arrays."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Number: TypeAlias = Any
"""A scalar or an array that broadcasts with the other arguments."""


def flattened(*arrays: Number, last: int = 0) -> tuple[list[NDArray[Any]], tuple[int, ...]]:
    """Arrays broadcast together as contiguous vectors for a compiled loop, and the shape to give its result.

    Plain loops instead of numba's own ufuncs: those crashed the process when two of them compiled into one cache.

    Args:
        arrays: numpy arrays or scalars that broadcast.
        last: trailing axes that stay (1 for points, shape (..., 3)).
    """
    together = np.broadcast_arrays(*arrays)
    shape = together[0].shape[: together[0].ndim - last]
    kept = together[0].shape[together[0].ndim - last :]
    return [np.ascontiguousarray(x).reshape(-1, *kept) for x in together], shape
