"""Missions planned in QGroundControl: one .plan file per UAV, flown at the planned speed (D27)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from core.errors import OwnFileError
from core.files.geodetic import east_north
from core.files.mission import MAX_DISTANCE_M, MAX_HEIGHT_M, MAX_SPEED_MPS, Mission, Track
from core.files.store import check_size
from core.files.table import decoded

WAYPOINT, LOITER_TIME, RETURN, LAND, TAKEOFF, SPEED = 16, 19, 20, 21, 22, 178
"""MAV_CMD numbers that decide where a UAV is when; all others (camera, yaw, region of interest …) are passed over."""
PLACES = (WAYPOINT, LOITER_TIME, TAKEOFF, 17, 18, 31, 82)
"""Commands with a position: way points, loiters, take-off, spline way point."""
ENDS = (RETURN, LAND, 85)
"""What follows return and landing is not flown: all UAVs would meet at home."""
ABSOLUTE, RELATIVE = (0, 5), (3, 6, 10, 11)
"""MAV_FRAME numbers: altitude above sea level, or above home (or above the ground, which is taken to be as high)."""
MAX_ITEMS = 20_000
MAX_BYTES = 8_000_000


def mission_from_plans(files: list[tuple[str, bytes]], home: tuple[float, float]) -> Mission:
    """The mission of some plans, UAV 1 first; all start together.

    Places are east and north of the first plan's home (`core.files.geodetic`), which is where the ground station stands.

    Args:
        files: names and contents.
        home: where the ground station stands, east and north [m].
    """
    plans = [(name, _read(name, content)) for name, content in files]
    origin = _home(*plans[0])
    return Mission(tuple(_track(name, plan, origin, np.array(home)) for name, plan in plans))


def _read(name: str, content: bytes) -> dict[str, Any]:
    check_size(name, content)
    if len(content) > MAX_BYTES:
        raise OwnFileError(f"{name} has {len(content) / 1e6:.0f} MB; a plan has {MAX_BYTES / 1e6:.0f} MB at most.")
    try:
        plan = json.loads(decoded(name, content))
    except (json.JSONDecodeError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise OwnFileError(f"{name} is not JSON{where}; save the plan again in QGroundControl.") from error
    if not isinstance(plan, dict) or plan.get("fileType") != "Plan" or not isinstance(plan.get("mission"), dict):
        raise OwnFileError(
            f"{name} is not a QGroundControl plan (no fileType 'Plan' with a mission); save it as .plan."
        )
    if not isinstance(plan["mission"].get("items"), list):
        raise OwnFileError(f"{name}: its mission has no list of items; save the plan again in QGroundControl.")
    mission: dict[str, Any] = plan["mission"]
    return mission


def _home(name: str, mission: dict[str, Any]) -> tuple[float, float, float]:
    place = mission.get("plannedHomePosition")
    numbers = [_finite(x) for x in place] if isinstance(place, list) else []
    if (
        len(numbers) < 2
        or any(x is None for x in numbers[:2])
        or abs(numbers[0] or 0) > 90
        or abs(numbers[1] or 0) > 180
    ):
        raise OwnFileError(
            f"{name} has no plannedHomePosition of latitude, longitude and altitude; set the home position."
        )
    altitude = numbers[2] if len(numbers) > 2 and numbers[2] is not None else 0.0
    return float(numbers[0] or 0.0), float(numbers[1] or 0.0), float(altitude)


def _finite(value: Any) -> float | None:
    return (
        float(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        else None
    )


def _items(name: str, items: list[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Simple items with their number; a survey is the simple items it was made into."""
    for number, item in enumerate(items, 1):
        if not isinstance(item, dict):
            raise OwnFileError(f"{name}, item {number} is not a mission item; save the plan again in QGroundControl.")
        if item.get("type") == "ComplexItem":
            inside = next((v.get("Items") for v in item.values() if isinstance(v, dict) and "Items" in v), None)
            if not isinstance(inside, list):
                kind = str(item.get("complexItemType"))[:40]
                raise OwnFileError(
                    f"{name}, item {number}: a {kind!r} has no way points in the file; use way points instead."
                )
            for part in inside:
                if isinstance(part, dict):
                    yield number, part
        else:
            yield number, item


def _track(name: str, mission: dict[str, Any], origin: tuple[float, float, float], shift: Any) -> Track:
    speed = _finite(mission.get("hoverSpeed")) or _finite(mission.get("cruiseSpeed")) or 5.0
    t, times, places = 0.0, list[float](), list[Any]()
    for count, (number, item) in enumerate(_items(name, mission["items"])):
        params = [_finite(x) for x in item.get("params", [])] if isinstance(item.get("params"), list) else []
        params += [None] * (7 - len(params))
        command = item.get("command")
        if command in ENDS:
            break
        if count >= MAX_ITEMS:
            raise OwnFileError(f"{name} has more than {MAX_ITEMS} items; shorten the mission.")
        if command == SPEED and params[1] is not None and params[1] > 0:
            speed = params[1]
        if not 0 < speed <= MAX_SPEED_MPS:
            raise OwnFileError(
                f"{name}, item {number}: a speed of {speed:g} m/s; plan with 0 to {MAX_SPEED_MPS:g} m/s."
            )
        if command not in PLACES:
            continue
        place = _place(name, number, item, params, origin, shift, command == TAKEOFF)
        if places:
            t += max(float(np.linalg.norm(place - places[-1])) / speed, 0.0)
        if not places or t > times[-1]:
            times.append(t)
            places.append(place)
        hold = params[0] if command in (WAYPOINT, LOITER_TIME) and params[0] is not None else 0.0
        if hold > 0:
            t += hold
            times.append(t)
            places.append(place)
    if len(places) < 2:
        raise OwnFileError(
            f"{name} has {len(places)} place(s) to fly to before it returns or lands; plan at least two."
        )
    return Track.along(np.array(times), np.array(places))


def _place(
    name: str,
    number: int,
    item: dict[str, Any],
    params: list[float | None],
    origin: tuple[float, float, float],
    shift: Any,
    at_home: bool,
) -> Any:
    lat, lon, up = params[4:7]
    if at_home and not (lat and lon):
        lat, lon = origin[:2]
    if lat is None or lon is None or up is None or abs(lat) > 90 or abs(lon) > 180:
        raise OwnFileError(
            f"{name}, item {number} has no latitude, longitude and altitude; set them in QGroundControl."
        )
    frame = item.get("frame")
    if frame not in (*ABSOLUTE, *RELATIVE):
        raise OwnFileError(
            f"{name}, item {number}: frame {frame!r} is not known; use altitudes above home or sea level."
        )
    x, y = east_north(lat, lon, origin[0], origin[1]) + shift
    z = up - origin[2] if frame in ABSOLUTE else up
    if max(abs(x), abs(y)) > MAX_DISTANCE_M or not 0 <= z <= MAX_HEIGHT_M:
        raise OwnFileError(
            f"{name}, item {number} lies {x:.0f} m east and {y:.0f} m north of the origin, {z:.0f} m high; places must be within "
            f"±{MAX_DISTANCE_M:g} m and 0 to {MAX_HEIGHT_M:g} m. The home position is where the ground station stands."
        )
    return np.round([x, y, z], 3)
