"""The allocation: TDMA frame, value of slots, and the loops that share them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, DataRange1d, FixedTicker, HoverTool, Range1d, Span
from bokeh.plotting import figure

from app.figures.palette import FOCUS, INK, LOOPS, MODE_NAME, TOOLS
from app.figures.plot import named, new_plot, put
from app.picture import Picture

ENTRY = ("left", "right", "bottom", "top", "colour", "alpha", "edge", "width", "uav", "what", "slot")


@dataclass(frozen=True)
class AllocationFigure:
    """Three plots made once, and their sources."""

    frame: figure
    curve: figure
    marginal: figure
    sources: dict[str, ColumnDataSource]
    budget: tuple[Span, Span]


def allocation_figure(height: int = 230) -> AllocationFigure:
    """Empty allocation plots; fill them with `update_allocation`."""
    s = {
        "frame": ColumnDataSource({k: [] for k in ENTRY}),
        "labels": ColumnDataSource({"x": [], "y": [], "text": []}),
        "curve": ColumnDataSource({"b": [], "F": []}),
        "marginal": ColumnDataSource({"b": [], "m": []}),
    }
    frame = new_plot(
        grid=False,
        height=150,
        tools="xpan,xwheel_zoom,reset,save,tap",
        title=" ",
        x_axis_label="slot of the frame",
        x_range=Range1d(0, 160, bounds="auto"),
        y_range=Range1d(0, 2.6),
    )
    blocks = frame.quad(
        "left",
        "right",
        "top",
        "bottom",
        source=s["frame"],
        fill_color="colour",
        fill_alpha="alpha",
        line_color="edge",
        line_width="width",
        nonselection_fill_alpha="alpha",
    )
    frame.text(
        "x",
        "y",
        "text",
        source=s["labels"],
        text_align="center",
        text_baseline="bottom",
        text_font_size="11px",
        text_color=INK,
    )
    frame.add_tools(HoverTool(renderers=[blocks], tooltips=[("UAV", "@uav"), ("slots", "@slot"), ("", "@what")]))
    frame.left[0].update(ticker=FixedTicker(ticks=[0.5, 1.5]), major_label_overrides={0.5: "downlink", 1.5: "uplink"})

    curve = new_plot(
        height=height,
        tools=TOOLS,
        title=" ",
        y_axis_label="value F_N(b) / V_max",
        x_axis_label="slots b",
        x_range=DataRange1d(start=0, range_padding=0),
    )
    line = curve.step("b", "F", source=s["curve"], mode="after", width=2.5, color="#0072B2")
    curve.add_tools(
        HoverTool(renderers=[line], tooltips=[("slots", "@b"), ("F_N(b) / V_max", "@F{0.0000}")], mode="vline")
    )
    marginal = new_plot(
        height=height,
        tools=TOOLS,
        x_range=curve.x_range,
        title="What one more slot buys: F_N(b) − F_N(b−1)",
        x_axis_label="slots b",
        y_axis_label="ΔF / V_max",
    )
    bars = marginal.vbar("b", 1.0, "m", source=s["marginal"], color="#009E73")
    marginal.add_tools(
        HoverTool(renderers=[bars], tooltips=[("slot", "@b"), ("ΔF / V_max", "@m{0.00000}")], mode="vline")
    )
    budget = tuple(
        Span(location=0, dimension="height", line_color=FOCUS, line_width=2, line_dash="dashed") for _ in "ab"
    )
    curve.add_layout(budget[0])
    marginal.add_layout(budget[1])
    return AllocationFigure(frame, curve, marginal, named("allocation", s), budget)  # type: ignore[arg-type]


def update_allocation(fig: AllocationFigure, picture: Picture) -> dict[str, Any]:
    """Patch every source with the picture's numbers; returns them, with the table's columns under "table"."""
    data = allocation_data(picture)
    for name, columns in data["sources"].items():
        put(fig.sources[name], columns)
    slots = data["slots"]
    if fig.frame.x_range.reset_end != slots:
        fig.frame.x_range.update(start=0, end=slots, reset_start=0, reset_end=slots)
    for span in fig.budget:
        span.location = slots
    fig.frame.title.text = data["title_frame"]
    fig.curve.title.text = data["title_curve"]
    return data


def allocation_data(picture: Picture) -> dict[str, Any]:
    """Columns of the frame, the curve, the marginal value and the table."""
    frame, unit = picture.frame, picture.model.V_max
    slots = picture.inputs.scenario.network.slots
    order = {int(loop): i for i, loop in enumerate(dict.fromkeys(frame.loop.tolist()))}
    colour = [LOOPS[order[int(i)] % len(LOOPS)] for i in frame.loop]
    up = frame.direction == 0
    focused = frame.loop == picture.focus
    what = [
        f"{'uplink' if d == 0 else 'downlink'} hop {h + 1}, {'first attempt' if a == 0 else f'reserved attempt {a + 1}'}, "
        f"{_node(t)} → {_node(r)}"
        for d, h, a, t, r in zip(
            *(getattr(frame, n).tolist() for n in ("direction", "hop", "attempt", "tx", "rx")), strict=True
        )
    ]
    labels = [
        (float((frame.slot[m][0] + frame.slot[m][-1] + frame.length[m][-1]) / 2), str(i + 1))
        for i in order
        if (m := frame.loop == i).any()
    ]
    used, mode = picture.allocation.slots_used, picture.allocation.mode
    curve = picture.curve / unit
    b = np.arange(len(curve))
    served = int((picture.allocation.choice >= 0).sum())
    title_curve = "Where does the value of slots level off?"
    return {
        "slots": slots,
        "title_frame": f"{served} of {len(mode)} loops share {used} of {slots} slots (pale: reserved retransmissions)",
        "title_curve": title_curve,
        "table": _table(picture),
        "sources": {
            "frame": {
                "left": frame.slot,
                "right": frame.slot + frame.length,
                "bottom": np.where(up, 1.0, 0.0),
                "top": np.where(up, 2.0, 1.0),
                "colour": colour,
                "alpha": np.where(frame.attempt == 0, 0.95, 0.35),
                "edge": np.where(focused, FOCUS, "#ffffff").tolist(),
                "width": np.where(focused, 2.5, 0.5),
                "uav": frame.loop + 1,
                "what": what,
                "slot": [f"{s}–{s + n - 1}" for s, n in zip(frame.slot.tolist(), frame.length.tolist(), strict=True)],
            },
            "labels": {"x": [x for x, _ in labels], "y": [2.05] * len(labels), "text": [t for _, t in labels]},
            "curve": {"b": b, "F": curve},
            "marginal": {"b": b[1:], "m": np.diff(curve)},
        },
    }


def _table(picture: Picture) -> dict[str, Any]:
    allocation, candidates, unit = picture.allocation, picture.candidates, picture.model.V_max
    choice = allocation.choice
    some = choice >= 0
    safe_index = np.where(some, choice, 0)
    has = some & (len(candidates.slots) > 0)
    pick = lambda values: np.where(has, values[safe_index], np.nan) if len(values) else np.full(len(choice), np.nan)  # noqa: E731
    return {
        "uav": np.arange(1, len(choice) + 1),
        "v": picture.states.V / unit,
        "sigma": picture.states.tr_sigma,
        "c": picture.states.c,
        "mode": [MODE_NAME[int(m)] for m in allocation.mode],
        "slots": np.where(has, candidates.slots[safe_index] if len(candidates.slots) else 0, 0),
        "U": pick(allocation.U) / unit,
        "phi": pick(allocation.phi) / unit,
        "route": [picture.route_of(int(i)) if i >= 0 else "–" for i in choice],
        "action": [picture.coding_of(int(i)) if i >= 0 else "–" for i in choice],
    }


def _node(node: int) -> str:
    return "GCS" if node == 0 else f"UAV {node}"
