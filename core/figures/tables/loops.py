"""All loops of an instant: state, mode, what is sent."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from core.figures.arrays.loops import loops_table
from core.figures.paper.stamp import Stamp
from core.figures.paper.table import Table
from core.figures.paper.words import instant_words
from core.instant import Focus
from core.numerals import numeral

COLUMNS = (
    ("uav", "UAV", 0),
    ("v", "V / V_max", 3),
    ("sigma", "tr Σ [m²]", 2),
    ("c", "c", 0),
    ("mode", "mode", None),
    ("slots", "slots", 0),
    ("U", "U / V_max", 4),
    ("phi", "Φ / V_max", 4),
    ("route", "route ↑ ↓", None),
    ("action", "n × attempts, pattern", None),
)
"""Column of `loops_table`, head, digits (None = text); the page's table has the same."""


def loops(focus: Focus, link: str = "") -> Table:
    """One row per loop of the instant.

    Args:
        focus: a loop of it.
        link: query string of the page that shows the same.
    """
    columns = loops_table(focus)
    values = pd.DataFrame({head: np.asarray(columns[name]) for name, head, _ in COLUMNS})
    rows = [
        [_shown(value, digits) for value, (_, _, digits) in zip(row, COLUMNS, strict=True)]
        for row in values.itertuples(index=False)
    ]
    return Table(
        "loops",
        f"The loops of one cycle: state, mode, and what is sent. {instant_words(focus.instant)}",
        Stamp.of_instant(focus.instant, link),
        tuple(head for _, head, _ in COLUMNS),
        rows,
        values,
    )


def _shown(value: Any, digits: int | None) -> str:
    if digits is None:
        return str(value)
    return numeral(value, f".{digits}f") if math.isfinite(value) else "–"
