"""A swarm in plan and elevation, for the notebooks (lesson 00)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, Range1d
from bokeh.plotting import figure

from app.figures.plot import TOOLS, new_plot, put
from core.instant import Flight
from core.network import all_boxes, node_positions
from core.style import INK, MODE_COLOUR, MODE_NAME


@dataclass(frozen=True)
class SwarmFigure:
    """Both views of one cycle."""

    plan: figure
    elevation: figure
    sources: dict[str, ColumnDataSource]


def swarm_figure(flight: Flight, height: int = 280) -> SwarmFigure:
    """Building and ground station; `show_swarm` draws what flies.

    Args:
        flight: whose.
        height: of each view [px].
    """
    s = {
        "uavs": ColumnDataSource({k: [] for k in ("x", "y", "z", "colour", "mode", "uav", "error")}),
        "references": ColumnDataSource({k: [] for k in ("x", "y", "z")}),
        "routes": ColumnDataSource({k: [] for k in ("xs", "ys", "zs", "colour")}),
    }
    plan = _view("Who is heard? Plan view", "north y [m]", flight, s, 1, height)
    elevation = _view("The roof decides who needs a relay: elevation", "height z [m]", flight, s, 2, height)
    elevation.x_range = plan.x_range
    return SwarmFigure(plan, elevation, s)


def show_swarm(fig: SwarmFigure, flight: Flight, k: int) -> None:
    """Draw the swarm at the start of cycle k and the uplink routes of its frame."""
    positions, references, mode = flight.positions(k), flight.trace.positions[k], flight.history().mode[k]
    put(
        fig.sources["uavs"],
        {
            **{c: positions[:, i] for i, c in enumerate("xyz")},
            "colour": [MODE_COLOUR[int(m)] for m in mode],
            "mode": [MODE_NAME[int(m)] for m in mode],
            "uav": np.arange(1, len(mode) + 1),
            "error": np.linalg.norm(positions - references, axis=1),
        },
    )
    put(fig.sources["references"], {c: references[:, i] for i, c in enumerate("xyz")})
    nodes = node_positions(flight.scenario, positions.astype(np.float64))
    sent = flight.exchanges(k)
    ways = {loop: nodes[list(exchange.ul)] for loop, exchange in sent.items()}
    columns = {f"{c}s": [way[:, i] for way in ways.values()] for i, c in enumerate("xyz")}
    fig.sources["routes"].data = {**columns, "colour": [MODE_COLOUR[int(mode[loop])] for loop in ways]}


def _view(title: str, label: str, flight: Flight, s: dict[str, ColumnDataSource], axis: int, height: int) -> figure:
    name, gcs = "xyz"[axis], flight.scenario.network.gcs
    places = np.vstack([flight.trace.positions.reshape(-1, 3), [gcs]])
    low, high = places.min(axis=0) - 20.0, places.max(axis=0) + 30.0
    p = new_plot(
        height=height,
        tools=TOOLS,
        title=title,
        x_axis_label="east x [m]",
        y_axis_label=label,
        x_range=Range1d(float(low[0]), float(high[0])),
        y_range=Range1d(float(low[axis]) if axis == 1 else 0.0, float(high[axis])),
    )
    for box in all_boxes(flight.scenario).tolist():
        p.quad(left=box[0], right=box[3], bottom=box[axis], top=box[3 + axis], color=INK, alpha=0.45)
    p.multi_line("xs", f"{name}s", source=s["routes"], color="colour", alpha=0.7, width=1.3)
    p.scatter("x", name, source=s["references"], marker="x", size=5, color=INK, alpha=0.7)
    dots = p.scatter("x", name, source=s["uavs"], size=8, color="colour", line_color="white", line_width=0.5)
    p.scatter([gcs[0]], [gcs[axis]], marker="triangle", size=13, color=INK)
    tips = [("UAV", "@uav"), ("mode", "@mode"), ("error", "@error{0.0} m"), ("z", "@z{0} m")]
    p.add_tools(HoverTool(renderers=[dots], tooltips=tips))
    return p
