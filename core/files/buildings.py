"""Own buildings: boxes that stand on the ground, as text that a scenario and a link can hold (D15, D27)."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import OwnFileError
from core.files.store import check_size
from core.files.table import read_table

Box = tuple[float, float, float, float, float]
"""West, south, east, north edge and height [m]."""

BUILDINGS = (".csv", ".geojson", ".json")
"""Files that buildings are read from."""
MOST_BOXES = 60
"""Boxes of a scenario: every link is tested against all of them."""
MAX_HEIGHT_M = 1000.0
MAX_DISTANCE_M = 10_000.0
EXAMPLE = "'-30 -30 30 30 90; 60 -20 90 20 40' (west south east north height, in metres)"
SIDES = ("x_min", "y_min", "x_max", "y_max", "height")
ALSO = {"west": "x_min", "south": "y_min", "east": "x_max", "north": "y_max", "height_m": "height"}


@dataclass(frozen=True)
class Boxes:
    """Buildings of one or more boxes each; a link that crosses several boxes of a building pays its walls once."""

    buildings: tuple[tuple[Box, ...], ...]

    @classmethod
    def of_lists(cls, value: Any) -> Boxes:
        """From a list with five numbers for every building."""
        if not isinstance(value, Sequence) or not all(isinstance(row, Sequence) and len(row) == 5 for row in value):
            raise OwnFileError(f"buildings must be text such as {EXAMPLE}, or a list of five numbers each.")
        return cls(tuple((_box(f"building {i}", row),) for i, row in enumerate(value, 1))).checked()

    def checked(self) -> Boxes:
        """Itself; refused when there are too many boxes."""
        count = sum(len(parts) for parts in self.buildings)
        if count > MOST_BOXES:
            raise OwnFileError(
                f"{count} boxes, and a scenario may have {MOST_BOXES}; leave out low or distant buildings, or join some."
            )
        return self

    def numbered(self) -> Iterator[tuple[int, Box]]:
        """Every box with the number of its building, counted from 1."""
        for number, parts in enumerate(self.buildings, 1):
            for box in parts:
                yield number, box


@functools.lru_cache(maxsize=128)
def boxes_of(text: str) -> Boxes:
    """Boxes of a text: five numbers each, buildings separated by ';', parts of one building by '+'."""
    if not text.strip():
        return Boxes(())
    found = []
    for i, building in enumerate(text.split(";"), 1):
        name = f"building {i}"
        found.append(tuple(_box(name, part.replace(",", " ").split()) for part in building.split("+")))
    return Boxes(tuple(found)).checked()


def buildings_text(boxes: Boxes) -> str:
    """The text of some boxes; `boxes_of` reads it back."""
    return "; ".join(" + ".join(" ".join(f"{x:.12g}" for x in box) for box in parts) for parts in boxes.buildings)


def _box(name: str, values: Sequence[Any]) -> Box:
    try:
        numbers = [float(x) for x in values]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 5 or not all(map(math.isfinite, numbers)):
        raise OwnFileError(f"{name} is {' '.join(map(str, values))[:60]!r}; buildings are written as {EXAMPLE}.")
    x0, y0, x1, y1, height = (round(x, 2) + 0.0 for x in numbers)
    if x0 >= x1 or y0 >= y1:
        raise OwnFileError(
            f"{name} goes from ({x0:g}, {y0:g}) to ({x1:g}, {y1:g}) m; give west before east, south before north."
        )
    if not 0.0 < height <= MAX_HEIGHT_M:
        raise OwnFileError(f"{name} has a height of {height:g} m; give one above 0 and up to {MAX_HEIGHT_M:g} m.")
    if max(map(abs, (x0, y0, x1, y1))) > MAX_DISTANCE_M:
        raise OwnFileError(f"{name} reaches beyond ±{MAX_DISTANCE_M:g} m; coordinates are local metres, not degrees.")
    return x0, y0, x1, y1, height


def buildings_from_csv(name: str, content: bytes) -> Boxes:
    """Boxes of a table with the columns x_min, y_min, x_max, y_max, height [m]."""
    check_size(name, content)
    table = read_table(name, content, SIDES, (), ALSO)
    rows = zip(*(table[c] for c in SIDES), strict=True)
    return Boxes(
        tuple((_box(f"{name}, line {line}: the building", row),) for line, row in zip(table.line, rows, strict=True))
    ).checked()
