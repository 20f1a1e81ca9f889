"""What other policies would send at this instant: one frame under the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bokeh.models import ColumnDataSource, FixedTicker, GlyphRenderer, HoverTool, LinearAxis, Range1d
from bokeh.plotting import figure

from app.figures.plot import empty, fit, named, new_plot, put
from core.figures.arrays.frame import BLOCK, LABEL, stacked
from core.instant import Focus, PolicyFrame
from core.numerals import numeral
from core.style import INK

ROW_PX, AXES_PX = 34, 84
"""Height of a policy's row, and what title and axis take."""


@dataclass(frozen=True)
class PoliciesFigure:
    """One plot made once, and its sources."""

    plot: figure
    blocks: GlyphRenderer
    summary: LinearAxis
    sources: dict[str, ColumnDataSource]


def policies_figure() -> PoliciesFigure:
    """An empty plot; fill it with `update_policies`."""
    p = new_plot(
        grid=False,
        height=AXES_PX + 5 * ROW_PX,
        tools="xpan,xwheel_zoom,reset,save,tap",
        title=" ",
        x_axis_label="slots",
        x_range=Range1d(0, 1),
        y_range=Range1d(0, 1),
    )
    s = {"blocks": empty(*BLOCK), "names": empty(*LABEL)}
    blocks = p.quad(
        "left",
        "right",
        "top",
        "bottom",
        source=s["blocks"],
        fill_color="colour",
        line_color=INK,
        line_width=0.7,
        nonselection_fill_alpha=1.0,
        nonselection_line_alpha=1.0,
    )
    p.text(
        *LABEL,
        source=s["names"],
        text_align="center",
        text_baseline="middle",
        text_font_size="12px",
        text_color="#111111",
    )
    tips = [("UAV", "@uav"), ("slots", "@slots"), ("U / V_max", "@U{0.0000}"), ("", "@what")]
    p.add_tools(HoverTool(renderers=[blocks], tooltips=tips))
    summary = LinearAxis(axis_line_color=None, major_tick_line_color=None, minor_tick_line_color=None)
    p.add_layout(summary, "right")
    for axis in (p.left[0], summary):
        axis.update(ticker=FixedTicker(ticks=[]), major_label_text_font_size="13px")
    return PoliciesFigure(p, blocks, summary, named("policies", s))


def await_policies(fig: PoliciesFigure) -> None:
    """Say that what is drawn belongs to an earlier picture and that the policies are being asked anew."""
    fig.plot.title.text = "What would other policies send now?  They are being asked …"
    fig.blocks.glyph.fill_alpha = fig.blocks.nonselection_glyph.fill_alpha = 0.25


def update_policies(fig: PoliciesFigure, focus: Focus, found: Sequence[PolicyFrame]) -> None:
    """Patch the sources with what each policy would send.

    Args:
        fig: made by `policies_figure`.
        focus: whose UAV is marked; its scenario gives the frame.
        found: the frames, the first on top.
    """
    data = policies_data(focus, found)
    for name, columns in data["sources"].items():
        put(fig.sources[name], columns)
        fig.sources[name].selected.indices = []
    fig.blocks.glyph.fill_alpha = fig.blocks.nonselection_glyph.fill_alpha = 1.0
    rows = len(found)
    fit(fig.plot.x_range, 0.0, max(focus.allocation.budget, 1))
    fit(fig.plot.y_range, 0.0, max(rows, 1))
    fig.plot.update(height=AXES_PX + max(rows, 1) * ROW_PX)
    fig.plot.title.text = data["title"]
    ticks = [i + 0.5 for i in range(rows)]
    for axis, texts in ((fig.plot.left[0], data["policies"]), (fig.summary, data["summaries"])):
        axis.ticker.ticks = ticks
        axis.major_label_overrides = dict(zip(ticks, reversed(texts), strict=True))


def policies_data(focus: Focus, found: Sequence[PolicyFrame]) -> dict[str, Any]:
    """Columns of the rows, and what is written beside them."""
    unit = focus.model.V_max
    serving = [f.policy for f in found if f.served[focus.loop]]
    who = ", ".join(serving) if serving else "none of them"
    return {
        "title": f"What would other policies send now?  UAV {focus.uav} is served by {who}",
        "policies": [f.policy for f in found],
        "summaries": [f"{int(f.served.sum())} served, ΔW {numeral(f.change / unit, '+.3f')}" for f in found],
        "sources": stacked(found, focus),
    }
