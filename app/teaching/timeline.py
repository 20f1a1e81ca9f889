"""What happens when: the slots of one frame, and one loop over the cycles of a flight (lessons 00 and 07)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import panel as pn
from bokeh.models import ColumnDataSource, HoverTool, Range1d

from app.figures.plot import TOOLS, new_plot
from app.panel_fixes.figure_pane import FigurePane
from app.teaching.charts import Chart
from core.allocation import DOWNLINK
from core.instant import Flight
from core.simulation import Fate
from core.style import INK, NEUTRAL, SAFE_SIDE, UNSAFE_SIDE, policy_colour

FATE = {
    Fate.ARRIVED: (SAFE_SIDE, "received"),
    Fate.LOST: (UNSAFE_SIDE, "lost"),
    Fate.NOT_NEEDED: (NEUTRAL[1], "not needed"),
    Fate.NOTHING_TO_SEND: ("#00000000", "nothing to send"),
}
"""Colour and name of what became of an attempt."""


class FrameChart(pn.viewable.Viewer):
    """One frame slot by slot: a row per UAV, a bar per reserved attempt, coloured by what became of it.

    Args:
        flight: whose frames.
        height: of the figure [px].
    """

    def __init__(self, flight: Flight, height: int = 260) -> None:
        super().__init__()
        self.flight = flight
        self.source = ColumnDataSource({n: [] for n in ("left", "right", "uav", "colour", "fate", "way", "hop")})
        N, network = flight.scenario.mission.uavs, flight.scenario.network
        self.plot = new_plot(
            height=height,
            tools=TOOLS,
            title=" ",
            x_axis_label="time since the cycle began [ms]",
            y_axis_label="UAV",
            x_range=Range1d(0.0, 1e3 * network.frame_s),
            y_range=Range1d(N + 0.5, 0.5),
        )
        self.plot.left[0].ticker = list(range(1, N + 1))
        style: dict[str, Any] = {"fill_color": "colour", "line_color": INK, "line_width": 1, "legend_field": "fate"}
        bars = self.plot.hbar(y="uav", left="left", right="right", height=0.7, source=self.source, **style)
        tips = [("UAV", "@uav"), ("", "@way, hop @hop"), ("", "@fate"), ("ms", "@left{0.0} … @right{0.0}")]
        self.plot.add_tools(HoverTool(renderers=[bars], tooltips=tips))
        self.plot.add_layout(self.plot.legend[0], "below")
        self.plot.legend.orientation = "horizontal"
        self.plot.legend.border_line_color = None
        self._pane = FigurePane(self.plot)

    def show(self, k: int) -> None:
        """Draw the frame of cycle k as it was sent."""
        sent = self.flight.frame(k)
        self.source.data = {
            "left": 1e3 * sent.begin_s,
            "right": 1e3 * sent.end_s,
            "uav": sent.loop + 1,
            "colour": [FATE[Fate(f)][0] for f in sent.fate],
            "fate": [FATE[Fate(f)][1] for f in sent.fate],
            "way": np.where(sent.direction == DOWNLINK, "command down", "telemetry up").tolist(),
            "hop": sent.hop + 1,
        }
        period_ms = 1e3 * self.flight.scenario.control.Ts
        self.plot.title.text = (
            f"The frame of cycle {k}: {self.flight.scenario.network.slots} slots in the first "
            f"{self.plot.x_range.end:.0f} of {period_ms:.0f} ms"
        )

    def __panel__(self) -> pn.viewable.Viewable:
        return self._pane


def service_chart(flights: Mapping[str, Flight], loop: int, height: int = 320) -> Chart:
    """V/V_max of one loop over the cycles under some policies; dots are exchanges that arrived, crosses some that did not.

    Args:
        flights: by policy, flown to the end.
        loop: counted from 0.
        height: of the figure [px].
    """
    p = new_plot(
        height=height,
        tools=TOOLS,
        title=f"UAV {loop + 1}: energy and service (● exchange complete, ✕ served, not complete)",
        x_axis_label="cycle k",
        y_axis_label="V / V_max [-]",
    )
    sources = {}
    for name, flight in flights.items():
        past, colour = flight.history(), policy_colour(name)
        v = past.v_normalised[:, loop].astype(float)
        k = np.arange(len(v))
        sources[name] = ColumnDataSource({"x": k, "y": v})
        p.line("x", "y", source=sources[name], color=colour, width=2.5, legend_label=name)
        served, whole = past.served[:, loop], past.delivered[:, loop]
        for marker, rows in (("circle", served & whole), ("x", served & ~whole)):
            p.scatter(k[rows], v[rows], marker=marker, size=9, color=colour, line_width=2)
    p.add_tools(HoverTool(tooltips=[("cycle", "$x{0}"), ("V / V_max", "$y{0.000}")]))
    p.add_layout(p.legend[0], "below")
    p.legend.orientation = "horizontal"
    p.legend.click_policy = "hide"
    p.legend.border_line_color = None
    return Chart(p, sources, ("x", "y"))
