"""The allocation: TDMA frame, value of slots, and the loops that share them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from bokeh.models import BoxAnnotation, ColumnDataSource, FixedTicker, HoverTool, Range1d, Span
from bokeh.plotting import figure

from app.figures.plot import TOOLS, Steady, at_least, empty, fit, named, new_plot, put
from core.figures.arrays.frame import ATTEMPT, LABEL, SYNCHRONISATION, attempts, before_blocks, labels
from core.figures.arrays.loops import loops_table
from core.instant import Focus
from core.style import ACCENT, FOCUS, INK

TOP, P2_LANE, BEFORE_LANE = 2.5, (-0.5, -0.2), (-1.05, -0.7)
"""Upper end of the frame's plot, and its two thin lanes: who may spend which slots, and the frame before the last move."""

BEFORE, PINNED = "before", "pinned"
"""What the lane of the ghost is called."""


@dataclass(frozen=True)
class AllocationFigure:
    """Three plots made once, and their sources."""

    frame: figure
    curve: figure
    marginal: figure
    sources: dict[str, ColumnDataSource]
    budget: tuple[Span, Span]
    reserve: tuple[BoxAnnotation, BoxAnnotation]
    steady: Steady = field(default_factory=Steady)


def allocation_figure(height: int = 230) -> AllocationFigure:
    """Empty allocation plots; fill them with `update_allocation`."""
    s = {
        "frame": empty(*ATTEMPT),
        "labels": empty(*LABEL),
        "lanes": empty("left", "right", "bottom", "top", "colour", "what", "slots"),
        "before": empty("left", "right", "bottom", "top", "uav"),
        "curve": empty("b", "F"),
        "curve_before": empty("b", "F"),
        "spent": empty("b", "F"),
        "marginal": empty("b", "m"),
    }
    frame = _frame_plot(s)
    curve = new_plot(
        height=height,
        tools=TOOLS,
        title="What are b slots worth?",
        y_axis_label="F_N(b) / V_max",
        x_axis_label="slots b",
        x_range=Range1d(0, 1),
        y_range=Range1d(0, 1),
    )
    ghost: dict[str, Any] = {"color": INK, "alpha": 0.7, "width": 1.5, "line_dash": "dashed"}
    curve.step("b", "F", source=s["curve_before"], mode="after", **ghost)
    line = curve.step("b", "F", source=s["curve"], mode="after", width=2.5, color=ACCENT)
    curve.scatter("b", "F", source=s["spent"], size=11, color=FOCUS, line_color=INK)
    tips = [("slots", "@b"), ("F_N(b) / V_max", "@F{0.0000}")]
    curve.add_tools(HoverTool(renderers=[line], tooltips=tips, mode="vline"))
    marginal = new_plot(
        height=height,
        tools=TOOLS,
        title="What does slot b add?  F_N(b) − F_N(b−1)",
        x_axis_label="slots b",
        y_axis_label="ΔF / V_max",
        x_range=curve.x_range,
        y_range=Range1d(0, 1),
    )
    bars = marginal.vbar("b", 1.0, "m", source=s["marginal"], color=ACCENT)
    marginal.add_tools(
        HoverTool(renderers=[bars], tooltips=[("slot", "@b"), ("ΔF / V_max", "@m{0.00000}")], mode="vline")
    )
    style: dict[str, Any] = {"dimension": "height", "line_color": FOCUS, "line_width": 2, "line_dash": "dashed"}
    budget = Span(location=0, **style), Span(location=0, **style)
    shade: dict[str, Any] = {"fill_color": SYNCHRONISATION, "fill_alpha": 0.15, "line_color": None, "visible": False}
    reserve = BoxAnnotation(left=0, right=0, **shade), BoxAnnotation(left=0, right=0, **shade)
    for plot, end, box in zip((curve, marginal), budget, reserve, strict=True):
        at_least(plot, 400)
        plot.add_layout(box)
        plot.add_layout(end)
    return AllocationFigure(frame, curve, marginal, named("allocation", s), budget, reserve)


def _frame_plot(s: dict[str, ColumnDataSource]) -> figure:
    p = new_plot(
        grid=False,
        height=190,
        tools="xpan,xwheel_zoom,reset,save,tap",
        title=" ",
        x_axis_label="slots",
        x_range=Range1d(0, 1),
        y_range=Range1d(P2_LANE[0] - 0.05, TOP),
    )
    quad = ("left", "right", "top", "bottom")
    still: dict[str, Any] = {"line_color": INK, "line_width": 0.7}
    blocks = p.quad(
        *quad,
        source=s["frame"],
        fill_color="colour",
        fill_alpha="alpha",
        nonselection_fill_alpha="alpha",
        nonselection_line_alpha=1.0,
        **still,
    )
    lanes = p.quad(*quad, source=s["lanes"], fill_color="colour", fill_alpha=0.55, **still)
    ghost = p.quad(*quad, source=s["before"], fill_color=None, line_color=INK, line_dash="dashed", line_alpha=0.8)
    names: dict[str, Any] = {"text_align": "center", "text_baseline": "bottom", "text_font_size": "12px"}
    p.text(*LABEL, source=s["labels"], text_color=INK, **names)
    p.add_tools(
        HoverTool(renderers=[blocks], tooltips=[("UAV", "@uav"), ("slots", "@slot"), ("", "@what")]),
        HoverTool(renderers=[lanes], tooltips=[("", "@what"), ("slots", "@slots")]),
        HoverTool(renderers=[ghost], tooltips=[("before: UAV", "@uav"), ("from slot", "@left to @right")]),
    )
    p.left[0].ticker = FixedTicker(ticks=list(_lane_names(0)))
    return p


def _lane_names(reserve: int, ghost: str = BEFORE) -> dict[float, str]:
    p2 = "P2 | reserve" if reserve else "P2"
    return {0.5: "downlink", 1.5: "uplink", sum(P2_LANE) / 2: p2, sum(BEFORE_LANE) / 2: ghost}


def update_allocation(
    fig: AllocationFigure, focus: Focus, before: Focus | None = None, ghost: str = BEFORE
) -> dict[str, Any]:
    """Patch every source with the numbers of an instant; returns them, with the table's columns under "table".

    Args:
        fig: made by `allocation_figure`.
        focus: a loop of the instant.
        before: the loop before the last move, or a pinned one, its frame drawn as a ghost.
        ghost: what that is called at its lane.
    """
    fig.steady.at(focus)
    data = allocation_data(focus, before)
    for name, columns in data["sources"].items():
        put(fig.sources[name], columns)
    fig.sources["frame"].selected.indices = []
    slots, room = data["slots"], data["room"]
    longer = (
        before.allocation.budget if before is not None and ghost == PINNED else 0
    )  # a pinned frame is never cut off
    fit(fig.frame.x_range, 0.0, max(slots, longer, 1))
    lowest = (BEFORE_LANE if before is not None else P2_LANE)[0]
    fit(fig.frame.y_range, lowest - 0.05, TOP)
    fig.frame.left[0].major_label_overrides = _lane_names(slots - room, ghost)
    for end, box in zip(fig.budget, fig.reserve, strict=True):
        end.location = slots
        box.update(left=room, right=slots, visible=room < slots)
    curve, old, marginal = (data["sources"][name] for name in ("curve", "curve_before", "marginal"))
    fit(fig.curve.x_range, 0.0, max(float(curve["b"][-1]), float(len(old["b"]) - 1), slots, 1.0) + 0.5)
    highest = max(float(curve["F"].max()), float(np.max(old["F"], initial=0.0)), 1e-6)
    fit(fig.curve.y_range, 0.0, 1.06 * fig.steady.widest("F", 0.0, highest)[1])
    fit(
        fig.marginal.y_range,
        0.0,
        1.06 * fig.steady.widest("m", 0.0, max(float(marginal["m"].max(initial=0.0)), 1e-6))[1],
    )
    fig.frame.title.text = data["title_frame"]
    return data


def allocation_data(focus: Focus, before: Focus | None = None) -> dict[str, Any]:
    """Columns of the frame, the curve, the marginal value and the table.

    Args:
        focus: a loop of the instant.
        before: the loop before the last move, or a pinned one.
    """
    a, unit = focus.allocation, focus.model.V_max
    curve = _curve(focus)
    b = curve["b"]
    served = int((a.choice >= 0).sum())
    kept = f", {a.reserve} are reserved for synchronisation" if a.reserve else ""
    return {
        "slots": a.budget,
        "room": a.room,
        "title_frame": f"{served} of {len(a.mode)} loops share {a.slots_used} of {a.budget} slots{kept}",
        "table": loops_table(focus),
        "sources": {
            "frame": attempts(focus),
            "labels": labels(focus.instant.frame, a.slots, 2.05),
            "lanes": _lanes(focus),
            "before": before_blocks(before, *BEFORE_LANE),
            "curve": curve,
            "curve_before": _curve(before) if before is not None else {"b": [], "F": []},
            "spent": {"b": [a.room], "F": [a.value / unit]},
            "marginal": {"b": b[1:], "m": np.diff(focus.instant.curve / unit).astype(np.float32)},
        },
    }


def _curve(focus: Focus) -> dict[str, Any]:
    """What so many slots are worth."""
    F = (focus.instant.curve / focus.model.V_max).astype(np.float32)
    return {"b": np.arange(len(F), dtype=np.int32), "F": F}


def _lanes(focus: Focus) -> dict[str, Any]:
    """Which slots P2 may hand out and which are reserved."""
    a = focus.allocation
    parts = [(0, a.room, INK, "for P2")]
    if a.reserve:
        parts.append((a.room, a.budget, SYNCHRONISATION, "reserved for synchronisation"))
    left, right, colour, what = (list(column) for column in zip(*parts, strict=True))
    n = len(parts)
    return {
        "left": left,
        "right": right,
        "bottom": [P2_LANE[0]] * n,
        "top": [P2_LANE[1]] * n,
        "colour": colour,
        "what": what,
        "slots": [r - x for x, r in zip(left, right, strict=True)],
    }
