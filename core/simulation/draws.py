"""Counter-based random numbers: every draw is a pure function of its key, so no policy can shift another's luck.

A key is (seed, stream, cycle, a, b, c). Each word is absorbed by the finaliser of splitmix64 (Steele, Lea and Flood,
"Fast splittable pseudorandom number generators", 2014), a bijection of 64-bit words with full avalanche.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

MEASUREMENT: Final = 1
"""GNSS noise, by (cycle, UAV, axis): the same sample serves telemetry and the onboard law."""
PROCESS: Final = 2
"""Process noise w(k), by (cycle, UAV, axis)."""
PACKET: Final = 3
"""Luck of one packet attempt, by (cycle, loop and direction, link, attempt)."""
SHADOWING: Final = 4
"""Innovations of the shadowing of all links, by (cycle)."""
GUST: Final = 5
"""Gust of one UAV in one hotspot visit, by (visit, UAV, quantity)."""
START: Final = 6
"""Where on its circuit each flight lane starts, by (lane)."""
LINE_OF_SIGHT: Final = 7
"""Line-of-sight classes of a run."""

INITIAL: Final = 8
"""Error of the estimates a mission starts with, by (UAV, axis)."""
LINK_QUALITY: Final = 9
"""Errors of the link-quality measurements of all links, by (cycle)."""

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2: Final = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(11)


@njit(cache=True, nogil=True, inline="always")
def _absorb(h: np.uint64, word: int) -> np.uint64:
    z = (h ^ np.uint64(word)) + _GOLDEN
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    mixed: np.uint64 = z ^ (z >> _S31)
    return mixed


@njit(cache=True, nogil=True)
def _word(seed: int, stream: int, cycle: int, a: int, b: int, c: int) -> np.uint64:
    h = _absorb(np.uint64(0), seed)
    h = _absorb(h, stream)
    h = _absorb(h, cycle)
    h = _absorb(h, a)
    h = _absorb(h, b)
    last: np.uint64 = _absorb(h, c)
    return last


@njit(cache=True, nogil=True)
def uniform(seed: int, stream: int, cycle: int, a: int = 0, b: int = 0, c: int = 0) -> float:
    """A uniform number in [0, 1) that depends on its key alone.

    Args:
        seed: seed of the run [-].
        stream: one of the stream constants of this module [-].
        cycle: control cycle [-].
        a, b, c: what is drawn: loop, node, link, attempt, axis … [-].
    """
    return float(_word(seed, stream, cycle, a, b, c) >> _S11) * 2.0**-53


@njit(cache=True, nogil=True)
def normal(seed: int, stream: int, cycle: int, a: int = 0, b: int = 0, c: int = 0) -> float:
    """A standard normal number that depends on its key alone (Box–Muller on the key's word and its successor)."""
    h = _word(seed, stream, cycle, a, b, c)
    radius = 1.0 - float(h >> _S11) * 2.0**-53
    angle = float(_absorb(h, 1) >> _S11) * 2.0**-53
    return math.sqrt(-2.0 * math.log(radius)) * math.cos(2.0 * math.pi * angle)


@njit(cache=True, nogil=True)
def normals(seed: int, stream: int, cycle: int, rows: int, columns: int) -> NDArray[np.float64]:
    """Standard normal numbers keyed by (row, column): one row per UAV, one column per axis, (rows, columns)."""
    out = np.empty((rows, columns))
    for i in range(rows):
        for j in range(columns):
            out[i, j] = normal(seed, stream, cycle, i, j, 0)
    return out
