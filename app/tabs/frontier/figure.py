"""The certified supply frontier of one loop: slot cost × value (the paper's frontier figure)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bokeh.models import (
    BasicTicker,
    ColorBar,
    ColumnDataSource,
    CustomJSHover,
    HoverTool,
    LinearColorMapper,
    Range1d,
    Span,
)
from bokeh.plotting import figure

from app.figures.legend import legend_below
from app.figures.plot import TOOLS, Steady, empty, fit, named, new_plot, put
from core.allocation import VERDICTS
from core.figures.arrays.frontier import COLUMNS, frontier_data
from core.instant import SHORT, Focus
from core.style import ACCENT, FOCUS, INK, mid_tones

CHIP: dict[str, Any] = {
    "text_align": "align",
    "text_baseline": "middle",
    "text_font_size": "12px",
    "padding": 3,
    "border_radius": 4,
}
"""A label on a ground of its own, readable over dots in both themes."""


@dataclass(frozen=True)
class FrontierFigure:
    """One plot made once, the sources that a slider move patches, and what stays during a drag."""

    plot: figure
    sources: dict[str, ColumnDataSource]
    mapper: LinearColorMapper
    keys: list[str] = field(default_factory=list)
    steady: Steady = field(default_factory=Steady)


def frontier_figure(height: int = 400, *, legend: bool = True) -> FrontierFigure:
    """Empty frontier plot; fill it with `update_frontier`."""
    p = new_plot(
        height=height,
        tools=TOOLS + ",tap",
        title=" ",
        x_axis_label="slot cost s [slots]",
        y_axis_label="value U / V_max",
        x_range=Range1d(0, 1),
        y_range=Range1d(0, 1),
    )
    mapper = LinearColorMapper(palette=mid_tones(64), low=0.25, high=1.0)
    s = {
        "ghost_edge": empty("x", "y"),
        "ghost": empty("x", "y"),
        "edge": empty("x", "y"),
        "routes": empty("text"),
        "codings": empty("text"),
        "actions": empty(*COLUMNS),
        **{name: empty("x", "y", "text", "align") for name in ("rivals", "chosen", "held")},
    }
    p.line("x", "y", source=s["ghost_edge"], color=INK, alpha=0.8, width=1.5, line_dash="dashed")
    p.scatter("x", "y", source=s["ghost"], size=8, marker="diamond", fill_color=None, line_color=INK, line_alpha=0.6)
    layers = _actions(p, s, mapper)
    layers["best value for at most s slots"] = p.line("x", "y", source=s["edge"], color=ACCENT, width=2)
    for name, colour, ink, offset in (
        ("rivals", INK, "#ffffff", 52),
        ("chosen", ACCENT, "#ffffff", 24),
        ("held", FOCUS, "#111111", -24),
    ):
        marker = "square" if name == "chosen" else "circle"
        p.scatter("x", "y", source=s[name], size=17, marker=marker, fill_color=None, line_color=colour, line_width=3)
        p.text("x", "y", "text", source=s[name], y_offset=offset, text_color=ink, background_fill_color=colour, **CHIP)
    p.add_layout(Span(location=0, dimension="width", line_color=INK, line_dash="dotted"))
    bar = ColorBar(
        color_mapper=mapper, width=9, title="T_cert [s]", background_fill_alpha=0, padding=4, label_standoff=5
    )
    bar.ticker = BasicTicker(desired_num_ticks=5)
    p.add_layout(bar, "right")
    if legend:
        legend_below(p, layers)
    return FrontierFigure(p, named("frontier", s), mapper)


def _actions(p: figure, s: dict[str, ColumnDataSource], mapper: LinearColorMapper) -> dict[str, Any]:
    """Dots, rings and filled diamonds of the actions; one source, so that its columns travel once."""
    source = s["actions"]
    around: dict[str, Any] = {"alpha": 0.0, "nonselection_alpha": 0.0, "selection_alpha": 0.0}
    target = p.scatter("x", "y", source=source, size=11, **around)  # dots are too small to point at
    dots = p.scatter("x", "y", source=source, size=4, color=INK, alpha=0.55, nonselection_alpha=0.55)
    rings = p.scatter(
        "x", "admitted", source=source, size=8, fill_color=None, line_color=INK, nonselection_line_alpha=1.0
    )
    full = p.scatter(
        "x",
        "frontier",
        source=source,
        size=11,
        marker="diamond",
        fill_color={"field": "T_cert", "transform": mapper},
        line_color=INK,
        line_width=0.6,
        nonselection_fill_alpha=1.0,
        nonselection_line_alpha=1.0,
    )
    tips = [
        ("verdict", "@verdict{custom}"),
        ("slots", "@x"),
        ("U / V_max", "@y{0.0000}"),
        ("Φ / V_max", "@phi{+0.0000}"),
        ("T_cert", "@T_cert{0.00} s (g = @g)"),
        ("ρ_ul, ρ_dl", "@rho_ul{0.0000}, @rho_dl{0.0000}"),
        ("D_ul, D_dl", "@D_ul{0.0}, @D_dl{0.0} ms"),
        ("route", "@route{custom}"),
        ("n × attempts", "@coding{custom}"),
        ("actions at this point", "@many"),
    ]
    look_up = "return texts.data.text[value]"
    words = {
        "@verdict": CustomJSHover(args={"words": [SHORT[v] for v in VERDICTS]}, code="return words[value]"),
        "@route": CustomJSHover(args={"texts": s["routes"]}, code=look_up),
        "@coding": CustomJSHover(args={"texts": s["codings"]}, code=look_up),
    }
    p.add_tools(HoverTool(renderers=[target], tooltips=tips, formatters=words, limit=1))
    return {"action": dots, "admitted": rings, "frontier": full}


def update_frontier(fig: FrontierFigure, focus: Focus, before: Focus | None = None) -> None:
    """Patch every source with the numbers of a loop.

    Args:
        fig: made by `frontier_figure`.
        focus: the loop.
        before: the loop before the last move, or a pinned one, drawn as a ghost of its frontier.
    """
    fig.steady.at(focus)
    data = frontier_data(focus, before)
    for name, columns in data["sources"].items():
        put(fig.sources[name], columns)
    fig.sources["actions"].selected.indices = []
    fig.keys[:] = data["keys"]
    fit(fig.plot.x_range, 0.0, 1.03 * fig.steady.widest("slots", 0.0, data["x_end"])[1])
    fit(fig.plot.y_range, *fig.steady.widest("value", *data["y_ends"]))
    low, high = fig.steady.widest("T_cert", *data["colour_range"])
    fig.mapper.update(low=low, high=high)
    fig.plot.title.text = data["title"]
