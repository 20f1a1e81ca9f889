"""Buildings: axis-aligned boxes that links hit or miss (D15), one square building or a user's own (D27)."""

from __future__ import annotations

import functools
from typing import NamedTuple, TypeAlias

import numpy as np
from numba import njit

from core.files.buildings import boxes_of
from core.network.arrays import Bools, Floats, Number, flattened
from core.scenario import Scenario


def building_box(scenario: Scenario, clearance_m: float = 0.0) -> tuple[Floats, Floats] | None:
    """Lower and upper corner of the square building, grown by a clearance, (3,) each [m].

    None when its height is 0, or when the scenario has buildings of its own (`own_boxes`).
    """
    side, height = scenario.mission.building_side_m, scenario.mission.building_height_m
    if height <= 0.0 or scenario.mission.buildings:
        return None
    side, height = side + 2.0 * clearance_m, height + clearance_m
    return np.array([-side / 2, -side / 2, 0.0]), np.array([side / 2, side / 2, height])


def own_boxes(scenario: Scenario, clearance_m: float = 0.0) -> Floats:
    """The user's own boxes, grown by a clearance: two corners [m] and the number of the building, (B, 7).

    Boxes of one building follow each other. Empty, (0, 7), where the scenario has none of its own.
    """
    return _own_boxes(scenario.mission.buildings, float(clearance_m))


@functools.lru_cache(maxsize=64)
def _own_boxes(text: str, c: float) -> Floats:
    rows = [
        (x0 - c, y0 - c, 0.0, x1 + c, y1 + c, height + c, number)
        for number, (x0, y0, x1, y1, height) in boxes_of(text).numbered()
    ]
    found: Floats = np.array(rows, dtype=np.float64).reshape(-1, 7)
    found.flags.writeable = False
    return found


def all_boxes(scenario: Scenario) -> Floats:
    """Every box that stands in the way, two corners each, (B, 6) [m]."""
    square = building_box(scenario)
    return own_boxes(scenario)[:, :6] if square is None else np.concatenate(square)[None]


Point: TypeAlias = tuple[float, float, float]
"""A point, or a corner of the box, as compiled loops pass it on: counting references to arrays would cost more than the box."""


class Obstacle(NamedTuple):
    """The square building as compiled loops see it.

    Attributes:
        stands: False where the scenario has none.
        lo, hi: corners of the box [m].
        wall_db: loss of the two walls a blocked link crosses [dB].
        indoor_db_per_m: loss of every metre inside [dB/m].
    """

    stands: bool
    lo: Point
    hi: Point
    wall_db: float
    indoor_db_per_m: float

    @classmethod
    def of(cls, scenario: Scenario, clearance_m: float = 0.0) -> Obstacle:
        """The building of a scenario, grown by a clearance [m]."""
        net, corners = scenario.network, building_box(scenario, clearance_m)
        lo, hi = corners if corners is not None else (np.zeros(3), np.zeros(3))
        return cls(corners is not None, _point(lo), _point(hi), net.wall_loss_db, net.indoor_loss_db_per_m)


def _point(x: Floats) -> Point:
    return float(x[0]), float(x[1]), float(x[2])


@njit(cache=True, nogil=True)
def hits_box(a: Point, b: Point, lo: Point, hi: Point) -> bool:
    """Whether segment a–b meets the closed box lo–hi; touching counts, as in ns-3's `Box::IsIntersect` (D15).

    Separating axes: the three of the box and their cross products with the segment.

    Args:
        a, b: end points [m].
        lo, hi: corners of the box [m].
    """
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
def inside_box(a: Point, b: Point, lo: Point, hi: Point) -> float:
    """Length of segment a–b inside the box lo–hi, by clipping the segment at the three slabs [m].

    Args:
        a, b: end points [m].
        lo, hi: corners of the box [m].
    """
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


@njit(cache=True, nogil=True)
def box_loss_db(a: Point, b: Point, lo: Point, hi: Point, wall_db: float, indoor_db_per_m: float) -> float:
    """What a link a–b that hits a box pays: walls, unless its building has been paid for, and every metre inside [dB]."""
    loss: float = wall_db + indoor_db_per_m * inside_box(a, b, lo, hi)
    return loss


@njit(cache=True, nogil=True)
def obstacle_loss_db(a: Point, b: Point, obstacle: Obstacle) -> float:
    """What a link a–b that hits the building pays: its walls and every metre inside (D15) [dB]."""
    loss: float = box_loss_db(a, b, obstacle.lo, obstacle.hi, obstacle.wall_db, obstacle.indoor_db_per_m)
    return loss


@njit(cache=True, nogil=True)
def point(points: Floats, m: int) -> Point:
    """Row m of some points, (M, 3) [m]."""
    return points[m, 0], points[m, 1], points[m, 2]


@njit(cache=True, nogil=True)
def _hits(a: Floats, b: Floats, lo: Floats, hi: Floats) -> Bools:
    hit = np.empty(len(a), dtype=np.bool_)
    for m in range(len(a)):
        hit[m] = hits_box(point(a, m), point(b, m), point(lo, m), point(hi, m))
    return hit


@njit(cache=True, nogil=True)
def _inside(a: Floats, b: Floats, lo: Floats, hi: Floats) -> Floats:
    length = np.empty(len(a))
    for m in range(len(a)):
        length[m] = inside_box(point(a, m), point(b, m), point(lo, m), point(hi, m))
    return length


def segment_hits_box(a: Number, b: Number, lo: Number, hi: Number) -> Bools:
    """`hits_box` of many segments.

    Args:
        a, b: end points, (..., 3), broadcast [m].
        lo, hi: corners of the box, (..., 3), broadcast [m].

    Returns:
        Booleans of the broadcast shape without its last axis.
    """
    points, shape = flattened(*(np.asarray(x, dtype=float) for x in (a, b, lo, hi)), last=1)
    hit: Bools = _hits(*points).reshape(shape)[()]
    return hit


def length_inside_box(a: Number, b: Number, lo: Number, hi: Number) -> Floats:
    """`inside_box` of many segments, arguments and shape as in `segment_hits_box` [m]."""
    points, shape = flattened(*(np.asarray(x, dtype=float) for x in (a, b, lo, hi)), last=1)
    length: Floats = _inside(*points).reshape(shape)[()]
    return length
