"""The plots beside the scene, made once: columns in, Bokeh out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from bokeh.models import BoxAnnotation, ColumnDataSource, CustomJSTickFormatter, FactorRange, HoverTool, Range1d, Span
from bokeh.plotting import figure

from app.figures.plot import named, new_plot, put
from core.figures.arrays.flight import FLAWLESS, Curve, Curves
from core.style import INK, MODE_COLOUR, MODE_NAME, policy_colour, policy_dash

STORED = {"rmse": "rmse_m", "v": "v_normalised", "delay": "command_delay_ms"}
"""The distributions, and what a stored reproduction calls them."""
TITLE = {
    "rmse": "RMSE [m]: share ≤ x",
    "v": "V/V_max: share ≥ x",
    "delay": "Delay [ms]: share ≤ x",
}
"""What each says; in the place of labels at the axes, which would take the room of the curves."""
PINNED = ("xs", "ys", "colour", "policy")
"""Columns of the faint lines of pinned flights."""
LOST = "#E5352B"
"""An exchange that was tried and failed."""
THICK, THIN = 3.0, 1.6
"""Lines of the policy inspected, and of the others."""

Faint = Mapping[str, Mapping[str, Curve]]
"""Lines by plot and policy."""


@dataclass(eq=False)
class FlightFigure:
    """All plots of the tab; `plots` by name: series, focus, rmse, v, delay, modes, coverage."""

    plots: dict[str, figure]
    sources: dict[str, ColumnDataSource]
    cursors: list[Span]
    ahead: list[BoxAnnotation]
    lines: dict[str, list[Any]]
    changes: list[tuple[Span, Span]] = field(default_factory=list)


def flight_figure(policies: tuple[str, ...], height: int = 200) -> FlightFigure:
    """Empty plots for these policies (every known one, so that the choice may change).

    Args:
        policies: names.
        height: of each plot [px]; the page stretches them.
    """
    s = {
        "series": ColumnDataSource({n: [] for n in ("cycle", *policies, FLAWLESS, "lag")}),
        "focus": ColumnDataSource({n: [] for n in ("cycle", *policies)}),
        "coverage": ColumnDataSource({n: [] for n in ("cycle", "covered", "so_far", "promised")}),
        "service": ColumnDataSource({n: [] for n in ("cycle", "V", "kind", "colour", "marker")}),
        "modes": ColumnDataSource({n: [] for n in ("policy", *_columns())}),
        **{
            name: ColumnDataSource({n: [] for n in ("xs", "ys", "colour", "dash", "width", "policy")})
            for name in STORED
        },
        **{f"pinned_{name}": ColumnDataSource({n: [] for n in PINNED}) for name in ("series", "focus", *STORED)},
    }
    series = _over_time("RMSE of the swarm by cycle [m]", height)
    focus = _over_time("V/V_max of the UAV in focus by cycle", height, series.x_range)
    lines: dict[str, list[Any]] = {}
    for p, plot, source in ((series, "series", s["series"]), (focus, "focus", s["focus"])):
        for name in policies:
            found = p.line(
                "cycle", name, source=source, color=policy_colour(name), line_dash=policy_dash(name),
                width=THIN, name=name,
            )  # fmt: skip
            lines.setdefault(name, []).append(found)
        what = "RMSE" if plot == "series" else "V/V_max"
        p.add_tools(
            HoverTool(
                renderers=[of[-1] for of in lines.values()],
                tooltips=[("policy", "$name"), ("cycle", "@cycle"), (what, "$y{0.000}")],
            )
        )
    series.line("cycle", FLAWLESS, source=s["series"], color=INK, width=1.6, line_dash="dashed", name=FLAWLESS)
    series.line("cycle", "lag", source=s["series"], color=INK, width=1.2, name="lag v/k")
    focus.scatter("cycle", "V", source=s["service"], marker="marker", size=7, color="colour", line_width=1.8)
    plots = {"series": series, "focus": focus, **{n: _distribution(n, s[n], height) for n in STORED}}
    for name, p in plots.items():
        faint = p.multi_line(
            "xs", "ys", source=s[f"pinned_{name}"], color="colour", alpha=0.55, line_dash=[6, 4], width=2
        )
        p.add_tools(HoverTool(renderers=[faint], tooltips=[("", "@policy"), ("x", "$x{0.00}"), ("y", "$y{0.000}")]))
    plots["modes"] = _modes(s["modes"], height)
    plots["coverage"] = _coverage(s["coverage"], height, series.x_range)
    for name, p in plots.items():
        p.css_classes = [name]  # the page's style sheet places it by this name
    cursors = [Span(dimension="height", line_color=INK, line_width=2) for _ in range(2)]
    ahead = [BoxAnnotation(fill_color=INK, fill_alpha=0.08, line_alpha=0.0) for _ in range(2)]
    for p, cursor, later in zip((series, focus), cursors, ahead, strict=True):
        p.add_layout(later)
        p.add_layout(cursor)
    return FlightFigure(plots, named("flight", s), cursors, ahead, lines)


def show_cycle(fig: FlightFigure, k: int) -> None:
    """Move the cursor; what comes after it is veiled."""
    for cursor, later in zip(fig.cursors, fig.ahead, strict=True):
        if cursor.location != k:
            cursor.location = k
            later.left = k


def show_curves(fig: FlightFigure, found: Curves, inspected: str, pinned: Faint | None = None) -> None:
    """Draw what explains the flight.

    Args:
        fig: made by `flight_figure`.
        found: of the cycle shown.
        inspected: policy whose lines are thick and whose services are marked.
        pinned: by plot and policy, what is drawn faintly beside it.
    """
    faint = {name: (pinned or {}).get(name, {}) for name in ("series", "focus", *STORED)}
    for name, old in faint.items():
        _show_faint(fig, name, old)
    cycle, nothing = np.arange(found.cycles), np.full(found.cycles, np.nan)
    rmse = {name: found.rmse.get(name, nothing) for name in fig.lines}
    put(fig.sources["series"], {"cycle": cycle, **rmse, FLAWLESS: found.flawless, "lag": found.lag})
    put(fig.sources["focus"], {"cycle": cycle, **{name: found.V.get(name, nothing) for name in fig.lines}})
    put(fig.sources["service"], _services(found, inspected))
    for name, curves in found.distributions.items():
        show_distribution(fig, name, curves, inspected)
    _show_shares(fig, found.shares)
    held = {"covered": found.covered, "so_far": found.covered_so_far, "promised": found.promised}
    put(fig.sources["coverage"], {"cycle": cycle, **held})
    # a single bad cycle must not hide how near the promise the rest is
    usual = np.nanpercentile(found.covered, 5) if np.isfinite(found.covered).any() else 1.0
    lowest = min(usual, _lowest((found.covered_so_far, found.promised), 1.0))
    _widen(fig.plots["coverage"].y_range, lowest - 0.05 * (1.0 - lowest) - 0.01, 1.01)
    for name, lines in fig.lines.items():
        for line in lines:
            width = THICK if name == inspected else THIN
            if line.glyph.line_width != width:
                line.glyph.line_width = width
    _mark_changes(fig, found.changes)
    _fit(fig.plots["series"].x_range, 0.0, float(found.cycles - 1))
    kept = [y for _, y in faint["series"].values()]
    every = np.concatenate([*found.rmse.values(), found.flawless, found.lag[found.lag > 0], *kept])
    _fit(fig.plots["series"].y_range, 0.93 * float(np.nanmin(every)), 1.05 * float(np.nanmax(every)))
    _fit(
        fig.plots["focus"].y_range,
        0.0,
        1.12 * _top([*found.V.values(), *(y for _, y in faint["focus"].values())], 0.05),
    )
    for name, curves in found.distributions.items():
        reach(fig, name, {**curves, **{f"{policy}, pinned": curve for policy, curve in faint[name].items()}})


def _show_faint(fig: FlightFigure, name: str, lines: Mapping[str, Curve]) -> None:
    columns = {
        "xs": [x for x, _ in lines.values()],
        "ys": [y for _, y in lines.values()],
        "colour": [policy_colour(policy) for policy in lines],
        "policy": [f"{policy}, pinned" for policy in lines],
    }
    put(fig.sources[f"pinned_{name}"], columns)


def reach(fig: FlightFigure, name: str, curves: Mapping[str, Curve]) -> None:
    """Lengthen the axes of a distribution until its curves fit; they stay put while the visitor goes back and forth."""
    drawn = [(x, y) for x, y in curves.values() if len(x)]
    if not drawn:
        return
    low, high = min(float(x[0]) for x, _ in drawn), max(float(x[-1]) for x, _ in drawn)
    _widen(fig.plots[name].x_range, 0.97 * low if name == "rmse" else 0.0, 1.03 * high)
    if name == "v":
        _widen(fig.plots[name].y_range, 0.7 * min(float(y[-1]) for _, y in drawn), 1.2)


def show_distribution(fig: FlightFigure, name: str, curves: Mapping[str, Curve], inspected: str = "") -> None:
    """Draw one distribution: "rmse", "v" or "delay", a curve per policy."""
    put(
        fig.sources[name],
        {
            "xs": [x for x, _ in curves.values()],
            "ys": [y for _, y in curves.values()],
            "colour": [INK if policy == FLAWLESS else policy_colour(policy) for policy in curves],
            "dash": ["dashed" if p == FLAWLESS else policy_dash(p) for p in curves],
            "width": [THICK if policy == inspected else THIN for policy in curves],
            "policy": list(curves),
        },
    )


def _services(found: Curves, inspected: str) -> dict[str, Any]:
    V = found.V[inspected]
    cycles = np.concatenate([found.delivered, found.lost])
    n, m = len(found.delivered), len(found.lost)
    return {
        "cycle": cycles,
        "V": V[cycles],
        "kind": ["delivered"] * n + ["lost"] * m,
        "colour": [policy_colour(inspected)] * n + [LOST] * m,
        "marker": ["circle"] * n + ["x"] * m,
    }


def _columns() -> list[str]:
    return [f"{side}{mode}" for mode in MODE_NAME for side in ("left", "right", "share")]


def _show_shares(fig: FlightFigure, shares: Mapping[str, Any]) -> None:
    policies = list(shares)
    ends = np.cumsum([shares[p] for p in policies], axis=1) if policies else np.empty((0, len(MODE_NAME)))
    columns: dict[str, Any] = {"policy": policies}
    for mode in MODE_NAME:
        columns |= {
            f"left{mode}": ends[:, mode - 1] if mode else np.zeros(len(policies)),
            f"right{mode}": ends[:, mode],
            f"share{mode}": [shares[p][mode] for p in policies],
        }
    factors = policies[::-1]
    if fig.plots["modes"].y_range.factors != factors:
        fig.plots["modes"].y_range.factors = factors
    put(fig.sources["modes"], columns)


def _mark_changes(fig: FlightFigure, changes: tuple[int, ...]) -> None:
    plots = (fig.plots["series"], fig.plots["focus"])
    while len(fig.changes) < len(changes):
        marks = tuple(Span(dimension="height", line_color=INK, line_dash="dotted", line_width=2) for _ in plots)
        for p, mark in zip(plots, marks, strict=True):
            p.add_layout(mark)
        fig.changes.append((marks[0], marks[1]))
    for i, pair in enumerate(fig.changes):
        at = changes[i] if i < len(changes) else None
        for mark in pair:
            if mark.location != at:
                mark.location = at


def _top(columns: Iterable[Any], least: float) -> float:
    found = [float(np.nanmax(c)) for c in columns if len(c) and np.isfinite(c).any()]
    return max([least, *found])


def _fit(axis: Range1d, start: float, end: float) -> None:
    """Move an axis only when its data did: a visitor's zoom survives every step."""
    if (axis.reset_start, axis.reset_end) != (start, end):
        axis.update(start=start, end=end, reset_start=start, reset_end=end)


def _widen(axis: Range1d, start: float, end: float) -> None:
    """Lengthen an axis when values leave it; it stays put while the visitor goes back and forth."""
    low, high = axis.reset_start, axis.reset_end
    known = low is not None and high is not None and high > low
    if not known or start < low or end > high:
        _fit(axis, min(start, low) if known else start, max(end, high) if known else end)


def _over_time(title: str, height: int, x_range: Range1d | None = None) -> figure:
    p = new_plot(
        height=height,
        tools="xbox_zoom,xpan,reset,save",
        title=title,
        x_range=x_range if x_range is not None else Range1d(0, 1),
        y_range=Range1d(0, 1),
    )
    return _dressed(p)


def _distribution(name: str, source: ColumnDataSource, height: int) -> figure:
    log = name == "v"
    p = new_plot(
        height=height,
        tools="box_zoom,pan,reset,save",
        title=TITLE[name],
        y_axis_type="log" if log else "linear",
        y_range=Range1d(1e-2, 1.2) if log else Range1d(0, 1.02),
        x_range=Range1d(0, 1),
    )
    lines = p.multi_line("xs", "ys", source=source, color="colour", line_dash="dash", line_width="width")
    p.add_tools(
        HoverTool(renderers=[lines], tooltips=[("policy", "@policy"), ("x", "$x{0.000}"), ("share", "$y{0.000}")])
    )
    return _dressed(p)


def _modes(source: ColumnDataSource, height: int) -> figure:
    p = new_plot(
        height=height,
        tools="save",
        title="Modes: share of UAV-cycles",
        x_range=Range1d(0, 1),
        y_range=FactorRange(),
    )
    for mode, name in MODE_NAME.items():
        bars = p.hbar(
            y="policy",
            left=f"left{mode}",
            right=f"right{mode}",
            height=0.7,
            source=source,
            color=MODE_COLOUR[mode],
            name=name,
        )
        p.add_tools(HoverTool(renderers=[bars], tooltips=[("policy", "@policy"), (name, f"@share{mode}{{0.0%}}")]))
    p.below[0].formatter = CustomJSTickFormatter(code="return `${Math.round(100 * tick)} %`")
    return _dressed(p)


def _coverage(source: ColumnDataSource, height: int, x_range: Range1d) -> figure:
    """How often the twin's set held, cycle by cycle and so far, beside what it promises (D26)."""
    p = _over_time("Links within the twin's set", height, x_range)
    p.line("cycle", "covered", source=source, color=INK, width=1.0, alpha=0.45, name="this cycle")
    p.line("cycle", "promised", source=source, color=INK, width=1.6, line_dash="dashed", name="promised 1 − β")
    p.line("cycle", "so_far", source=source, color=policy_colour("SAFE"), width=THICK, name="so far")
    columns = [("cycle", "@cycle"), ("this cycle", "@covered{0.000}"), ("so far", "@so_far{0.000}")]
    p.add_tools(HoverTool(mode="vline", tooltips=[*columns, ("promised 1 − β", "@promised{0.000}")]))
    return p


def _lowest(columns: Iterable[Any], most: float) -> float:
    found = [float(np.nanmin(c)) for c in columns if len(c) and np.isfinite(c).any()]
    return min([most, *found])


def _dressed(p: figure) -> figure:
    """Type that can be read on a projector, and little room around it."""
    p.title.text_font_size = "14px"
    for axis in (*p.below, *p.left):
        axis.major_label_text_font_size = "13px"
    p.frame_align = False  # each plot as wide as its own labels allow
    p.min_border_left = 40
    p.min_border_top = 2
    return p
