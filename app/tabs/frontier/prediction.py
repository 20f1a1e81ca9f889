"""What the next cycles bring with and without the exchange (D23): energy and distance from the reference."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, Range1d, SingleIntervalTicker, Span
from bokeh.plotting import figure

from app.figures.legend import legend_below
from app.figures.plot import TOOLS, Steady, at_least, empty, fit, named, new_plot, put
from core.figures.arrays.prediction import prediction_data
from core.instant import Focus
from core.style import ACCENT, INK, UNSAFE_SIDE


@dataclass(frozen=True)
class PredictionFigure:
    """Two plots made once, and their sources."""

    energy: figure
    distance: figure
    sources: dict[str, ColumnDataSource]
    steady: Steady = field(default_factory=Steady)


def prediction_figure(height: int = 210) -> PredictionFigure:
    """Empty plots; fill them with `update_prediction`."""
    names = ("cycle", "V_without", "V_served", "off_without", "off_at_once", "off_at_end")
    s = {"ahead": empty(*names), "before": empty(*names)}
    common: dict[str, Any] = {"height": height, "tools": TOOLS, "x_axis_label": "cycles ahead"}
    x_range = Range1d(0, 1)
    energy = new_plot(
        title="Predicted energy V / V_max", y_axis_label="V / V_max", x_range=x_range, y_range=Range1d(0, 1), **common
    )
    distance = new_plot(
        title="Predicted distance from the reference",
        y_axis_label="distance [m]",
        x_range=x_range,
        y_range=Range1d(0, 1),
        **common,
    )
    for plot in (energy, distance):
        at_least(plot, 400)
        plot.below[0].ticker = SingleIntervalTicker(interval=1, num_minor_ticks=0)
    limit = Span(location=1.0, dimension="width", line_color=INK, line_width=2, line_dash="dotted")
    energy.add_layout(limit)
    for source, alpha, width in (("before", 0.5, 1.5), ("ahead", 1.0, 2.5)):
        dash = "dashed" if source == "before" else "solid"
        line: dict[str, Any] = {"source": s[source], "alpha": alpha, "width": width, "line_dash": dash}
        without = energy.line("cycle", "V_without", color=UNSAFE_SIDE, **line)
        served = energy.line("cycle", "V_served", color=ACCENT, **line)
        lost = distance.line("cycle", "off_without", color=UNSAFE_SIDE, **line)
        end = distance.line("cycle", "off_at_end", color=ACCENT, **line)
        once = distance.line("cycle", "off_at_once", color=ACCENT, **{**line, "line_dash": "dotted"})
    for plot, first, second in ((energy, "V_without", "V_served"), (distance, "off_without", "off_at_end")):
        a = plot.scatter("cycle", first, source=s["ahead"], size=7, marker="x", color=UNSAFE_SIDE, line_width=2)
        b = plot.scatter("cycle", second, source=s["ahead"], size=7, color=ACCENT)
        tips = [
            ("cycles ahead", "@cycle"),
            ("without service", f"@{first}{{0.000}}"),
            ("served", f"@{second}{{0.000}}"),
        ]
        if plot is distance:
            tips += [("command at once", "@off_at_once{0.000}")]
        plot.add_tools(HoverTool(renderers=[a, b], tooltips=tips, limit=1))
    legend_below(energy, {"without service": without, "with the command": served})
    legend_below(distance, {"without service": lost, "command late": end, "command at once": once})
    return PredictionFigure(energy, distance, named("prediction", s))


def update_prediction(fig: PredictionFigure, focus: Focus, before: Focus | None = None) -> None:
    """Patch the sources with the look-ahead of a loop.

    Args:
        fig: made by `prediction_figure`.
        focus: the loop.
        before: the loop before the last move, or a pinned one, drawn as a ghost.
    """
    fig.steady.at(focus)
    data = prediction_data(focus)
    put(fig.sources["ahead"], data)
    ghost = prediction_data(before) if before is not None else {name: [] for name in data}
    put(fig.sources["before"], ghost)
    drawn = [data, ghost] if before is not None else [data]
    fit(fig.energy.x_range, 0.0, max(1.0, *(float(d["cycle"][-1]) for d in drawn)))
    most = {plot: max(float(np.max(d[n])) for d in drawn for n in d if n.startswith(plot)) for plot in ("V_", "off_")}
    fit(fig.energy.y_range, 0.0, 1.08 * fig.steady.widest("V", 0.0, max(most["V_"], 1.0))[1])
    fit(fig.distance.y_range, 0.0, 1.08 * fig.steady.widest("off", 0.0, max(most["off_"], 1.0))[1])
