"""Bring a file into a scenario: whatever its format, what comes out is what a scenario field holds (D27)."""

from __future__ import annotations

import os
from pathlib import Path

from core.errors import OwnFileError
from core.files.buildings import BUILDINGS, buildings_from_csv, buildings_text
from core.files.footprints import buildings_from_geojson
from core.files.links import WHAT as LINKS
from core.files.links import keep_links, links_from_csv
from core.files.mission import WHAT as MISSION
from core.files.mission import Mission, keep_mission, mission_from_csv
from core.files.plan import mission_from_plans
from core.files.store import read_path
from core.files.ulog import mission_from_ulogs

MISSIONS = (".csv", ".plan", ".ulg")
"""Files that missions are read from."""
MAX_FILES = 1000
Home = tuple[float, float]
"""Where the ground station stands, east and north [m]: geodetic files are placed around it."""


def bring_mission(path: Path, home: Home) -> str:
    """Read a mission, or a folder with one .plan or .ulg file per UAV, and keep it; returns `mission.file`."""
    if os.path.isdir(path):  # False also for what is no path at all, which read_path refuses in words
        try:
            files = sorted(p for p in path.iterdir() if p.suffix.lower() in (".plan", ".ulg"))
        except OSError as error:
            raise OwnFileError(f"The folder {path.name!r} cannot be read: {error.strerror}.") from error
        if not files:
            raise OwnFileError(f"The folder {path.name!r} has no .plan and no .ulg file; put one per UAV into it.")
        return keep_uploads([(p.name, read_path(p, MISSION)) for p in files[: MAX_FILES + 1]], home)
    return keep_uploads([(path.name, read_path(path, MISSION))], home)


def keep_uploads(files: list[tuple[str, bytes]], home: Home) -> str:
    """Keep the mission of some files given by name and content: one table, or one plan or log per UAV.

    Args:
        files: names and contents, UAV 1 first.
        home: where the ground station stands, east and north [m].
    """
    name = files[0][0] if len(files) == 1 else f"{files[0][0]} … {files[-1][0]}"
    return keep_mission(name, _mission(files, home))


def _mission(files: list[tuple[str, bytes]], home: Home) -> Mission:
    kinds = {Path(name).suffix.lower() for name, _ in files}
    if len(kinds) > 1:
        raise OwnFileError(
            f"One mission cannot be made of {' and '.join(sorted(kinds))} files; bring one kind at a time."
        )
    kind = kinds.pop()
    if kind == ".csv":
        if len(files) > 1:
            raise OwnFileError("A mission is one table for all UAVs; put the rows of all files into one, column uav.")
        return mission_from_csv(*files[0])
    if kind not in MISSIONS:
        raise OwnFileError(f"A mission is read from {', '.join(MISSIONS)}, not from {files[0][0][-60:]!r}.")
    if len(files) > MAX_FILES:
        raise OwnFileError(f"More than {MAX_FILES} files: one per UAV, and there can be {MAX_FILES} UAVs.")
    return mission_from_plans(files, home) if kind == ".plan" else mission_from_ulogs(files, home)


def bring_buildings(path: Path, home: Home) -> str:
    """Read buildings; returns `mission.buildings`."""
    return read_buildings(path.name, read_path(path, "building file"), home)


def read_buildings(name: str, content: bytes, home: Home) -> str:
    """Buildings of a file given by name and content, as the text that a scenario holds."""
    kind = Path(name).suffix.lower()
    if kind not in BUILDINGS:
        raise OwnFileError(f"Buildings are read from {', '.join(BUILDINGS)}, not from {name[-60:]!r}.")
    boxes = buildings_from_csv(name, content) if kind == ".csv" else buildings_from_geojson(name, content, home)
    return buildings_text(boxes)


def bring_links(path: Path, home: Home = (0.0, 0.0)) -> str:
    """Read a link trace and keep it; returns `network.link_trace`. The home does not matter."""
    return keep_links_upload(path.name, read_path(path, LINKS))


def keep_links_upload(name: str, content: bytes) -> str:
    """Keep the link trace of a file given by name and content."""
    if Path(name).suffix.lower() != ".csv":
        raise OwnFileError(f"Recorded links are read from .csv, not from {name[-60:]!r}.")
    return keep_links(links_from_csv(name, content))
