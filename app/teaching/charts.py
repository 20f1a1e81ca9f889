"""Small charts for the notebooks that no figure of the dashboard shows; made once, redrawn in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import panel as pn
from bokeh.models import ColumnDataSource, HoverTool, Span
from bokeh.plotting import figure
from numpy.typing import ArrayLike

from app.figures.plot import TOOLS, new_plot
from app.panel_fixes.figure_pane import FigurePane
from core.style import FOCUS, INK, LOOPS, POLICY_COLOUR, UNSAFE_SIDE

Curves = Mapping[str, tuple[Any, Any]]


class Chart(pn.viewable.Viewer):
    """A Bokeh figure whose curves are patched in place: nothing is created anew when a slider moves.

    Args:
        plot: the figure.
        sources: one source per curve, by its legend label.
        columns: names of the two columns of every source.
        span: a movable vertical line, when there is one.
        bands: the shaded cycles, when there are any.
    """

    def __init__(
        self,
        plot: figure,
        sources: dict[str, ColumnDataSource],
        columns: tuple[str, str],
        span: Span | None = None,
        bands: ColumnDataSource | None = None,
    ) -> None:
        super().__init__()
        self.plot, self.sources, self.columns, self.span, self.bands = plot, sources, columns, span, bands
        self._pane = FigurePane(plot)

    def draw(self, curves: Curves, title: str | None = None, at: float | None = None) -> None:
        """Replace the points of some curves, the title, and the place of the vertical line.

        Args:
            curves: label → (x, y).
            title: new title.
            at: new place of the vertical line.
        """
        for label, (x, y) in curves.items():
            self.sources[label].data = dict(zip(self.columns, (list(x), list(y)), strict=True))
        if title is not None:
            self.plot.title.text = title
        if at is not None and self.span is not None:
            self.span.location = at

    def shade(self, cycles: Sequence[int]) -> None:
        """Shade other cycles."""
        if self.bands is not None:
            self.bands.data = {"left": list(cycles), "right": [k + 1 for k in cycles]}

    def __panel__(self) -> pn.viewable.Viewable:
        return self._pane


def line_chart(
    title: str,
    x_label: str,
    y_label: str,
    curves: Curves,
    *,
    dots: Sequence[str] = (),
    level: float | None = None,
    at: float | None = None,
    shaded: Sequence[int] | None = None,
    log_y: bool = False,
    equal: bool = False,
    height: int = 280,
    **ranges: Any,
) -> Chart:
    """Curves over a common axis; every level and every line that the text speaks of is within the axes.

    Args:
        title, x_label, y_label: with units.
        curves: label → (x, y).
        dots: labels drawn as dots on a thin line (one value per cycle).
        level: height of a dashed horizontal line.
        at: place of a movable vertical line.
        shaded: cycles k whose span k … k + 1 is shaded (what was lost); redraw with `shade`. None = nothing ever is.
        log_y: logarithmic y axis.
        equal: the same scale on both axes.
        height: of the figure [px].
        ranges: x_range, y_range for Bokeh.
    """
    p = new_plot(
        height=height,
        tools=TOOLS,
        title=title,
        x_axis_label=x_label,
        y_axis_label=y_label,
        y_axis_type="log" if log_y else "linear",
        match_aspect=equal,
        **ranges,
    )
    sources = {}
    bands = ColumnDataSource({"left": list(shaded or ()), "right": [k + 1 for k in shaded or ()]})
    if shaded is not None:
        p.vstrip(x0="left", x1="right", source=bands, color=UNSAFE_SIDE, alpha=0.18, line_alpha=0)
    for i, (label, (x, y)) in enumerate(curves.items()):
        source = ColumnDataSource({"x": list(x), "y": list(y)})
        style = {"color": POLICY_COLOUR.get(label, LOOPS[i % len(LOOPS)]), "legend_label": label}
        p.line("x", "y", source=source, width=1 if label in dots else 2.5, alpha=0.5 if label in dots else 1.0, **style)
        if label in dots:
            p.scatter("x", "y", source=source, size=7, **style)
        sources[label] = source
    if level is not None:
        _level(p, level, next(iter(curves.values()))[0])
    span = None
    if at is not None:
        span = Span(location=at, dimension="height", line_color=FOCUS, line_dash="dashed", line_width=2)
        p.add_layout(span)
    p.add_tools(HoverTool(tooltips=[(x_label, "$x{0.[000]}"), (y_label, "$y{0.[0000]}")]))
    if len(curves) > 1:
        p.add_layout(p.legend[0], "below")
        p.legend.orientation = "horizontal"
        p.legend.label_text_font_size = "11px"
        p.legend.border_line_color = None
        p.legend.click_policy = "hide"
    else:
        p.legend.visible = False
    return Chart(p, sources, ("x", "y"), span, bands)


def bar_chart(
    title: str, y_label: str, bars: Mapping[str, float], *, level: float | None = None, height: int = 260, **ranges: Any
) -> Chart:
    """One bar per label; redraw with `draw({"bars": (labels, values)})`.

    Args:
        title, y_label: with units.
        bars: label → height.
        level: height of a dashed horizontal line.
        height: of the figure [px].
        ranges: y_range for Bokeh.
    """
    p = new_plot(
        height=height,
        tools="save",
        title=title,
        x_range=list(bars),
        y_axis_label=y_label,
        **ranges,
    )
    source = ColumnDataSource({"x": list(bars), "top": [float(v) for v in bars.values()]})
    p.vbar("x", 0.6, "top", source=source, color=LOOPS[0])
    p.xgrid.visible = False
    if level is not None:
        _level(p, level, list(bars)[:1])
    p.add_tools(HoverTool(tooltips=[("", "@x"), (y_label, "@top{0.[0000]}")]))
    return Chart(p, {"bars": source}, ("x", "top"))


def histogram(
    title: str, x_label: str, values: ArrayLike, *, at: float, note: str, bins: int = 40, height: int = 280
) -> Chart:
    """How often each value occurs, with one value marked.

    Args:
        title, x_label: with units.
        values: finite ones are counted.
        at: the value marked by a vertical line, within the axes.
        note: what the line is, in the legend.
        bins: number of bars.
        height: of the figure [px].
    """
    found = np.asarray(values, dtype=np.float64)
    counts, edges = np.histogram(found[np.isfinite(found)], bins=bins)
    p = new_plot(height=height, tools=TOOLS, title=title, x_axis_label=x_label, y_axis_label="share of scores [-]")
    share = counts / max(found.size, 1)
    source = ColumnDataSource({"left": edges[:-1], "right": edges[1:], "top": share, "middle": edges[:-1]})
    p.quad(left="left", right="right", top="top", bottom=0, source=source, color=LOOPS[0], line_color="white")
    p.line([at, at], [0.0, float(share.max(initial=0.0)) * 1.05], color=FOCUS, width=3, legend_label=note)
    p.legend.location = "top_right"
    p.add_tools(HoverTool(tooltips=[(x_label, "@left{0.0} … @right{0.0}"), ("share", "@top{0.000}")]))
    return Chart(p, {"bars": source}, ("middle", "top"))


def _level(p: figure, level: float, x: Any) -> None:
    """A dashed horizontal line that the axes always reach: an unseen point on it counts for their range."""
    p.add_layout(Span(location=level, dimension="width", line_color=INK, line_dash="dashed", line_width=2))
    p.scatter(list(x)[:1], [level] * len(list(x)[:1]), size=1, alpha=0)
