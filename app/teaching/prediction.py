"""Two predicted paths of a loop, and how two ways to value a command rank the loops (lesson 06)."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool

from app.figures.plot import TOOLS, new_plot
from app.panel_fixes.figure_pane import FigurePane
from app.tabs.frontier.prediction import prediction_figure, update_prediction
from app.teaching.explorer import Explorer, choice, field_slider
from core.figures.arrays.prediction import prediction_words
from core.instant import Instant
from core.style import ACCENT, INK, UNSAFE_SIDE

WAYS = {
    "references": (INK, "reference"),
    "without": (UNSAFE_SIDE, "without service"),
    "at_once": (ACCENT, "with the command"),
}
"""Paths of the plan view: colour and name."""


def ranks(now: Instant) -> dict[str, list[Any]]:
    """Every loop's best U under the worst-case factors and under the prediction, with its place among all, as columns."""
    repaired = now.replace(scenario=now.scenario.replace(formulation="repaired"))
    unit, N = now.model.V_max, now.scenario.mission.uavs
    best = {name: best_values(there) / unit for name, there in (("worst case", repaired), ("predicted", now))}
    place = {name: [int((u > mine).sum()) + 1 if mine == mine else "–" for mine in u] for name, u in best.items()}
    sent = {name: there.allocation.choice >= 0 for name, there in (("worst case", repaired), ("predicted", now))}
    return {
        "UAV": list(range(1, N + 1)),
        "V / V_max": (now.states.V / unit).tolist(),
        "U worst case": best["worst case"].tolist(),
        "place (worst case)": place["worst case"],
        "served (worst case)": [bool(x) for x in sent["worst case"]],
        "U predicted": best["predicted"].tolist(),
        "place (predicted)": place["predicted"],
        "served (predicted)": [bool(x) for x in sent["predicted"]],
    }


def best_values(now: Instant) -> np.ndarray:
    """Largest U of each loop's admitted actions, nan for a loop without one, (N,) [m²]."""
    a, q = now.allocation, now.candidates
    U = np.where(a.admitted, a.U, -np.inf)
    found = np.array([U[q.offsets[i] : q.offsets[i + 1]].max(initial=-np.inf) for i in range(len(q.offsets) - 1)])
    return np.where(np.isfinite(found), found, np.nan)


def explore_paths(now: Instant, loop: int) -> Explorer:
    """Where a UAV will be with and without the command, from above, and what that does to V."""
    p = new_plot(
        height=320, tools=TOOLS, title=" ", x_axis_label="east x [m]", y_axis_label="north y [m]", match_aspect=True
    )
    sources = {}
    for name, (colour, words) in WAYS.items():
        sources[name] = ColumnDataSource({"x": [], "y": [], "z": [], "j": []})
        dash = "dashed" if name == "references" else "solid"
        p.line("x", "y", source=sources[name], color=colour, width=2.5, line_dash=dash, legend_label=words)
        p.scatter("x", "y", source=sources[name], color=colour, size=7, legend_label=words)
    p.add_tools(HoverTool(tooltips=[("cycles ahead", "@j"), ("z", "@z{0.0} m")]))
    p.add_layout(p.legend[0], "below")
    p.legend.orientation = "horizontal"
    p.legend.border_line_color = None
    fig = prediction_figure(height=300)

    def update(uav: int, L: int) -> str:
        there = now.replace(scenario=now.scenario.replace(**{"allocation.lookahead_cycles": L}))
        focus = there.on(uav - 1)
        found = focus.paths
        for name, source in sources.items():
            x, y, z = getattr(found, name).T
            source.data = {"x": x, "y": y, "z": z, "j": np.arange(len(x))}
        p.title.text = f"UAV {uav}, the next {L} cycles from above"
        update_prediction(fig, focus)
        return f"{prediction_words(focus)} G / V_max = {found.G / focus.model.V_max:.3f}."

    uavs = list(range(1, now.scenario.mission.uavs + 1))
    return Explorer(
        {
            "uav": choice("UAV", uavs, loop + 1),
            "L": field_slider("allocation.lookahead_cycles", value=now.scenario.allocation.lookahead_cycles, end=8),
        },
        [[FigurePane(p), FigurePane(fig.energy)]],
        update,
    )
