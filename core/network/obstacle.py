"""The building: an axis-aligned box that links hit or miss (D15)."""

from __future__ import annotations

import numpy as np
from numba import njit

from core.network.arrays import Bools, Floats, Number
from core.scenario import Scenario


def building_box(scenario: Scenario, clearance_m: float = 0.0) -> tuple[Floats, Floats] | None:
    """Lower and upper corner of the building, grown by a clearance, (3,) each [m]; None when its height is 0."""
    side, height = scenario.mission.building_side_m, scenario.mission.building_height_m
    if height <= 0.0:
        return None
    side, height = side + 2.0 * clearance_m, height + clearance_m
    return np.array([-side / 2, -side / 2, 0.0]), np.array([side / 2, side / 2, height])


def segment_hits_box(a: Number, b: Number, lo: Number, hi: Number) -> Bools:
    """Whether segment a–b meets the closed box lo–hi; touching counts, as in ns-3's `Box::IsIntersect` (D15).

    Separating axes: the three of the box and their cross products with the segment.

    Args:
        a, b: end points, (..., 3), broadcast [m].
        lo, hi: corners of the box, (..., 3), broadcast [m].

    Returns:
        Booleans of the broadcast shape without its last axis.
    """
    a, b, lo, hi = (np.asarray(x, dtype=float) for x in (a, b, lo, hi))
    half = 0.5 * (hi - lo)
    centre = lo + half
    mid = 0.5 * ((a - centre) + (b - centre))
    arm = (a - centre) - mid
    reach = np.abs(arm)
    hit = np.all(np.abs(mid) <= half + reach, axis=-1)
    for i, j in ((1, 2), (0, 2), (0, 1)):
        cross = np.abs(mid[..., i] * arm[..., j] - mid[..., j] * arm[..., i])
        hit = hit & (cross <= half[..., i] * reach[..., j] + half[..., j] * reach[..., i])
    result: Bools = hit[()]
    return result


def length_inside_box(a: Number, b: Number, lo: Number, hi: Number) -> Floats:
    """Length of segment a–b inside the box lo–hi, by clipping the segment at the three slabs [m].

    Args:
        a, b: end points, (..., 3), broadcast [m].
        lo, hi: corners of the box, (..., 3), broadcast [m].
    """
    a, b, lo, hi = (np.asarray(x, dtype=float) for x in (a, b, lo, hi))
    a, b, lo, hi = np.broadcast_arrays(a, b, lo, hi)
    along = b - a
    flat = along == 0.0
    step = np.where(flat, 1.0, along)
    outside = flat & ((a < lo) | (a > hi))
    t_lo = np.where(flat, 0.0, (lo - a) / step)
    t_hi = np.where(flat, 1.0, (hi - a) / step)
    enter = np.maximum(np.max(np.minimum(t_lo, t_hi), axis=-1), 0.0)
    leave = np.minimum(np.min(np.maximum(t_lo, t_hi), axis=-1), 1.0)
    share = np.where(np.any(outside, axis=-1), 0.0, np.maximum(leave - enter, 0.0))
    length: Floats = (share * np.linalg.norm(along, axis=-1))[()]
    return length


@njit(cache=True, nogil=True)
def hits_box(a: Floats, b: Floats, lo: Floats, hi: Floats) -> bool:
    """`segment_hits_box` for one segment inside compiled loops."""
    hx, hy, hz = 0.5 * (hi[0] - lo[0]), 0.5 * (hi[1] - lo[1]), 0.5 * (hi[2] - lo[2])
    cx, cy, cz = lo[0] + hx, lo[1] + hy, lo[2] + hz
    mx = 0.5 * ((a[0] - cx) + (b[0] - cx))
    lx = (a[0] - cx) - mx
    rx = abs(lx)
    if abs(mx) > hx + rx:
        return False
    my = 0.5 * ((a[1] - cy) + (b[1] - cy))
    ly = (a[1] - cy) - my
    ry = abs(ly)
    if abs(my) > hy + ry:
        return False
    mz = 0.5 * ((a[2] - cz) + (b[2] - cz))
    lz = (a[2] - cz) - mz
    rz = abs(lz)
    if abs(mz) > hz + rz:
        return False
    if abs(my * lz - mz * ly) > hy * rz + hz * ry:
        return False
    if abs(mx * lz - mz * lx) > hx * rz + hz * rx:
        return False
    apart: bool = abs(mx * ly - my * lx) > hx * ry + hy * rx
    return not apart


@njit(cache=True, nogil=True)
def inside_box(a: Floats, b: Floats, lo: Floats, hi: Floats) -> float:
    """`length_inside_box` for one segment inside compiled loops [m]."""
    enter, leave, square = 0.0, 1.0, 0.0
    for x in range(3):
        along = b[x] - a[x]
        square += along * along
        if along == 0.0:
            if a[x] < lo[x] or a[x] > hi[x]:
                return 0.0
        else:
            t0, t1 = (lo[x] - a[x]) / along, (hi[x] - a[x]) / along
            enter = max(enter, min(t0, t1))
            leave = min(leave, max(t0, t1))
    length: float = max(leave - enter, 0.0) * np.sqrt(square)
    return length
