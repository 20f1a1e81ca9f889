"""Lines of equal value on a map, with round levels and their labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from contourpy import contour_generator
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LABELS_AT = (0.2, 0.8, 0.35, 0.65, 0.5)
"""Where along their lines neighbouring levels are labelled first, so that the labels stay apart."""
LABEL = (0.13, 0.13)
"""Width and height of a label on a small map, as shares of the map's."""


def round_levels(span: float, sides: int = 3) -> list[float]:
    """Round levels on both sides of zero that share out ±span, zero left out."""
    rough = span / sides
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * min((1.0, 2.0, 5.0, 10.0), key=lambda m: abs(math.log(m * power / rough)))
    return [round(n * step, 12) for n in range(-sides, sides + 1) if n]


class Field:
    """A field over a grid, and its lines of equal value.

    Args:
        x: shape (columns,).
        y: shape (rows,).
        values: shape (rows, columns).
    """

    def __init__(self, x: Floats, y: Floats, values: Floats) -> None:
        self._generator = contour_generator(x, y, np.ascontiguousarray(values))
        self._width, self._height = float(np.ptp(x)), float(np.ptp(y))

    def lines(self, level: float) -> list[Floats]:
        """Lines of one level, each of shape (points, 2)."""
        return cast("list[Floats]", self._generator.lines(level))

    def labelled(self, levels: Sequence[float]) -> tuple[list[Floats], list[tuple[Any, ...]]]:
        """Lines of several levels, and a label (x, y, text) for each level whose line has room for one.

        Levels near zero come first; a label that would lie on another one, or on a line no longer than itself, is left out.
        """
        by_level = {level: self.lines(level) for level in levels}
        labels: list[tuple[Any, ...]] = []
        for i, level in sorted(enumerate(levels), key=lambda entry: abs(entry[1])):
            at = self._free(by_level[level], i, labels)
            if at is not None:
                labels.append((*at, signed(level)))
        return [line for mine in by_level.values() for line in mine], labels

    def _free(self, lines: list[Floats], turn: int, labels: list[tuple[Any, ...]]) -> tuple[float, float] | None:
        """A point of the longest line that is clear of all labels; the places are tried in turn."""
        longest = max(lines, key=len, default=None)
        if longest is None or not self._apart(*np.ptp(longest, axis=0).tolist()):
            return None
        for step in range(len(LABELS_AT)):
            x, y = longest[round(LABELS_AT[(turn + step) % len(LABELS_AT)] * (len(longest) - 1))].tolist()
            if all(self._apart(x - a, y - b) for a, b, _ in labels):
                return x, y
        return None

    def _apart(self, across: float, up: float) -> bool:
        """Whether a label has room between two points of this distance."""
        return abs(across) / self._width > LABEL[0] or abs(up) / self._height > LABEL[1]


def crossings(y: Floats, field: Floats, level: float) -> Floats:
    """First y at which each column passes a level, nan where it does not; y rises along the rows, shape (columns,)."""
    above = field > level
    changes = above[1:] != above[:-1]
    i = changes.argmax(axis=0)
    columns = np.arange(field.shape[1])
    a, b = field[i, columns], field[i + 1, columns]
    share = np.divide(level - a, b - a, out=np.zeros_like(a), where=b != a)
    return np.where(changes.any(axis=0), y[i] + share * (y[i + 1] - y[i]), np.nan)


def columns_of(drawn: Sequence[Floats], power: bool = False) -> dict[str, Any]:
    """Lines as columns of a multi_line, in single precision.

    Args:
        drawn: lines, each of shape (points, 2).
        power: whether the coordinates are decimal exponents.
    """
    as_drawn = [(10.0**line if power else line).astype(np.float32) for line in drawn]
    return {"xs": [line[:, 0] for line in as_drawn], "ys": [line[:, 1] for line in as_drawn]}


def signed(value: float) -> str:
    """A level as it is written on a line."""
    return f"{value:+.6g}".replace("-", "−")
