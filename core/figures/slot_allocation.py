"""Who gets which slots, and what a frame of b slots is worth (F_N(b), eq:p2-dp-recurrence)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from core.figures.arrays.frame import PALE, SYNCHRONISATION, attempts, labels
from core.figures.paper.axes import label, legend_under, letters, line, patch
from core.figures.paper.figure import Figure
from core.figures.paper.stamp import Stamp
from core.figures.paper.words import instant_words
from core.instant import Focus
from core.style import ACCENT, FOCUS, INK, NEUTRAL


def slot_allocation(focus: Focus, link: str = "") -> Figure:
    """Two panels: every attempt of the frame at its slot, and the value of b slots with what the allocator spends.

    Args:
        focus: a loop of the instant; its blocks stand out.
        link: query string of the page that shows the same.
    """
    a, unit, frame = focus.allocation, focus.model.V_max, focus.instant.frame
    blocks, curve = attempts(focus), focus.instant.curve / unit
    served = int((a.choice >= 0).sum())
    numbers = labels(frame, a.slots, 2.08)

    def paint(figure: Any, wide: bool) -> None:
        top, bottom = figure.subplots(2, 1, height_ratios=(1, 1.5) if not wide else (1, 1.25))
        for left, right, low, high, colour, alpha in zip(
            *(blocks[n] for n in ("left", "right", "bottom", "top", "colour", "alpha")), strict=True
        ):
            top.fill_between(
                [left, right], low, high, facecolor=colour, alpha=float(alpha), edgecolor="none", linewidth=0
            )
            top.plot([left, right, right, left, left], [low, low, high, high, low], color=INK, linewidth=0.35)
        size = 6 if wide else 5
        for x, y, text in zip(*(numbers[n] for n in ("x", "y", "text")), strict=True):
            top.text(x, y, text, fontsize=size, ha="center", va="bottom")
        top.set_yticks([0.5, 1.5], ["downlink", "uplink"])
        top.tick_params(axis="y", length=0)
        top.set(xlim=(0, max(a.budget, 1)), ylim=(0, 2.55))
        label(top, "slot")
        for side in ("top", "right", "left"):
            top.spines[side].set_visible(False)
        b = np.arange(len(curve))
        bottom.step(b, curve, where="post", color=ACCENT, linewidth=1.4)
        bottom.axvline(a.budget, color=FOCUS, linestyle="dashed", linewidth=1.1)
        if a.reserve:
            bottom.axvspan(a.room, a.budget, color=SYNCHRONISATION, alpha=0.18, linewidth=0)
        spent: dict[str, Any] = {
            "marker": "o",
            "markersize": 4.5,
            "linestyle": "none",
            "color": FOCUS,
            "markeredgecolor": "#404040",
        }
        bottom.plot([a.room], [a.value / unit], zorder=4, markeredgewidth=0.6, **spent)
        label(bottom, "slots b", "F_N(b) / V_max")
        bottom.set(xlim=(0, max(len(curve) - 1, a.budget, 1)))
        bottom.set_ylim(0.0, 1.06 * max(float(curve.max()), 1e-6))
        bottom.grid(True)
        letters((top, bottom))
        loops = set(blocks["uav"].tolist())
        entries: dict[str, Any] = {}
        if focus.uav in loops:
            entries[f"UAV {focus.uav}"] = patch(facecolor=FOCUS, edgecolor=INK, linewidth=0.4)
        if any(c == NEUTRAL[0] or c == NEUTRAL[1] for c in blocks["colour"]):
            entries["other UAVs (numbered)"] = patch(facecolor=NEUTRAL[0], edgecolor=INK, linewidth=0.4)
        if SYNCHRONISATION in blocks["colour"]:
            entries["without a certificate"] = patch(facecolor=SYNCHRONISATION, edgecolor=INK, linewidth=0.4)
        if (blocks["alpha"] < 1).any():
            entries["reserved for a retry"] = patch(facecolor=NEUTRAL[0], alpha=PALE, edgecolor=INK, linewidth=0.4)
        entries["value of b slots"] = line(color=ACCENT, linewidth=1.4)
        entries["what P2 spends"] = line(markeredgewidth=0.6, **spent)
        entries[f"frame, S = {a.budget}"] = line(color=FOCUS, linestyle="dashed", linewidth=1.1)
        if a.reserve:
            entries["reserved for synchronisation"] = patch(facecolor=SYNCHRONISATION, alpha=0.18)
        legend_under(figure, entries, 4 if wide else 2)

    kept = f", {a.reserve} are reserved for synchronisation" if a.reserve else ""
    return Figure(
        "slot-allocation",
        f"Allocation of one frame: {served} of {len(a.mode)} loops share {a.slots_used} of {a.budget} slots{kept}: (a) every attempt at its slot, "
        f"(b) value F_N(b) of b slots. {instant_words(focus.instant)}",
        Stamp.of_instant(focus.instant, link),
        {
            "frame": pd.DataFrame(
                {
                    "uav": blocks["uav"],
                    "first_slot": blocks["left"] + 1,
                    "last_slot": blocks["right"],
                    "direction": np.where(frame.direction == 0, "uplink", "downlink"),
                    "attempt": frame.attempt + 1,
                    "what": blocks["what"],
                }
            ),
            "value": pd.DataFrame(
                {"slots": np.arange(len(curve)), "F_over_V_max": curve, "slot_adds": np.diff(curve, prepend=0.0)}
            ),
            "spent": pd.DataFrame({"slots": [a.room], "F_over_V_max": [a.value / unit]}),
        },
        paint,
        (3.35, 3.4),
    )
