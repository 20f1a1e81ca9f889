"""A plot as this page wants it: as wide as its place, tools at its side, no logo; ranges and sources that change in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, Range1d
from bokeh.plotting import figure

from core.instant import Focus

TOOLS = "pan,box_zoom,wheel_zoom,reset,save"


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
    p.title.text_font_size = "15px"
    for axis in (*p.below, *p.left):
        axis.update(axis_label_text_font_size="14px", major_label_text_font_size="12px", axis_label_standoff=4)
    return p


def as_high(p: figure, height: str, *, stacked: bool = True, of_stage: float = 1.0) -> figure:
    """Let a plot grow with the page; where it stands alone before an audience, it fills the stage (`--stage`, presenter.js).

    Args:
        p: the plot.
        height: a CSS length, such as "max(400px, 100vh - 600px)".
        stacked: whether it stands in a column, where Bokeh's own height is the basis of its share.
        of_stage: share of the stage that it fills there.
    """
    height = f"calc(var(--stage, ({height}) / {of_stage}) * {of_stage})"
    basis = f" flex-basis: {height} !important;" if stacked else ""
    p.stylesheets = [*p.stylesheets, f":host {{ height: {height} !important;{basis} }}"]
    return p


def at_least(p: figure, width_px: int) -> figure:
    """Let a plot ask for a width, so that a row too narrow for two wraps; Panel's own `min_width` would widen the row."""
    p.stylesheets = [*p.stylesheets, f":host {{ min-width: {width_px}px !important; }}"]
    return p


def one_look(*plots: figure) -> None:
    """Let marks look the same whatever is selected; the glyphs that Bokeh makes for the others, two per layer, go."""
    for p in plots:
        for layer in p.renderers:
            layer.update(nonselection_glyph=None, muted_glyph=None)


def named(prefix: str, sources: dict[str, ColumnDataSource]) -> dict[str, ColumnDataSource]:
    """Give every source a name, so that a browser test can find it in the document."""
    for name, source in sources.items():
        source.name = f"{prefix}.{name}"
    return sources


def empty(*columns: str) -> ColumnDataSource:
    """A source that waits for its numbers."""
    return ColumnDataSource({name: [] for name in columns})


def put(source: ColumnDataSource, columns: Mapping[str, Any]) -> None:
    """Give a source new columns; while its length stays, only those that changed travel to the browser."""
    old = source.data
    if old.keys() != columns.keys() or any(len(old[name]) != len(new) for name, new in columns.items()):
        source.data = dict(columns)
        return
    changed = {name: new for name, new in columns.items() if not _equal(old[name], new)}
    if changed:
        source.data.update(changed)


def fit(axis: Range1d, low: float, high: float) -> None:
    """Let a range show low … high; one that the visitor has zoomed stays, and its reset leads there."""
    start, end = float(low), float(high)
    if (axis.reset_start, axis.reset_end) == (start, end):
        return
    zoomed = axis.reset_start is not None and (axis.start, axis.end) != (axis.reset_start, axis.reset_end)
    axis.update(reset_start=start, reset_end=end)
    if not zoomed:
        axis.update(start=start, end=end)


class Steady:
    """Numbers that stay while a control moves and start anew with another instant: spans of colours, ends of axes."""

    def __init__(self) -> None:
        self._instant: tuple[Any, ...] = ()
        self._kept: dict[str, tuple[float, float]] = {}

    def at(self, focus: Focus) -> None:
        """Forget everything unless it is still the same loop in the same cycle of the same flight."""
        here = (focus.instant.flight.key, focus.instant.cycle, focus.loop)
        if here != self._instant:
            self._instant, self._kept = here, {}

    def first(self, name: str, low: float, high: float) -> tuple[float, float]:
        """The pair that was given first in this instant."""
        return self._kept.setdefault(name, (low, high))

    def widest(self, name: str, low: float, high: float) -> tuple[float, float]:
        """The pair, grown to hold everything that was given in this instant."""
        a, b = self._kept.get(name, (low, high))
        self._kept[name] = (min(a, low), max(b, high))
        return self._kept[name]


def _equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()  # nan is as good as nan
    if isinstance(a, list) and isinstance(b, list) and any(isinstance(x, np.ndarray) for x in (*a[:1], *b[:1])):
        return len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b, strict=True))
    return type(a) is type(b) and not isinstance(a, np.ndarray) and bool(a == b)
