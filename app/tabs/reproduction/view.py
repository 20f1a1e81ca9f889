"""Tab 7, reproduction: the paper's numbers beside ours with intervals, and the modelling decisions."""

from __future__ import annotations

import html
from typing import Any

import panel as pn

from app.components.tab_view import TabView, caption
from app.shipped import shipped
from app.tabs.reproduction.figure import FIGURES, ecdf_overlay
from app.tabs.reproduction.tables import decisions_html, shipped_tables
from core.errors import SafeExplorerError
from core.style import policy_colour


class ReproductionView(TabView):
    """The shipped result of all policies over the evaluation seeds."""

    title = "Reproduction"
    name_in_link = "reproduction"

    def build(self) -> pn.viewable.Viewable:
        parts: list[Any] = []
        try:
            result = shipped()
        except SafeExplorerError as error:
            parts.append(caption(f"<b>No shipped reproduction yet.</b> {html.escape(str(error))}"))
        else:
            parts.append(
                caption(
                    f"All policies flew the same {len(result.seeds)} missions (evaluation seeds {result.seeds[0]} to {result.seeds[-1]}, never used to choose a "
                    f"parameter). This is a stored result at {html.escape(result.flown_at)}: the sliders do not move it; the What-if and Flight tabs answer to "
                    "them."
                )
            )
            curves = result.curves[result.curves["policy"].isin(result.ranked)]
            parts.append(
                pn.Row(
                    *(
                        pn.pane.HoloViews(ecdf_overlay(curves, name, legend=False), sizing_mode="stretch_width")
                        for name in FIGURES
                    ),
                    sizing_mode="stretch_width",
                )
            )
            parts.append(
                caption(
                    " ".join(f"<span style='color:{policy_colour(p)}'>▬</span> {html.escape(p)}" for p in result.ranked)
                )
            )
            parts += map(caption, shipped_tables())
        parts.append(caption(decisions_html()))
        return pn.Column(*parts, sizing_mode="stretch_width")
