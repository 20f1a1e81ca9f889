"""What other policies would send at an instant: one frame under the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.figures.arrays.frame import SYNCHRONISATION, stacked
from core.figures.paper.axes import label, legend_under, patch
from core.figures.paper.figure import Figure
from core.figures.paper.stamp import Stamp
from core.figures.paper.words import instant_words
from core.instant import Focus, PolicyFrame
from core.numerals import numeral
from core.simulation import PAPER_FIVE
from core.style import FOCUS, INK, NEUTRAL


def policy_frames(focus: Focus, found: Sequence[PolicyFrame] | None = None, link: str = "") -> Figure:
    """One row of blocks per policy, with whom it serves and the expected change of W.

    Args:
        focus: a loop of the instant; its blocks stand out.
        found: `focus.instant.other_policies(names)`; the paper's five when None.
        link: query string of the page that shows the same.
    """
    frames = tuple(found) if found is not None else focus.instant.other_policies(PAPER_FIVE)
    blocks, unit, rows = stacked(frames, focus), focus.model.V_max, len(frames)
    cells, names = blocks["blocks"], blocks["names"]
    change = [f.change / unit for f in frames]

    def paint(figure: Any, wide: bool) -> None:
        axes = figure.add_subplot()
        for left, right, low, high, colour in zip(
            *(cells[n] for n in ("left", "right", "bottom", "top", "colour")), strict=True
        ):
            axes.fill_between([left, right], low, high, facecolor=colour, edgecolor=INK, linewidth=0.4)
        for x, y, text in zip(*(names[n] for n in ("x", "y", "text")), strict=True):
            axes.text(x, y, text, fontsize=6 if wide else 5, ha="center", va="center")
        ticks = [rows - 0.5 - i for i in range(rows)]
        axes.set_yticks(ticks, [f.policy for f in frames])
        axes.tick_params(axis="y", length=0)
        for y, policy, dW in zip(ticks, frames, change, strict=True):
            said = f"{int(policy.served.sum())} served\nΔW {numeral(dW, '+.3f')}"
            axes.annotate(
                said,
                (1.0, y),
                (3, 0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                va="center",
                fontsize=6.5,
            )
        label(axes, "slot")
        axes.set(xlim=(0, max(focus.allocation.budget, 1)), ylim=(0, max(rows, 1)))
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        entries = {}
        for words, colours in (
            (f"UAV {focus.uav}", (FOCUS,)),
            ("other UAVs (numbered)", NEUTRAL),
            ("without a certificate", (SYNCHRONISATION,)),
        ):
            if any(c in colours for c in cells["colour"]):
                entries[words] = patch(facecolor=colours[0], edgecolor=INK, linewidth=0.4)
        legend_under(figure, entries, 3)

    serving = ", ".join(f.policy for f in frames if f.served[focus.loop]) or "none of them"
    row_of = {f.policy: f for f in frames}
    return Figure(
        "policy-frames",
        f"What each policy would send at this instant; UAV {focus.uav} is served by {serving}. ΔW: expected change of W = V + λ_Σ tr Σ, summed over the swarm, "
        f"in V_max; less is better. {instant_words(focus.instant)}",
        Stamp.of_instant(focus.instant, link),
        {
            "blocks": pd.DataFrame(
                {
                    "policy": [w.partition(", without")[0] for w in cells["what"]],
                    "uav": cells["uav"],
                    "first_slot": np.asarray(cells["left"], dtype=int) + 1,
                    "last_slot": cells["right"],
                    "U_over_V_max": cells["U"],
                    "certificate": ["without" not in w for w in cells["what"]],
                }
            ),
            "policies": pd.DataFrame(
                {"policy": list(row_of), "served": [int(f.served.sum()) for f in frames], "dW_over_V_max": change}
            ),
        },
        paint,
        (0.75 + 0.34 * rows, 0.75 + 0.34 * rows),
    )
