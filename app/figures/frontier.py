"""The certified supply frontier of one loop: slot cost × value (the paper's frontier figure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from bokeh.models import (
    ColorBar,
    ColumnDataSource,
    DataRange1d,
    HoverTool,
    LinearColorMapper,
    SingleIntervalTicker,
    Span,
)
from bokeh.palettes import Cividis256
from bokeh.plotting import figure

from app.figures.legend import legend_below
from app.figures.palette import FOCUS, INK, TOOLS
from app.figures.plot import named, new_plot, put
from app.picture import Picture
from core.allocation import RULE_WORDS

COLUMNS = (
    "x",
    "y",
    "slots",
    "T_cert",
    "g",
    "rho_ul",
    "rho_dl",
    "D_ul",
    "D_dl",
    "phi",
    "route",
    "coding",
    "size",
    "key",
    "many",
)


@dataclass(frozen=True)
class FrontierFigure:
    """One plot made once, and the sources that a slider move patches."""

    plot: figure
    sources: dict[str, ColumnDataSource]
    mapper: LinearColorMapper


def frontier_figure(height: int = 440) -> FrontierFigure:
    """Empty frontier plot; fill it with `update_frontier`."""
    p = new_plot(
        height=height,
        tools=TOOLS + ",tap",
        title=" ",
        x_axis_label="slot cost s [slots]",
        y_axis_label="value U / V_max [-]",
        x_range=DataRange1d(start=0, range_padding=0.04, only_visible=True),
        y_range=DataRange1d(range_padding=0.08),
    )
    mapper = LinearColorMapper(palette=Cividis256[::-1], low=0.25, high=1.0)
    s = {name: ColumnDataSource({c: [] for c in COLUMNS}) for name in ("candidates", "safe", "frontier")}
    s["focused"] = ColumnDataSource({"x": [], "y": []})
    grey = p.scatter("x", "y", source=s["candidates"], size=6, color=INK, alpha=0.45, nonselection_alpha=0.45)
    ring = p.scatter(
        "x",
        "y",
        source=s["safe"],
        size=10,
        fill_color=None,
        line_color=INK,
        line_width=1.4,
        nonselection_line_alpha=1.0,
    )
    full = p.scatter(
        "x",
        "y",
        source=s["frontier"],
        size="size",
        fill_color={"field": "T_cert", "transform": mapper},
        line_color="black",
        line_width=0.8,
        nonselection_fill_alpha=1.0,
        nonselection_line_alpha=1.0,
    )
    focused = p.scatter("x", "y", source=s["focused"], size=26, fill_color=None, line_color=FOCUS, line_width=3)
    p.add_layout(Span(location=0, dimension="width", line_color=INK, line_dash="dotted"))
    p.add_tools(
        HoverTool(
            renderers=[grey, ring, full],
            tooltips=[
                ("slots", "@slots"),
                ("U / V_max", "@y{0.0000}"),
                ("Φ / V_max", "@phi{0.0000}"),
                ("T_cert", "@T_cert{0.00} s (g = @g)"),
                ("ρ_ul, ρ_dl", "@rho_ul{0.0000}, @rho_dl{0.0000}"),
                ("D_ul, D_dl", "@D_ul{0.0}, @D_dl{0.0} ms"),
                ("route", "@route"),
                ("n, retransmissions", "@coding"),
                ("actions at this point", "@many"),
            ],
            limit=1,
        )
    )
    bar = ColorBar(
        color_mapper=mapper, width=10, title="T_cert [s]", background_fill_alpha=0, padding=4, label_standoff=5
    )
    bar.ticker = SingleIntervalTicker(interval=0.5)
    p.add_layout(bar, "right")
    names = ("candidate", "admitted", "frontier (area: ρ_ul)", "focused action")
    legend_below(p, dict(zip(names, (grey, ring, full, focused), strict=True)))
    return FrontierFigure(p, named("frontier", s), mapper)


def update_frontier(fig: FrontierFigure, picture: Picture) -> None:
    """Patch every source with the picture's numbers."""
    data = frontier_data(picture)
    for name, columns in data["sources"].items():
        put(fig.sources[name], columns)
        fig.sources[name].selected.indices = []
    low, high = data["colour_range"]
    fig.mapper.update(low=low, high=high)
    fig.plot.title.text = data["title"]


def frontier_data(picture: Picture) -> dict[str, Any]:
    """Columns of the three layers and the title."""
    shown, unit = picture.distinct_actions, picture.model.V_max
    columns = {
        "x": shown["slots"],
        "y": shown["U"] / unit,
        "slots": shown["slots"],
        "T_cert": shown["T_cert"],
        "g": shown["g"],
        "rho_ul": shown["rho_ul"],
        "rho_dl": shown["rho_dl"],
        "D_ul": 1e3 * shown["D_ul"],
        "D_dl": 1e3 * shown["D_dl"],
        "phi": shown["phi"] / unit,
        "route": shown["route"],
        "coding": shown["coding"],
        "size": 6 + 14 * shown["rho_ul"] ** 2,
        "key": shown["key"],
        "many": shown["many"],
    }
    finite = shown["T_cert"][shown["frontier"]]
    low = float(finite.min()) if len(finite) else picture.inputs.scenario.control.Ts
    high = max(float(finite.max()) if len(finite) else 0.0, low + picture.inputs.scenario.control.Ts)
    counts = picture.counts
    a = picture.action
    drawn = shown["certified"]
    return {
        "title": (
            f"What is worth its slots? UAV {picture.focus + 1}: {counts['candidates']} candidates, {counts['admitted']} {RULE_WORDS[picture.allocation.admission.rule]}, "
            f"{counts['frontier']} survive dominance"
        ),
        "colour_range": (low, high),
        "sources": {
            "candidates": _rows(columns, drawn),
            "safe": _rows(columns, shown["admitted"]),
            "frontier": _rows(columns, shown["frontier"]),
            "focused": {"x": [a.slots], "y": [a.U / unit]} if a.certified else {"x": [], "y": []},
        },
    }


def _rows(columns: dict[str, np.ndarray], mask: np.ndarray) -> dict[str, Any]:
    return {name: values[mask].tolist() if values.dtype == object else values[mask] for name, values in columns.items()}
