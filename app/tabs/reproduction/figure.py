"""Distribution curves of the paper's Section V-B, as composable HoloViews elements."""

from __future__ import annotations

from typing import Any

import holoviews as hv
import pandas as pd

from core.figures.reproduction import visible_range
from core.style import AXIS_LABEL, SHARE_LABEL, policy_colour, policy_dash

hv.extension("bokeh", logo=False)

FIGURES = {
    "rmse_m": "Tracking: left is better",
    "v_normalised": "Risk: the upper tail matters",
    "command_delay_ms": "Delay: not simply faster",
}
"""Title of each figure, which says what to look for."""


def ecdf_overlay(curves: pd.DataFrame, figure: str, *, legend: bool = True, height: int = 320) -> hv.Overlay:
    """One curve per policy.

    Args:
        curves: columns figure, policy, value, share (core.studies.reproduction.Reproduction.curves).
        figure: key of FIGURES.
        legend: whether to show the policies' names inside the plot.
        height: of the plot [px].
    """
    title, label = FIGURES[figure], AXIS_LABEL[figure]
    rows = curves[curves["figure"] == figure]
    lines = {
        policy: hv.Curve(
            rows[rows["policy"] == policy],
            hv.Dimension("value", label=label),
            hv.Dimension("share", label=SHARE_LABEL),
        )
        .relabel(policy)
        .opts(color=policy_colour(policy), line_dash=policy_dash(policy), line_width=2.2)
        for policy in dict.fromkeys(rows["policy"])
    }
    return hv.Overlay(list(lines.values())).opts(
        hv.opts.Overlay(
            title=title,
            height=height,
            responsive=True,
            show_legend=legend,
            legend_position="bottom_right",
            xlim=visible_range(rows),
            ylim=(0, 1.02),
            hooks=[_plain_toolbar],
        ),
        hv.opts.Curve(tools=["hover"], responsive=True, height=height),
    )


def _plain_toolbar(plot: Any, _element: Any) -> None:
    plot.state.toolbar.logo = None
    plot.state.toolbar.autohide = True
