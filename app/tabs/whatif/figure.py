"""Curves with confidence bands and the map of winners of a what-if study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
from bokeh.models import ColumnDataSource, DataRange1d, FixedTicker, HoverTool, Legend, LegendItem
from bokeh.plotting import figure

from app.figures.plot import TOOLS, put
from app.tabs.whatif.words import axis_label, title_of
from core.figures.arrays.study import places
from core.figures.study import level_text
from core.scenario import quantity_of
from core.studies import NO_COMMON_SEEDS, NO_DIRECTION, NOT_SIGNIFICANT, Study, curve, winners
from core.studies.axis import spelled
from core.studies.setting import SETTING
from core.style import policy_colour, policy_dash

DASHES = ("solid", "dashed", "dotted", "dotdash", "dashdot")
PINNED_DASHES = ("5 4", "2 3", "9 3 2 3", "9 3 2 3 2 3")
"""Every line of a pinned study is broken; the policy is its colour."""
NOBODY = "#BBBBBB"
NO_WINNER = {NOT_SIGNIFICANT: "n. s.", NO_COMMON_SEEDS: "–", NO_DIRECTION: "–"}
"""What a cell of the map shows in place of a policy."""
SOURCES = {
    "bands": ("xs", "ys", "color"),
    "lines": ("xs", "ys", "color", "dash", "label", "alpha", "width"),
    "points": ("x", "mean", "lo", "hi", "n", "label", "at", "color"),
    "cells": ("x", "y", "winner", "best", "color", "text", "margin", "mean", "n", "at"),
}


class Baseline(NamedTuple):
    """A pinned study."""

    study: Study
    frame: pd.DataFrame
    name: str


@dataclass(frozen=True)
class StudyFigure:
    """Two plots made once: curves of the metric, and who wins where."""

    curves: figure
    map: figure
    sources: dict[str, ColumnDataSource]


def study_figure(height: int = 380) -> StudyFigure:
    """Empty plots; fill them with `update_study`."""
    s = {name: ColumnDataSource({c: [] for c in columns}, name=f"study.{name}") for name, columns in SOURCES.items()}
    p = figure(
        height=height,
        sizing_mode="stretch_width",
        tools=TOOLS,
        toolbar_location="above",
        title=" ",
        x_range=DataRange1d(range_padding=0.06),
        y_range=DataRange1d(range_padding=0.1),
    )
    p.patches("xs", "ys", source=s["bands"], fill_color="color", fill_alpha=0.15, line_alpha=0)
    p.multi_line("xs", "ys", source=s["lines"], color="color", line_dash="dash", line_width="width", line_alpha="alpha")
    dots = p.scatter("x", "mean", source=s["points"], size=7, color="color")
    p.add_tools(
        HoverTool(
            renderers=[dots],
            tooltips=[
                ("", "@label"),
                ("at", "@at"),
                ("mean", "@mean{0.0000}"),
                ("95 % band", "@lo{0.0000} … @hi{0.0000}"),
                ("seeds", "@n"),
            ],
        )
    )
    p.add_layout(
        Legend(items=[], label_text_font_size="11px", background_fill_alpha=0.75, padding=4, spacing=0), "right"
    )
    m = figure(
        height=height,
        sizing_mode="stretch_width",
        tools="save",
        toolbar_location="above",
        title=" ",
        x_range=DataRange1d(range_padding=0.0),
        y_range=DataRange1d(range_padding=0.0),
        visible=False,
    )
    tiles = m.rect("x", "y", 1, 1, source=s["cells"], fill_color="color", fill_alpha=0.75, line_color="white")
    m.text(
        "x",
        "y",
        "text",
        source=s["cells"],
        text_align="center",
        text_baseline="middle",
        text_font_size="10px",
        text_color="black",
    )
    m.add_tools(
        HoverTool(
            renderers=[tiles],
            tooltips=[
                ("at", "@at"),
                ("winner", "@winner"),
                ("best mean", "@best"),
                ("its mean", "@mean{0.0000}"),
                ("margin", "@margin{0.0000}"),
                ("common seeds", "@n"),
            ],
        )
    )
    m.grid.visible = False
    for plot in (p, m):
        plot.toolbar.logo = None
    return StudyFigure(p, m, s)


def update_study(
    fig: StudyFigure,
    study: Study,
    frame: pd.DataFrame,
    metric: str,
    x: str,
    baseline: Baseline | None = None,
) -> None:
    """Show a metric along one varied field; a pinned study lies behind it, in the same colours, thin and dashed."""
    data = study_data(study, frame, metric, x, baseline)
    for name, columns in data["sources"].items():
        put(fig.sources[name], columns)
    fig.curves.title.text, fig.map.title.text = data["title"], data["map_title"]
    fig.curves.xaxis.axis_label, fig.curves.yaxis.axis_label = data["x_label"], data["y_label"]
    _ticks(fig.curves.xaxis[0], data["x_ticks"])
    legend = next(item for item in fig.curves.right if isinstance(item, Legend))
    lines = fig.curves.renderers[1]
    legend.items = [
        LegendItem(label=label, renderers=[lines], index=i) for i, label in enumerate(data["sources"]["lines"]["label"])
    ]
    fig.map.visible = bool(data["sources"]["cells"]["x"])
    if fig.map.visible:
        fig.map.xaxis.axis_label, fig.map.yaxis.axis_label = data["x_label"], data["map_y_label"]
        _ticks(fig.map.xaxis[0], data["map_x_ticks"])
        _ticks(fig.map.yaxis[0], data["map_y_ticks"])


def study_data(
    study: Study, frame: pd.DataFrame, metric: str, x: str, baseline: Baseline | None = None
) -> dict[str, Any]:
    """Columns of every source, titles and ticks, from the records alone."""
    sources: dict[str, dict[str, list[Any]]] = {name: {c: [] for c in columns} for name, columns in SOURCES.items()}
    values = list(study.levels(x))
    place = places(values)
    if baseline is not None and x in baseline.study.names and metric in baseline.frame:
        _add_lines(sources, baseline.study, baseline.frame, metric, x, place, pinned=True)
    _add_lines(sources, study, frame, metric, x, place)
    others = [n for n in study.names if n != x]
    found: dict[str, Any] = {"map_x_ticks": {}, "map_y_ticks": {}, "map_y_label": ""}
    if len(others) == 1 and study.points is None:
        found = _add_cells(sources, study, frame, metric, x, others[0])
    numeric = isinstance(place[values[0]], float)
    return {
        "sources": sources,
        "title": f"{title_of(metric)}: mean over seeds, 95 % band",
        "map_title": f"Which policy wins: {title_of(metric)} (paired over seeds)",
        "x_label": axis_label(x),
        "y_label": title_of(metric),
        "x_ticks": {} if numeric else {place[v]: spelled(v) for v in values},
        **found,
    }


def _add_lines(
    sources: dict[str, dict[str, list[Any]]],
    study: Study,
    frame: pd.DataFrame,
    metric: str,
    x: str,
    place: dict[Any, float | int],
    *,
    pinned: bool = False,
) -> None:
    table = curve(frame, study, metric, x)
    others = [n for n in study.names if n != x]
    seen: dict[tuple[Any, ...], str] = {}
    for key, part in table.groupby([*others, "policy"], sort=False):
        *rest, policy = cast("tuple[Any, ...]", key)  # pandas declares a bare Hashable
        dashes = PINNED_DASHES if pinned else DASHES
        dash = seen.setdefault(tuple(rest), dashes[len(seen) % len(dashes)])
        if not others and not pinned:
            dash = policy_dash(policy)
        label = " · ".join(
            [
                str(policy),
                *(
                    v if n == SETTING else f"{quantity_of(n).symbol} = {level_text(v)}"
                    for n, v in zip(others, rest, strict=True)
                ),
            ]
        )
        label = f"{label} (pinned)" if pinned else label
        color = policy_colour(policy)
        # a pinned study may have values this one has not: numbers find their own place, words do not
        part = part[[v in place or isinstance(v, (float, np.floating, np.integer)) for v in part[x]]]
        at = [place.get(v, float(v) if not isinstance(v, str) else np.nan) for v in part[x]]
        order = np.argsort(at, kind="stable")
        xs, mean, lo, hi = (
            np.asarray(c, dtype=float)[order].tolist() for c in (at, part["mean"], part["lo"], part["hi"])
        )
        sources["lines"]["xs"].append(xs)
        sources["lines"]["ys"].append(mean)
        sources["lines"]["color"].append(color)
        sources["lines"]["dash"].append(dash)
        sources["lines"]["label"].append(label)
        sources["lines"]["alpha"].append(0.7 if pinned else 1.0)
        sources["lines"]["width"].append(1.8 if pinned else 2.5)
        banded = [(a, b, c) for a, b, c in zip(xs, lo, hi, strict=True) if np.isfinite(b) and np.isfinite(c)]
        if len(banded) > 1 and not pinned:
            bx, blo, bhi = (list(c) for c in zip(*banded, strict=True))
            sources["bands"]["xs"].append(bx + bx[::-1])
            sources["bands"]["ys"].append(blo + bhi[::-1])
            sources["bands"]["color"].append(color)
        n = part["n"].to_numpy()[order].tolist()
        names = [level_text(v) for v in part[x].to_numpy()[order].tolist()]
        columns = (xs, mean, lo, hi, n, [label] * len(xs), names, [color] * len(xs))
        for name, column in zip(SOURCES["points"], columns, strict=True):
            sources["points"][name].extend(column)


def _add_cells(
    sources: dict[str, dict[str, list[Any]]], study: Study, frame: pd.DataFrame, metric: str, x: str, y: str
) -> dict[str, Any]:
    table = winners(frame, study, metric)
    columns = {n: sorted(set(table[n].tolist())) if len(table) else [] for n in (x, y)}
    index = {n: {v: i for i, v in enumerate(values)} for n, values in columns.items()}
    cells = sources["cells"]
    for row in table.to_dict("records"):
        cells["x"].append(index[x][row[x]])
        cells["y"].append(index[y][row[y]])
        cells["winner"].append(row["winner"])
        cells["best"].append(row["best"])
        cells["color"].append(NOBODY if row["winner"] in NO_WINNER else policy_colour(row["winner"]))
        cells["text"].append(NO_WINNER.get(row["winner"], row["winner"]))
        cells["margin"].append(row["margin"])
        cells["mean"].append(row["mean"])
        cells["n"].append(row["n"])
        cells["at"].append(
            ", ".join(f"{n if n == SETTING else quantity_of(n).symbol} = {level_text(row[n])}" for n in (x, y))
        )
    return {
        "map_x_ticks": {i: level_text(v) for v, i in index[x].items()},
        "map_y_ticks": {i: level_text(v) for v, i in index[y].items()},
        "map_y_label": axis_label(y),
    }


def _ticks(axis: Any, labels: dict[float | int, str]) -> None:
    """Named ticks for words and map cells; the usual ones for numbers."""
    if labels:
        axis.ticker = FixedTicker(ticks=list(labels))
        axis.major_label_overrides = labels
    elif isinstance(axis.ticker, FixedTicker):
        from bokeh.models import BasicTicker

        axis.ticker, axis.major_label_overrides = BasicTicker(), {}
