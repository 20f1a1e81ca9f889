"""A plot as this page wants it: as wide as its place, tools at its side, no logo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource
from bokeh.plotting import figure


def new_plot(*, grid: bool = True, **options: Any) -> figure:
    """An empty Bokeh figure with the page's common options; a map needs no grid.

    Axes are `p.below[0]` and `p.left[0]`: `p.xaxis` and the like search the whole plot every time.
    """
    p = figure(sizing_mode="stretch_width", toolbar_location="right", **options)
    for part in p.center:
        part.visible = grid
    p.toolbar.logo = None
    p.toolbar.autohide = True
    p.min_border_right = 6
    return p


def named(prefix: str, sources: dict[str, ColumnDataSource]) -> dict[str, ColumnDataSource]:
    """Give every source a name, so that a browser test can find it in the document."""
    for name, source in sources.items():
        source.name = f"{prefix}.{name}"
    return sources


def put(source: ColumnDataSource, columns: Mapping[str, Any]) -> None:
    """Give a source new columns; while its length stays, only those that changed travel to the browser."""
    old = source.data
    if old.keys() != columns.keys() or any(len(old[name]) != len(new) for name, new in columns.items()):
        source.data = dict(columns)
        return
    changed = {name: new for name, new in columns.items() if not _equal(old[name], new)}
    if changed:
        source.data.update(changed)


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f" and b.dtype.kind == "f")
    if isinstance(a, list) and isinstance(b, list) and any(isinstance(x, np.ndarray) for x in (*a[:1], *b[:1])):
        return len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b, strict=True))
    return type(a) is type(b) and not isinstance(a, np.ndarray) and bool(a == b)
