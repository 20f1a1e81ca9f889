"""What the next cycles bring to a loop with and without the exchange (D23): its ways, its energy, its distance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from core.figures.arrays.prediction import prediction_data, prediction_words
from core.figures.paper.axes import BLACK, label, legend_under, letters
from core.figures.paper.figure import Figure
from core.figures.paper.stamp import Stamp
from core.figures.paper.words import instant_words
from core.instant import Focus
from core.style import ACCENT, INK, UNSAFE_SIDE


def prediction(focus: Focus, link: str = "") -> Figure:
    """Three panels: plan view of the two ways and the reference, V/V_max, distance from the reference.

    Args:
        focus: the loop.
        link: query string of the page that shows the same.
    """
    ahead, data = focus.paths, prediction_data(focus)
    ways = {
        "reference": ahead.references,
        "without": ahead.without,
        "served_late": ahead.at_end,
        "served_at_once": ahead.at_once,
    }

    def paint(figure: Any, wide: bool) -> None:
        if wide:
            plan, energy, distance = figure.subplots(1, 3, width_ratios=(1.15, 1, 1))
        else:
            grid = figure.add_gridspec(2, 2, height_ratios=(1.25, 1))
            plan, energy, distance = (figure.add_subplot(grid[at]) for at in ((0, slice(None)), (1, 0), (1, 1)))
        lost: dict[str, Any] = {"color": UNSAFE_SIDE, "marker": "x", "markersize": 3.5}
        late: dict[str, Any] = {"color": ACCENT, "marker": "o", "markersize": 2.8}
        once: dict[str, Any] = {"color": ACCENT, "linestyle": "dotted"}
        (reference,) = plan.plot(*ways["reference"][:, :2].T, color=BLACK, linewidth=1.0, marker="s", markersize=2.2)
        (without,) = plan.plot(*ways["without"][:, :2].T, **lost)
        (served,) = plan.plot(*ways["served_late"][:, :2].T, **late)
        (at_once,) = plan.plot(*ways["served_at_once"][:, :2].T, **once)
        (now,) = plan.plot(
            *ways["without"][0, :2],
            marker="*",
            markersize=8,
            color="#ffffff",
            markeredgecolor=BLACK,
            linestyle="none",
            zorder=5,
        )
        plan.set_aspect("equal", adjustable="datalim")
        plan.margins(0.12)
        label(plan, "x [m]", "y [m]")
        cycle = data["cycle"]
        limit = energy.axhline(1.0, color=INK, linestyle="dashed", linewidth=0.8)
        energy.plot(cycle, data["V_without"], **lost)
        energy.plot(cycle, data["V_served"], **late)
        label(energy, "cycles ahead", "V / V_max")
        distance.plot(cycle, data["off_without"], **lost)
        distance.plot(cycle, data["off_at_end"], **late)
        distance.plot(cycle, data["off_at_once"], **once)
        label(distance, "cycles ahead", "distance [m]")
        for axes in (energy, distance):
            axes.set_xlim(0, max(int(cycle[-1]), 1))
            axes.set_ylim(bottom=0.0)
            axes.xaxis.get_major_locator().set_params(integer=True)
        for axes in (plan, energy, distance):
            axes.grid(True)
        letters((plan, energy, distance))
        entries = {
            "now": now,
            "reference": reference,
            "without service": without,
            "command late": served,
            "command at once": at_once,
            "V = V_max": limit,
        }
        legend_under(figure, entries, 6 if wide else 3)

    where = [
        pd.DataFrame(
            {"way": name, "cycles_ahead": np.arange(len(at)), "x_m": at[:, 0], "y_m": at[:, 1], "z_m": at[:, 2]}
        )
        for name, at in ways.items()
    ]
    return Figure(
        "prediction",
        f"The next {ahead.cycles} cycles of UAV {focus.uav} as the twin predicts them: (a) plan view, (b) tracking energy, "
        f"(c) distance from the reference. {prediction_words(focus)} {instant_words(focus.instant)}",
        Stamp.of_instant(focus.instant, link),
        {
            "ways": pd.concat(where, ignore_index=True),
            "ahead": pd.DataFrame(
                {
                    "cycles_ahead": data["cycle"],
                    "V_over_V_max_without": data["V_without"],
                    "V_over_V_max_served": data["V_served"],
                    "distance_m_without": data["off_without"],
                    "distance_m_at_once": data["off_at_once"],
                    "distance_m_late": data["off_at_end"],
                }
            ),
        },
        paint,
        (3.9, 2.4),
    )
