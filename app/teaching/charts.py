"""Small charts for the notebooks that no figure of the dashboard shows; made once, redrawn in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import panel as pn
from bokeh.models import ColumnDataSource, HoverTool, Span
from bokeh.plotting import figure

from app.figures.palette import FOCUS, INK, LOOPS, POLICY_COLOUR, TOOLS
from app.figures.plot import new_plot
from app.teaching.figure_pane import FigurePane

Curves = Mapping[str, tuple[Any, Any]]


class Chart(pn.viewable.Viewer):
    """A Bokeh figure whose curves are patched in place: nothing is created anew when a slider moves.

    Args:
        plot: the figure.
        sources: one source per curve, by its legend label.
        columns: names of the two columns of every source.
        span: a movable vertical line, when there is one.
    """

    def __init__(
        self, plot: figure, sources: dict[str, ColumnDataSource], columns: tuple[str, str], span: Span | None = None
    ) -> None:
        super().__init__()
        self.plot, self.sources, self.columns, self.span = plot, sources, columns, span
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
    log_y: bool = False,
    equal: bool = False,
    height: int = 280,
    **ranges: Any,
) -> Chart:
    """Curves over a common axis.

    Args:
        title, x_label, y_label: with units.
        curves: label → (x, y).
        dots: labels drawn as dots on a thin line (one value per cycle).
        level: height of a dashed horizontal line.
        at: place of a movable vertical line.
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
    for i, (label, (x, y)) in enumerate(curves.items()):
        source = ColumnDataSource({"x": list(x), "y": list(y)})
        style = {"color": POLICY_COLOUR.get(label, LOOPS[i % len(LOOPS)]), "legend_label": label}
        p.line("x", "y", source=source, width=1 if label in dots else 2.5, alpha=0.5 if label in dots else 1.0, **style)
        if label in dots:
            p.scatter("x", "y", source=source, size=7, **style)
        sources[label] = source
    if level is not None:
        p.add_layout(Span(location=level, dimension="width", line_color=INK, line_dash="dashed", line_width=2))
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
    return Chart(p, sources, ("x", "y"), span)


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
        p.add_layout(Span(location=level, dimension="width", line_color=INK, line_dash="dashed", line_width=2))
    p.add_tools(HoverTool(tooltips=[("", "@x"), (y_label, "@top{0.[0000]}")]))
    return Chart(p, {"bars": source}, ("x", "top"))
