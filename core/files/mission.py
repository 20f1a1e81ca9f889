"""A mission from a file: where every UAV shall be when, checked, and resampled to the control period (D27)."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from core.errors import OwnFileError
from core.files.store import check_size, keep, kept
from core.files.table import Floats, Table, read_table, write_table

WHAT = "mission file"
MAX_UAVS = 1000
MAX_SPEED_MPS = 30.0
"""Nothing here flies faster (upper bound of mission.speed_mps): what seems to is a jump in the file [m/s]."""
MAX_DISTANCE_M = 5000.0
"""Furthest from the origin, east or north [m]."""
MAX_HEIGHT_M = 500.0
MIN_DURATION_S = 1.0
MAX_DURATION_S = 600.0
GUSTS = ("gx", "gy", "gz")
OPTIONAL = ("hotspot", *GUSTS)
ALSO = {"time": "t", "timestamp": "t", "id": "uav", "vehicle_id": "uav", "east": "x", "north": "y", "up": "z"}


@dataclass(frozen=True, eq=False)
class Track:
    """One UAV's part of a mission: rows in the order of time, straight lines between them.

    Args:
        t: time since the start of the mission, increasing, (n,) [s].
        places: east, north, up, (n, 3) [m].
        hotspot: whether it inspects something from this row on, (n,).
        gust: velocity at which the air carries it off, (n, 3) [m/s].
    """

    t: Floats
    places: Floats
    hotspot: NDArray[np.bool_]
    gust: Floats

    @classmethod
    def along(cls, t: Floats, places: Floats) -> Track:
        """A track without hotspots and gusts."""
        return cls(t, places, np.zeros(len(t), dtype=np.bool_), np.zeros((len(t), 3)))


@dataclass(frozen=True, eq=False)
class Mission:
    """The tracks of all UAVs, UAV 1 first."""

    tracks: tuple[Track, ...]

    @property
    def duration_s(self) -> float:
        """When the last track ends [s]."""
        return max(float(track.t[-1]) for track in self.tracks)

    def sampled(self, times: Floats) -> Floats:
        """Positions at some times, (T, N, 3) [m]; a UAV waits where its track begins, and where it ends."""
        found = np.empty((len(times), len(self.tracks), 3))
        for i, track in enumerate(self.tracks):
            for axis in range(3):
                found[:, i, axis] = np.interp(times, track.t, track.places[:, axis])
        return found

    def content(self) -> bytes:
        """The mission as the table that is kept: equal missions have equal content."""
        t, uav, places, hotspot, gust = (
            np.concatenate([np.asarray(part(i, track)) for i, track in enumerate(self.tracks)])
            for part in (
                lambda _, track: track.t,
                lambda i, track: np.full(len(track.t), i + 1),
                lambda _, track: track.places,
                lambda _, track: track.hotspot,
                lambda _, track: track.gust,
            )
        )
        columns = {"t": t, "uav": uav, **{c: places[:, i] for i, c in enumerate("xyz")}}
        if hotspot.any():
            columns["hotspot"] = hotspot
        if gust.any():
            columns |= {c: gust[:, i] for i, c in enumerate(GUSTS)}
        return write_table(columns)


@dataclass(frozen=True)
class MissionReport:
    """What a mission asks for, at one control period.

    Args:
        uavs: number of UAVs.
        duration_s: when the last track ends [s].
        top_speed_mps: largest mean speed of a control period [m/s].
        closest_m: smallest distance of two references at the start of a cycle, inf for one UAV [m].
        closest: the two UAVs that come so near, counted from 1, and when [s]; None for one UAV.
        hotspots, gusts: whether the file has any.
    """

    uavs: int
    duration_s: float
    top_speed_mps: float
    closest_m: float
    closest: tuple[int, int, float] | None
    hotspots: bool
    gusts: bool

    @property
    def words(self) -> str:
        """The report as a sentence or two."""
        near = ""
        if self.closest is not None:
            a, b, when = self.closest
            near = f", closest approach {self.closest_m:.1f} m (UAVs {a} and {b} at {when:.4g} s)"
        what = [w for w, there in (("hotspots", self.hotspots), ("gusts", self.gusts)) if there]
        extra = f"; it has {' and '.join(what)}" if what else "; it has no hotspots and no gusts"
        return (
            f"{self.uavs} UAV{'s' if self.uavs > 1 else ''}, {self.duration_s:.4g} s, top speed "
            f"{self.top_speed_mps:.1f} m/s{near}{extra}."
        )


def mission_from_csv(name: str, content: bytes) -> Mission:
    """The mission of a table with the columns t, uav, x, y, z; see docs/FILES.md."""
    check_size(name, content)
    table = read_table(name, content, ("t", "uav", "x", "y", "z"), OPTIONAL, ALSO)
    number = table["uav"]
    for row in np.flatnonzero((number != np.floor(number)) | (number < 1))[:1]:
        raise table.refuse(row, f"uav = {number[row]:g} must be a whole number from 1 on.")
    N = int(number.max())
    if N > MAX_UAVS:
        raise table.refuse(int(number.argmax()), f"there can be {MAX_UAVS} UAVs at most, and this is UAV {N}.")
    missing = sorted(set(range(1, N + 1)) - {int(i) for i in np.unique(number)})
    if missing:
        raise OwnFileError(f"{name} has UAV {N} but no UAV {missing[0]}; number the UAVs from 1 to N without a gap.")
    gusty = [c for c in GUSTS if c in table]
    if gusty and len(gusty) < 3:
        raise OwnFileError(f"{name} has a column {gusty[0]} but not all of {', '.join(GUSTS)}; give all three or none.")
    start = float(table["t"].min())
    return Mission(tuple(_track(table, np.flatnonzero(number == i), start) for i in range(1, N + 1)))


def _track(table: Table, rows: NDArray[np.int64], start: float) -> Track:
    uav, t = int(table["uav"][rows[0]]), table["t"][rows] - start
    if len(rows) < 2:
        raise table.refuse(rows[0], f"UAV {uav} has a single row; give at least where it starts and where it ends.")
    for i in np.flatnonzero(np.diff(t) <= 0.0)[:1]:
        after, before = table["t"][rows[i + 1]], table["t"][rows[i]]
        why = "again" if after == before else f"after {before:g} s"
        raise table.refuse(
            rows[i + 1], f"UAV {uav} is given at {after:g} s {why}; its rows must go forward in time, each time once."
        )
    places = np.stack([table[c][rows] for c in "xyz"], axis=1)
    off = (np.abs(places[:, :2]) > MAX_DISTANCE_M).any(axis=1) | (places[:, 2] < 0) | (places[:, 2] > MAX_HEIGHT_M)
    for i in np.flatnonzero(off)[:1]:
        x, y, z = places[i]
        raise table.refuse(
            rows[i],
            f"UAV {uav} at ({x:g}, {y:g}, {z:g}) m is out of bounds: east and north within ±{MAX_DISTANCE_M:g} m, height "
            f"from 0 to {MAX_HEIGHT_M:g} m. Coordinates are local metres, not degrees.",
        )
    speed = np.linalg.norm(np.diff(places, axis=0), axis=1) / np.diff(t)
    for i in np.flatnonzero(speed > MAX_SPEED_MPS)[:1]:
        raise table.refuse(
            rows[i + 1],
            f"UAV {uav} would have to fly {speed[i]:.0f} m/s from {table['t'][rows[i]]:g} to {table['t'][rows[i + 1]]:g} s, "
            f"and {MAX_SPEED_MPS:g} m/s is the most; correct the jump or give it more time.",
        )
    if "hotspot" in table:
        for row in rows[~np.isin(table["hotspot"][rows], (0.0, 1.0))][:1]:
            raise table.refuse(int(row), f"hotspot = {table['hotspot'][row]:g} must be 0 or 1.")
    hotspot = table["hotspot"][rows] != 0.0 if "hotspot" in table else np.zeros(len(rows), dtype=np.bool_)
    gust = np.stack([table[c][rows] for c in GUSTS], axis=1) if GUSTS[0] in table else np.zeros((len(rows), 3))
    for i in np.flatnonzero(np.linalg.norm(gust, axis=1) > MAX_SPEED_MPS)[:1]:
        raise table.refuse(rows[i], f"a gust of {np.linalg.norm(gust[i]):.0f} m/s is beyond {MAX_SPEED_MPS:g} m/s.")
    return Track(t, places, hotspot, gust)


def keep_mission(name: str, mission: Mission) -> str:
    """Keep a mission and return the name that a scenario has for it."""
    if mission.duration_s < MIN_DURATION_S:
        raise OwnFileError(
            f"{name} is over after {mission.duration_s:g} s; a mission lasts at least {MIN_DURATION_S:g} s (t is in seconds)."
        )
    return keep(mission.content())


@functools.lru_cache(maxsize=16)
def kept_mission(name: str) -> Mission:
    """A mission that was kept."""
    return mission_from_csv(name, kept(name, WHAT))


@functools.lru_cache(maxsize=64)
def report_of(name: str, Ts: float, cycles: int | None = None) -> MissionReport:
    """What a kept mission asks for.

    Args:
        name: of the kept mission.
        Ts: control period [s].
        cycles: how much of it is flown; None = all of it.
    """
    mission = kept_mission(name)
    count = cycles if cycles is not None else math.ceil(min(mission.duration_s, MAX_DURATION_S) / Ts - 1e-9)
    positions = mission.sampled(Ts * np.arange(count + 1, dtype=np.float64))
    speed = np.linalg.norm(np.diff(positions, axis=0), axis=-1) / Ts
    closest_m, closest = _closest(positions, Ts)
    return MissionReport(
        uavs=len(mission.tracks),
        duration_s=mission.duration_s,
        top_speed_mps=float(speed.max(initial=0.0)),
        closest_m=closest_m,
        closest=closest,
        hotspots=any(track.hotspot.any() for track in mission.tracks),
        gusts=any(track.gust.any() for track in mission.tracks),
    )


def _closest(positions: Floats, Ts: float) -> tuple[float, tuple[int, int, float] | None]:
    best, found = math.inf, None
    for k, swarm in enumerate(positions if positions.shape[1] > 1 else ()):
        distance, other = cKDTree(swarm).query(swarm, k=2)
        i = int(distance[:, 1].argmin())
        if distance[i, 1] < best:
            best = float(distance[i, 1])
            # of UAVs at one place the tree may name either first
            j = int(other[i, 1]) if other[i, 1] != i else int(other[i, 0])
            found = (min(i, j) + 1, max(i, j) + 1, k * Ts)
    return best, found
