"""The live run: swarm in plan and elevation, growing ECDFs, time series."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from bokeh.models import ColumnDataSource, HoverTool, Range1d
from bokeh.plotting import figure

from app.figures.palette import INK, MODE, MODE_NAME, POLICY_DASH, TOOLS, policy_colour
from app.figures.plot import named, new_plot, put
from app.live import LiveRun
from core.cli.ecdf_figures import AXES
from core.network import building_box, node_positions
from core.scenario import Scenario
from core.simulation import CycleRecord
from core.studies.statistics import ecdf

POINTS = 120
"""Points per ECDF curve: enough for the eye, light for the line."""
START = {"RMSE [m]": 15.0, "V / V_max [-]": 0.4, "command delay [ms]": 12.0}
"""Where each ECDF's axis ends at first."""
STORED = {"rmse": "rmse_m", "v": "v_normalised", "delay": "command_delay_ms"}
"""The ECDFs, and what a stored reproduction calls them."""
ECDFS = tuple((name, AXES[stored]) for name, stored in STORED.items())


@dataclass(frozen=True)
class LiveFigure:
    """All plots of the live tab, made once."""

    plan: figure
    elevation: figure
    ecdfs: dict[str, figure]
    series: figure
    sources: dict[str, ColumnDataSource]


def live_figure(policies: tuple[str, ...], height: int = 250) -> LiveFigure:
    """Empty plots for these policies (every known one, so that the set may change)."""
    s = {
        "uavs": ColumnDataSource({k: [] for k in ("x", "y", "z", "colour", "mode", "uav", "error")}),
        "references": ColumnDataSource({k: [] for k in ("x", "y", "z")}),
        "routes": ColumnDataSource({k: [] for k in ("xs", "ys", "zs", "colour")}),
        "building": ColumnDataSource({k: [] for k in ("left", "right", "bottom", "top", "height")}),
        "gcs": ColumnDataSource({k: [] for k in ("x", "y", "z")}),
        "series": ColumnDataSource({k: [] for k in ("t", *policies)}),
        **{name: ColumnDataSource({k: [] for k in ("xs", "ys", "colour", "dash", "policy")}) for name, _ in ECDFS},
    }
    plan = _map("Who is heard? Plan view", "north y [m]", s, "y", height)
    elevation = _map("The roof decides who needs a relay: elevation", "height z [m]", s, "z", height)
    elevation.x_range = plan.x_range
    ecdfs = {name: _ecdf(label, s[name], height) for name, label in ECDFS}
    series = new_plot(
        height=190,
        tools=TOOLS,
        x_axis_label="time [s]",
        y_axis_label="RMSE [m]",
        title="Swarm RMSE as it happens: hotspots and gusts show as bumps",
        x_range=Range1d(0, 30),
        y_range=Range1d(0, 15),
    )
    for name in policies:
        series.line(
            "t",
            name,
            source=s["series"],
            color=policy_colour(name),
            line_dash=POLICY_DASH.get(name, "solid"),
            width=2,
            name=name,
        )
    series.add_tools(HoverTool(tooltips=[("policy", "$name"), ("t", "@t{0.0} s"), ("RMSE", "$y{0.00} m")]))
    return LiveFigure(plan, elevation, ecdfs, series, named("live", s))


def show_scene(fig: LiveFigure, scenario: Scenario) -> None:
    """Draw what does not move: building and ground station."""
    box = building_box(scenario)
    if box is None:
        fig.sources["building"].data = {k: [] for k in ("left", "right", "bottom", "top", "height")}
    else:
        lo, hi = box
        fig.sources["building"].data = {
            "left": [lo[0]],
            "right": [hi[0]],
            "bottom": [lo[1]],
            "top": [hi[1]],
            "height": [hi[2]],
        }
    x, y, z = scenario.network.gcs
    fig.sources["gcs"].data = {"x": [x], "y": [y], "z": [z]}


def show_swarm(fig: LiveFigure, scenario: Scenario, record: CycleRecord) -> None:
    """Draw one policy's swarm at the end of a cycle."""
    put(
        fig.sources["uavs"],
        {
            "x": record.positions[:, 0],
            "y": record.positions[:, 1],
            "z": record.positions[:, 2],
            "colour": [MODE[int(m)] for m in record.mode],
            "mode": [MODE_NAME[int(m)] for m in record.mode],
            "uav": np.arange(1, len(record.mode) + 1),
            "error": np.linalg.norm(record.positions - record.references, axis=1),
        },
    )
    put(fig.sources["references"], {c: record.references[:, i] for i, c in enumerate("xyz")})
    nodes = node_positions(scenario, record.positions)
    xs, ys, zs, colours = [], [], [], []
    for loop, up, _down in record.routes():
        xs.append(nodes[up, 0])
        ys.append(nodes[up, 1])
        zs.append(nodes[up, 2])
        colours.append(MODE[int(record.mode[loop])])
    fig.sources["routes"].data = {"xs": xs, "ys": ys, "zs": zs, "colour": colours}


def show_distributions(fig: LiveFigure, run: LiveRun) -> None:
    """Redraw the three ECDFs from everything flown so far."""
    flown = {policy: track for policy, track in run.tracks.items() if track.rmse}
    for name, _ in ECDFS:
        samples = {
            policy: {"rmse": track.rmse, "v": track.v, "delay": np.concatenate(track.delays)}[name]
            for policy, track in flown.items()
        }
        curves = {policy: ecdf(np.asarray(found), POINTS) for policy, found in samples.items()}
        _show_curves(fig, name, curves)
        _reach(fig.ecdfs[name].x_range, max((float(x[-1]) for x, _ in curves.values() if len(x)), default=0.0))


def show_stored(fig: LiveFigure, curves: pd.DataFrame, policies: Collection[str]) -> None:
    """Draw a stored reproduction's ECDFs (core.studies.reproduction.Reproduction.curves) of some policies."""
    for name, _ in ECDFS:
        rows = curves[(curves["figure"] == STORED[name]) & curves["policy"].isin(policies)]
        lines = rows.groupby("policy", sort=False)[["value", "share"]]
        _show_curves(fig, name, {str(policy): (of["value"].to_numpy(), of["share"].to_numpy()) for policy, of in lines})


def _show_curves(fig: LiveFigure, name: str, curves: Mapping[str, tuple[Any, Any]]) -> None:
    put(
        fig.sources[name],
        {
            "xs": [x for x, _ in curves.values()],
            "ys": [y for _, y in curves.values()],
            "colour": [policy_colour(policy) for policy in curves],
            "dash": [POLICY_DASH.get(policy, "solid") for policy in curves],
            "policy": list(curves),
        },
    )


def stream_series(fig: LiveFigure, run: LiveRun, records: list[dict[str, CycleRecord]], rollover: int = 3000) -> None:
    """Append the newest cycles to the time series."""
    Ts = run.scenario.control.Ts
    source = fig.sources["series"]
    names = [n for n in source.data if n != "t"]
    rows: dict[str, list[float]] = {"t": []} | {n: [] for n in names}
    for cycle in records:
        rows["t"].append((next(iter(cycle.values())).k + 1) * Ts)
        for n in names:
            rows[n].append(cycle[n].rmse if n in cycle else float("nan"))
    source.stream(rows, rollover=rollover)
    _reach(fig.series.x_range, rows["t"][-1])
    _reach(fig.series.y_range, max((v for n in names for v in rows[n] if v == v), default=0.0))


def _reach(axis: Range1d, value: float) -> None:
    """Lengthen an axis when a value leaves it; a DataRange1d would report every change back and fill the line."""
    if value > axis.end:
        axis.update(end=1.25 * value, reset_end=1.25 * value)


def clear(fig: LiveFigure) -> None:
    """Forget a run."""
    for name in ("uavs", "references", "routes", "series", *(n for n, _ in ECDFS)):
        fig.sources[name].data = {k: [] for k in fig.sources[name].data}


def _map(title: str, label: str, s: dict[str, ColumnDataSource], axis: str, height: int) -> figure:
    p = new_plot(
        height=height,
        tools=TOOLS,
        title=title,
        x_axis_label="east x [m]",
        y_axis_label=label,
        x_range=Range1d(-350, 90),
        y_range=Range1d(-95, 95) if axis == "y" else Range1d(0, 130),
    )
    if axis == "y":
        p.quad("left", "right", "top", "bottom", source=s["building"], color=INK, alpha=0.45)
    else:
        p.quad("left", "right", "height", 0, source=s["building"], color=INK, alpha=0.45)
    p.multi_line("xs", axis + "s", source=s["routes"], color="colour", alpha=0.7, width=1.3)
    p.scatter("x", axis, source=s["references"], marker="x", size=5, color=INK, alpha=0.7)
    dots = p.scatter("x", axis, source=s["uavs"], size=8, color="colour", line_color="white", line_width=0.5)
    p.scatter("x", axis, source=s["gcs"], marker="triangle", size=13, color=INK)
    p.add_tools(
        HoverTool(
            renderers=[dots],
            tooltips=[("UAV", "@uav"), ("mode", "@mode"), ("error", "@error{0.0} m"), ("z", "@z{0} m")],
        )
    )
    return p


def _ecdf(label: str, source: ColumnDataSource, height: int) -> figure:
    titles = {
        "RMSE [m]": "Tracking: left is better",
        "V / V_max [-]": "Risk: the upper tail matters",
        "command delay [ms]": "Delay: SAFE need not win here",
    }
    p = new_plot(
        height=height,
        tools=TOOLS,
        title=titles[label],
        x_axis_label=label,
        y_axis_label="share of samples ≤ x",
        y_range=Range1d(0, 1.02),
        x_range=Range1d(0, START[label]),
    )
    lines = p.multi_line("xs", "ys", source=source, color="colour", line_dash="dash", width=2.2)
    p.add_tools(
        HoverTool(renderers=[lines], tooltips=[("policy", "@policy"), ("x", "$x{0.00}"), ("share", "$y{0.00}")])
    )
    return p
