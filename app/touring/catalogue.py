"""Which tours there are: the shipped ones, and those of a teacher's folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from app.touring.reader import TourError, read_tour
from app.touring.tour import Scenery, Tour
from core.folders import DATA

FOLDER = "SAFE_EXPLORER_TOURS"
"""Names the folder of a teacher's own tours."""


def tour_files() -> dict[str, Path]:
    """Files of all tours by name, the shipped ones first; a shipped name stands for the shipped tour."""
    own = os.environ.get(FOLDER)
    folders = [DATA / "tours", *([Path(own)] if own else [])]
    found: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.yaml")):
            found.setdefault(path.stem, path)
    return found


def tour(name: str, scenery: Mapping[str, Scenery]) -> Tour:
    """A tour by name; TourError when there is none, or what is wrong with its file.

    Args:
        name: as a link says it.
        scenery: what each tab offers, by its name in links.
    """
    files = tour_files()
    if name not in files:
        raise TourError(f"There is no such tour; there are {', '.join(files)}.")
    path = files[name]
    try:
        changed = path.stat().st_mtime_ns
    except OSError as error:
        raise TourError(f"{path.name} cannot be read: {error.strerror or error}.") from error
    key = path, changed
    if key not in _READ:
        _READ[key] = read_tour(path, scenery)
        while len(_READ) > MOST_KEPT:
            _READ.pop(next(iter(_READ)))
    return _READ[key]


_READ: dict[tuple[Path, int], Tour] = {}
MOST_KEPT = 32
"""Tours that are kept read: a file is read again when it has changed."""
