"""What the plots beside the scene show: columns in, the sources and axes of plots that are made once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from bokeh.models import Range1d, Span

from app.figures.plot import put
from app.tabs.flight.plots import STORED, THICK, THIN, FlightFigure
from core.figures.arrays.flight import FLAWLESS, Curve, Curves
from core.style import INK, MODE_NAME, policy_colour, policy_dash

LOST = "#E5352B"
"""An exchange that was tried and failed."""

Faint = Mapping[str, Mapping[str, Curve]]
"""Lines by plot and policy."""


def show_cycle(fig: FlightFigure, k: int) -> None:
    """Move the cursor; what comes after it is veiled."""
    for cursor, later in zip(fig.cursors, fig.ahead, strict=True):
        if cursor.location != k:
            cursor.location = k
            later.left = k


def show_curves(fig: FlightFigure, found: Curves, inspected: str, pinned: Faint | None = None) -> None:
    """Draw what explains the flight.

    Args:
        fig: made by `plots.flight_figure`.
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


def _lowest(columns: Iterable[Any], most: float) -> float:
    found = [float(np.nanmin(c)) for c in columns if len(c) and np.isfinite(c).any()]
    return min([most, *found])
