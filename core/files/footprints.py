"""Building footprints from GeoJSON: rectangles as they are, other polygons covered by strips (D27)."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import OwnFileError
from core.files.buildings import Box, Boxes, boxes_of, buildings_text
from core.files.geodetic import east_north
from core.files.store import check_size
from core.files.table import decoded

Floats = NDArray[np.float64]
STRIPS = 8
"""Strips that cover a polygon which is no rectangle along east and north."""
THIN_M = 4.0
"""No strip is thinner than this [m]."""
FULL = 0.98
"""A footprint that fills this share of its bounding box is taken as the box."""
HEIGHTS = ("height", "building:height", "height_m", "render_height")
STOREYS = ("building:levels", "levels")
STOREY_M = 3.0
MAX_POINTS = 2000


def buildings_from_geojson(name: str, content: bytes, home: tuple[float, float]) -> Boxes:
    """Boxes that cover the polygons of a FeatureCollection, each with a height.

    Coordinates are longitude and latitude (RFC 7946). A point with the property name "home" is the ground station: all places
    are east and north of it (`core.files.geodetic`).

    Args:
        name: of the file, for messages.
        content: of the file.
        home: where the ground station stands, east and north [m].
    """
    check_size(name, content)
    try:
        found = json.loads(decoded(name, content))
    except (json.JSONDecodeError, RecursionError) as error:
        raise OwnFileError(f"{name} is not JSON; export the footprints as GeoJSON again.") from error
    features = found.get("features") if isinstance(found, dict) else None
    if not isinstance(features, list) or not all(isinstance(f, dict) for f in features):
        raise OwnFileError(f"{name} is not a GeoJSON FeatureCollection; export the footprints as one.")
    origin = _origin(name, features)
    buildings = []
    for number, feature in enumerate(features, 1):
        shape = feature.get("geometry") or {}
        kind = shape.get("type") if isinstance(shape, dict) else None
        if kind == "Point":
            continue
        if kind not in ("Polygon", "MultiPolygon"):
            raise OwnFileError(f"{name}, feature {number} is a {str(kind)[:40]}; a building is a Polygon.")
        where = f"{name}, feature {number}"
        height = _height(where, feature.get("properties"))
        polygons = shape.get("coordinates") if kind == "MultiPolygon" else [shape.get("coordinates")]
        parts: list[Box] = []
        for polygon in polygons if isinstance(polygons, list) else []:
            ring = _ring(where, polygon)
            parts += _cover(where, east_north(ring[:, 1], ring[:, 0], *origin) + np.array(home), height)
        buildings.append(tuple(parts))
    if not any(buildings):
        raise OwnFileError(f"{name} has no polygon; a building is a Polygon with a property height.")
    return boxes_of(buildings_text(Boxes(tuple(b for b in buildings if b))))


def _origin(name: str, features: list[dict[str, Any]]) -> tuple[float, float]:
    """Latitude and longitude of the point named home [°]."""
    for feature in features:
        shape, about = feature.get("geometry"), feature.get("properties")
        if isinstance(shape, dict) and shape.get("type") == "Point" and isinstance(about, dict):
            if str(about.get("name", "")).lower() not in ("home", "gcs"):
                continue
            lon, lat = _position(f"{name}, the point {about['name']!r}", shape.get("coordinates"))
            return lat, lon
    raise OwnFileError(
        f'{name} does not say where the ground station is; add a Point with the property "name": "home" (longitude, latitude).'
    )


def _position(where: str, value: Any) -> tuple[float, float]:
    good = isinstance(value, list) and len(value) >= 2
    if not good or not all(type(x) in (int, float) and math.isfinite(x) for x in value[:2]):
        raise OwnFileError(f"{where}: {str(value)[:40]!r} is not a longitude and a latitude.")
    lon, lat = float(value[0]), float(value[1])
    if abs(lon) > 180 or abs(lat) > 90:
        raise OwnFileError(
            f"{where}: ({lon:g}, {lat:g}) is not a longitude and a latitude in degrees; GeoJSON has no metres."
        )
    return lon, lat


def _height(where: str, about: Any) -> float:
    properties = about if isinstance(about, dict) else {}
    for key, scale in (*((k, 1.0) for k in HEIGHTS), *((k, STOREY_M) for k in STOREYS)):
        if (value := properties.get(key)) is not None:
            try:
                height = float(str(value).removesuffix("m").strip()) * scale
            except ValueError:
                height = math.nan
            if not 0 < height <= 1000:
                raise OwnFileError(f"{where}: {key} = {str(value)[:40]!r} is not a height in metres.")
            return height
    raise OwnFileError(f"{where} has no height; give it a property height [m] (or building:levels).")


def _ring(where: str, polygon: Any) -> Floats:
    """Outer edge of a polygon, longitude and latitude, (n, 2); courtyards count as built."""
    ring = polygon[0] if isinstance(polygon, list) and polygon else None
    if not isinstance(ring, list) or not 4 <= len(ring) <= MAX_POINTS:
        raise OwnFileError(f"{where}: a polygon needs a closed ring of 4 to {MAX_POINTS} positions.")
    found = np.array([_position(where, p) for p in ring])
    if not np.array_equal(found[0], found[-1]):
        raise OwnFileError(f"{where}: its ring does not end where it begins; repeat the first position at the end.")
    return found[:-1]


def _cover(where: str, corners: Floats, height: float) -> list[Box]:
    """Boxes that cover a polygon: itself where it is a rectangle along the axes, else strips from south to north."""
    (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
    x, y = corners.T
    area = abs(float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))) / 2
    if area < 1.0:
        raise OwnFileError(
            f"{where} covers {area:.2g} m²; a building needs at least 1 m² (are the positions in degrees?)."
        )
    count = 1 if area >= FULL * (x1 - x0) * (y1 - y0) else max(1, min(STRIPS, int((y1 - y0) / THIN_M)))
    edges = np.linspace(y0, y1, count + 1)
    found = []
    for low, high in itertools.pairwise(edges):
        inside = _clipped(_clipped(corners, float(low), 1.0), float(high), -1.0)
        if len(inside):
            found.append((float(inside[:, 0].min()), float(low), float(inside[:, 0].max()), float(high), height))
    return [box for box in found if round(box[0], 2) < round(box[2], 2) and round(box[1], 2) < round(box[3], 2)]


def _clipped(corners: Floats, at: float, side: float) -> Floats:
    """The part of a polygon with side·(y − at) ≥ 0 (Sutherland and Hodgman)."""
    found = []
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        da, db = side * (a[1] - at), side * (b[1] - at)
        if da >= 0.0:
            found.append(a)
        if (da > 0.0 > db) or (da < 0.0 < db):
            found.append(a + (b - a) * (da / (da - db)))
    return np.array(found)
