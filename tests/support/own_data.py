"""Small files of the kinds that users bring."""

import json

HOME = (47.397742, 8.545594, 488.0)
"""Latitude, longitude, altitude."""


def mission_csv(uavs: int = 3, seconds: int = 8, speed: float = 8.0, extra: str = "") -> bytes:
    """UAVs that fly east side by side, one row a second."""
    heading = "t,uav,x,y,z" + (",hotspot,gx,gy,gz" if extra else "")
    rows = [
        f"{t},{i + 1},{-90 + speed * t},{-70 + 18 * i},{72 + 6 * i}{extra}"
        for i in range(uavs)
        for t in range(seconds + 1)
    ]
    return ("\n".join([heading, *rows]) + "\n").encode()


def plan_item(command: int, params: list, frame: int = 3) -> dict:
    return {"type": "SimpleItem", "command": command, "frame": frame, "params": params, "autoContinue": True}


def plan(east_deg: float = 0.0, north_deg: float = 0.0, altitude: float = 60.0, **changes) -> bytes:
    """Take-off, two legs with a wait between them, return."""
    lat, lon = HOME[0] + north_deg, HOME[1] + east_deg
    mission = {
        "hoverSpeed": 5,
        "plannedHomePosition": list(HOME),
        "items": [
            plan_item(22, [15, 0, 0, None, lat, lon, altitude]),
            plan_item(178, [1, 8, -1, 0, 0, 0, 0], 2),
            plan_item(16, [2, 0, 0, None, lat + 0.0003, lon, altitude]),
            plan_item(16, [0, 0, 0, None, lat + 0.0003, lon + 0.0004, altitude + 5]),
            plan_item(20, [0, 0, 0, 0, 0, 0, 0], 2),
        ],
    }
    return json.dumps({"fileType": "Plan", "version": 1, "mission": mission | changes}).encode()


def geojson(*features: dict, home: bool = True) -> bytes:
    point = {
        "type": "Feature",
        "properties": {"name": "home"},
        "geometry": {"type": "Point", "coordinates": [HOME[1], HOME[0]]},
    }
    return json.dumps({"type": "FeatureCollection", "features": [*([point] if home else []), *features]}).encode()


def footprint(corners: list, **properties) -> dict:
    ring = [[HOME[1] + x, HOME[0] + y] for x, y in corners]
    return {
        "type": "Feature",
        "properties": properties,
        "geometry": {"type": "Polygon", "coordinates": [[*ring, ring[0]]]},
    }
