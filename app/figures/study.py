"""Curves with confidence bands and the map of winners of a what-if study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from bokeh.models import ColumnDataSource, DataRange1d, FixedTicker, HoverTool, Legend, LegendItem
from bokeh.plotting import figure

from app.figures.palette import INK, POLICY_COLOUR, POLICY_DASH, TOOLS
from app.figures.plot import put
from core.scenario import quantity_of
from core.simulation import METRICS
from core.studies import NO_COMMON_SEEDS, NO_DIRECTION, NOT_SIGNIFICANT, Study, curve, winners
from core.studies.axis import spelled
from core.studies.metrics import unit_of

DASHES = ("solid", "dashed", "dotted", "dotdash", "dashdot")
NOBODY = "#BBBBBB"
NO_WINNER = {NOT_SIGNIFICANT: "n. s.", NO_COMMON_SEEDS: "–", NO_DIRECTION: "–"}
"""What a cell of the map shows in place of a policy."""
SOURCES = {
    "bands": ("xs", "ys", "color"),
    "lines": ("xs", "ys", "color", "dash", "label", "alpha"),
    "points": ("x", "mean", "lo", "hi", "n", "label", "at", "color"),
    "cells": ("x", "y", "winner", "best", "color", "text", "margin", "mean", "n", "at"),
}


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
    p.multi_line("xs", "ys", source=s["lines"], color="color", line_dash="dash", line_width=2.5, line_alpha="alpha")
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
    baseline: tuple[Study, pd.DataFrame] | None = None,
) -> None:
    """Show a metric along one varied field; a pinned baseline lies behind it, thin and grey where it has no policy."""
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
    study: Study, frame: pd.DataFrame, metric: str, x: str, baseline: tuple[Study, pd.DataFrame] | None = None
) -> dict[str, Any]:
    """Columns of every source, titles and ticks, from the records alone."""
    sources: dict[str, dict[str, list[Any]]] = {name: {c: [] for c in columns} for name, columns in SOURCES.items()}
    values = list(next(a for a in study.axes if a.name == x).values)
    place = _places(values)
    if baseline is not None and x in baseline[0].names and metric in baseline[1]:
        _add_lines(sources, baseline[0], baseline[1], metric, x, place, pinned=True)
    _add_lines(sources, study, frame, metric, x, place, pinned=False)
    others = [a for a in study.axes if a.name != x]
    found: dict[str, Any] = {"map_x_ticks": {}, "map_y_ticks": {}, "map_y_label": ""}
    if len(others) == 1 and study.points is None:
        found = _add_cells(sources, study, frame, metric, x, others[0].name)
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


def title_of(metric: str) -> str:
    """A metric's name in words with its unit."""
    words = metric
    unit = unit_of(metric)
    if unit and words.endswith(f"_{unit}"):
        words = words.removesuffix(f"_{unit}")
    words = words.replace("_", " ").replace("rmse", "RMSE").replace("p95", "P95")
    words = "V / V_max" if words == "v" else words.replace(" v", " V / V_max") if words.endswith(" v") else words
    return f"{words} [{unit}]" if unit else words


def meaning_of(metric: str) -> str:
    """What a metric says and which values are better; empty for one that is not in the table."""
    if metric not in METRICS:
        return ""
    better = {"lower": " Lower is better.", "higher": " Higher is better.", "none": " Neither direction is better."}
    return METRICS[metric].sentence + better[METRICS[metric].direction]


def axis_label(name: str) -> str:
    """A varied field as an axis is labelled: symbol, field, unit."""
    quantity = quantity_of(name)
    return f"{quantity.symbol} ({name})" + (f" [{quantity.unit}]" if quantity.unit else "")


def _places(values: list[Any]) -> dict[Any, float | int]:
    """Where each value is drawn: numbers at themselves, words and switches one after the other."""
    numeric = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
    return {v: float(v) if numeric else i for i, v in enumerate(values)}


def _add_lines(
    sources: dict[str, dict[str, list[Any]]],
    study: Study,
    frame: pd.DataFrame,
    metric: str,
    x: str,
    place: dict[Any, float | int],
    *,
    pinned: bool,
) -> None:
    table = curve(frame, study, metric, x)
    others = [n for n in study.names if n != x]
    seen: dict[tuple[Any, ...], str] = {}
    for key, part in table.groupby([*others, "policy"], sort=False):
        *rest, policy = key
        dash = (
            POLICY_DASH.get(policy, "solid")
            if not others
            else seen.setdefault(tuple(rest), DASHES[len(seen) % len(DASHES)])
        )
        label = " · ".join(
            [str(policy), *(f"{quantity_of(n).symbol} = {spelled(v)}" for n, v in zip(others, rest, strict=True))]
        )
        label = f"{label} (pinned)" if pinned else label
        color = POLICY_COLOUR.get(policy, INK)
        # a pinned study may have values this one has not: numbers find their own place, words do not
        part = part[[v in place or isinstance(v, (float, np.floating, np.integer)) for v in part[x]]]
        at = [place.get(v, float(v) if not isinstance(v, str) else np.nan) for v in part[x]]
        order = np.argsort(at, kind="stable")
        xs, mean, lo, hi = (
            np.asarray(c, dtype=float)[order].tolist() for c in (at, part["mean"], part["lo"], part["hi"])
        )
        sources["lines"]["xs"].append(xs)
        sources["lines"]["ys"].append(mean)
        sources["lines"]["color"].append(INK if pinned else color)
        sources["lines"]["dash"].append(dash)
        sources["lines"]["label"].append(label)
        sources["lines"]["alpha"].append(0.6 if pinned else 1.0)
        banded = [(a, b, c) for a, b, c in zip(xs, lo, hi, strict=True) if np.isfinite(b) and np.isfinite(c)]
        if len(banded) > 1:
            bx, blo, bhi = (list(c) for c in zip(*banded, strict=True))
            sources["bands"]["xs"].append(bx + bx[::-1])
            sources["bands"]["ys"].append(blo + bhi[::-1])
            sources["bands"]["color"].append(INK if pinned else color)
        n = part["n"].to_numpy()[order].tolist()
        names = [spelled(v) if isinstance(v, (str, bool)) else f"{v:g}" for v in part[x].to_numpy()[order].tolist()]
        columns = (xs, mean, lo, hi, n, [label] * len(xs), names, [INK if pinned else color] * len(xs))
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
        cells["color"].append(NOBODY if row["winner"] in NO_WINNER else POLICY_COLOUR.get(row["winner"], INK))
        cells["text"].append(NO_WINNER.get(row["winner"], row["winner"]))
        cells["margin"].append(row["margin"])
        cells["mean"].append(row["mean"])
        cells["n"].append(row["n"])
        cells["at"].append(f"{x} = {row[x]}, {y} = {row[y]}")
    return {
        "map_x_ticks": {i: _short(v) for v, i in index[x].items()},
        "map_y_ticks": {i: _short(v) for v, i in index[y].items()},
        "map_y_label": axis_label(y),
    }


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else spelled(value)


def _ticks(axis: Any, labels: dict[float | int, str]) -> None:
    """Named ticks for words and map cells; the usual ones for numbers."""
    if labels:
        axis.ticker = FixedTicker(ticks=list(labels))
        axis.major_label_overrides = labels
    elif isinstance(axis.ticker, FixedTicker):
        from bokeh.models import BasicTicker

        axis.ticker, axis.major_label_overrides = BasicTicker(), {}
