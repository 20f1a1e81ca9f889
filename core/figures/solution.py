"""Curves of one loop and its action over one quantity, with the values at which something changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from core.figures.paper.axes import BLACK, label, legend_under, letters, line
from core.figures.paper.figure import Figure
from core.figures.paper.stamp import Stamp
from core.figures.paper.words import instant_words
from core.instant import Focus, Solution
from core.style import ACCENT, INK

MARK = {"color": INK, "linestyle": "dotted", "linewidth": 0.9}
"""A value at which something begins or ceases to hold."""


def solution(found: Solution, link: str = "") -> Figure:
    """Four panels over the quantity: admitted actions, cheapest admitted slots, Φ and U of the action in focus.

    Args:
        found: as `focus.solve(name)` gives it.
        link: query string of the page that shows the same.
    """
    c, variable, focus = found.curves, found.variable, found.focus
    over = f"{variable.meta.symbol} [{variable.meta.unit}]" if variable.meta.unit else variable.meta.symbol
    panels = (
        ("admitted actions", c.admitted.astype(np.float64), found.certifiable),
        ("cheapest [slots]", c.cheapest, found.certifiable),
        ("Φ / V_max", c.phi / c.V_max, found.admitted),
        ("U / V_max", c.U / c.V_max, found.chosen),
    )

    def paint(figure: Any, wide: bool) -> None:
        grid = figure.subplots(1, 4) if wide else figure.subplots(2, 2, sharex=True).ravel()
        for axes, (name, values, spans) in zip(grid, panels, strict=True):
            axes.plot(c.x, np.where(c.asked, values, np.nan), color=ACCENT, linewidth=1.3)
            axes.axvline(variable.here, color=BLACK, linewidth=0.9)
            for value in thresholds(spans.ranges, spans.ends):
                axes.axvline(value, **MARK)
            axes.grid(True)
            label(axes, over if wide or axes in grid[2:] else "", name)
        grid[2].axhline(0.0, color=INK, linewidth=0.8, linestyle="dashed")
        letters(grid)
        entries = {
            "now": line(color=BLACK, linewidth=0.9),
            "begins or ceases to hold": line(**MARK),
            "Φ = 0": line(color=INK, linewidth=0.8, linestyle="dashed"),
        }
        legend_under(figure, entries, 3)

    return Figure(
        "solution",
        f"UAV {focus.uav} over {variable.meta.symbol}: (a) actions that are admitted, (b) the cheapest of them, (c) drift bound and (d) value "
        f"of the action in focus. {found.said} {instant_words(focus.instant)}",
        Stamp.of_instant(focus.instant, link),
        {
            "curves": pd.DataFrame(
                {
                    variable.name: c.x,
                    "admitted_actions": c.admitted,
                    "cheapest_slots": c.cheapest,
                    "phi_over_V_max": c.phi / c.V_max,
                    "U_over_V_max": c.U / c.V_max,
                    "admitted": c.passes,
                    "sent": c.chosen,
                    "served": c.served,
                }
            )
        },
        paint,
        (3.2, 1.9),
    )


def solved(focus: Focus, link: str = "", name: str = "network.snr_offset_db") -> Figure:
    """`solution` of a loop over a quantity out of `core.instant.varied()`."""
    return solution(focus.solve(name), link)


def thresholds(ranges: tuple[tuple[float, float], ...], ends: tuple[float, float]) -> list[float]:
    """Ends of ranges that are not those of the quantity itself."""
    return [float(value) for pair in ranges for value, edge in zip(pair, ends, strict=True) if value != edge]
