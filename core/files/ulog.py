"""Missions flown before: PX4 logs (ULog), one per UAV, through the optional package pyulog (D27)."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from core.errors import OwnFileError
from core.files.geodetic import east_north
from core.files.mission import MAX_DISTANCE_M, MAX_DURATION_S, MAX_HEIGHT_M, MAX_SPEED_MPS, Mission, Track
from core.files.store import check_size

MESSAGE = "vehicle_local_position"
STEP_S = 0.1
"""A log has fifty positions a second; ten are as many as any control period needs [s]."""


def mission_from_ulogs(files: list[tuple[str, bytes]], home: tuple[float, float]) -> Mission:
    """The mission of some logs, UAV 1 first; each starts at its own first position.

    Positions are PX4's own estimate (vehicle_local_position: north, east, down). Where a log knows its reference in latitude and
    longitude, all are placed around that of the first log; the ground station stands there.

    Args:
        files: names and contents.
        home: where the ground station stands, east and north [m].
    """
    try:
        from pyulog import ULog  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError as error:
        raise OwnFileError(
            "PX4 logs are read by the package pyulog, which is not installed: pip install 'safe-explorer[px4]', or pip "
            "install pyulog."
        ) from error
    found, origin = [], None
    for name, content in files:
        check_size(name, content)
        data = _positions(name, content, ULog)
        reference = _reference(data)
        origin = origin if origin is not None else reference
        shift = np.array(home)
        if reference is not None and origin is not None:
            shift = shift + east_north(*reference, *origin)
        found.append(_track(name, data, shift))
    return Mission(tuple(found))


class _Bounded(io.BytesIO):
    """A file that is read only so often: in a damaged log pyulog seeks back and reads the same bytes for ever."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self._left = 1000 + len(content)  # a message of a sound log is two reads of a dozen bytes or more

    def read(self, size: int | None = -1) -> bytes:
        self._left -= 1
        if self._left < 0:
            raise RuntimeError("damaged")  # not a ValueError, which pyulog passes over
        return super().read(size)


def _positions(name: str, content: bytes, ulog: Any) -> dict[str, Any]:
    try:
        data: dict[str, Any] = ulog(_Bounded(content), [MESSAGE]).get_dataset(MESSAGE).data
    except (KeyError, IndexError) as error:
        raise OwnFileError(f"{name} has no {MESSAGE}; log the estimated position (SDLOG_PROFILE).") from error
    except Exception as error:  # pyulog raises whatever a damaged file leads it to
        raise OwnFileError(f"{name} is not a PX4 log that pyulog can read ({str(error)[:80]}).") from error
    if not {"timestamp", "x", "y", "z"} <= set(data) or len(data["timestamp"]) < 2:
        raise OwnFileError(f"{name}: its {MESSAGE} has fewer than two positions; use a log of a flight.")
    return data


def _reference(data: dict[str, Any]) -> tuple[float, float] | None:
    """Latitude and longitude of the log's own origin, if it has one [°]."""
    if not {"ref_lat", "ref_lon"} <= set(data):
        return None
    lat, lon = (np.asarray(data[c], dtype=float)[-1] for c in ("ref_lat", "ref_lon"))
    return (float(lat), float(lon)) if np.isfinite([lat, lon]).all() and (lat or lon) else None


def _track(name: str, data: dict[str, Any], shift: Any) -> Track:
    t = (np.asarray(data["timestamp"], dtype=np.int64) - int(data["timestamp"][0])) * 1e-6
    north, east, down = (np.asarray(data[c], dtype=float) for c in "xyz")
    places = np.stack([east + shift[0], north + shift[1], np.maximum(-down, 0.0)], axis=1)
    good = np.isfinite(places).all(axis=1) & (np.diff(t, prepend=-1.0) > 0.0) & (t <= MAX_DURATION_S)
    t, places = t[good], places[good]
    if len(t) < 2 or (np.abs(places[:, :2]) > MAX_DISTANCE_M).any() or (places[:, 2] > MAX_HEIGHT_M).any():
        raise OwnFileError(
            f"{name}: its positions are missing or leave ±{MAX_DISTANCE_M:g} m and 0 to {MAX_HEIGHT_M:g} m; use the log of one flight."
        )
    times = np.append(np.arange(0.0, t[-1], STEP_S), t[-1])
    sampled = np.stack([np.interp(times, t, places[:, i]) for i in range(3)], axis=1)
    speed = np.linalg.norm(np.diff(sampled, axis=0), axis=1) / np.diff(times)
    for i in np.flatnonzero(speed > MAX_SPEED_MPS)[:1]:
        raise OwnFileError(
            f"{name} jumps at {times[i]:.1f} s ({speed[i]:.0f} m/s): the estimator was reset; cut the log after it."
        )
    return Track.along(np.round(times, 6), np.round(sampled, 3))
