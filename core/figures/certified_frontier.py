"""What is worth its slots to a loop: slot cost × value of its actions (the paper's frontier figure)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from core.allocation import VERDICTS
from core.figures.arrays.frontier import frontier_data, title
from core.figures.paper.axes import BLACK, label, legend_under, line
from core.figures.paper.figure import Figure
from core.figures.paper.stamp import Stamp
from core.figures.paper.words import focus_words
from core.instant import SHORT, Focus
from core.style import ACCENT, FOCUS, INK, mid_tones

RINGS = {
    "rivals": ("named in the sentence", "o", BLACK),
    "chosen": ("allocator's choice", "s", ACCENT),
    "held": ("in focus", "o", FOCUS),
}
"""Actions that are ringed: words, marker, colour."""


def certified_frontier(focus: Focus, link: str = "") -> Figure:
    """Every action of a loop at its slots and value U/V_max, those on the frontier coloured by T_cert.

    Args:
        focus: the loop and its action.
        link: query string of the page that shows the same.
    """
    data = frontier_data(focus)
    s, (low, high) = data["sources"], data["colour_range"]
    a = s["actions"]

    def paint(figure: Any, wide: bool) -> None:
        from matplotlib.colors import ListedColormap

        axes = figure.add_subplot()
        axes.axhline(0.0, color=INK, linestyle="dotted", linewidth=0.7, zorder=0)
        plain: dict[str, Any] = {"linestyle": "none", "marker": "o"}
        dot, ring = {"markersize": 1.5, "color": "#b0b0b0", "markeredgewidth": 0}, {"markersize": 3.0, "color": "none"}
        ring |= {"markeredgecolor": "#606060", "markeredgewidth": 0.45}
        found = {}
        if len(a["x"]):
            axes.plot(a["x"], a["y"], zorder=1, **plain, **dot)
            found["action"] = line(**plain, **{**dot, "markersize": 2.5})
        if np.isfinite(a["admitted"]).any():
            axes.plot(a["x"], a["admitted"], zorder=2, **plain, **ring)
            found["admitted"] = line(**plain, **ring)
        if len(s["edge"]["x"]):
            axes.plot(s["edge"]["x"], s["edge"]["y"], color=ACCENT, linewidth=1.1, zorder=3)
            found["best value for at most s slots"] = line(color=ACCENT, linewidth=1.1)
        if np.isfinite(a["frontier"]).any():
            shown = axes.scatter(
                a["x"], a["frontier"], c=a["T_cert"], cmap=ListedColormap(mid_tones(64)), vmin=low, vmax=high,
                marker="D", s=13, edgecolors=BLACK, linewidths=0.4, zorder=4, plotnonfinite=False,
            )  # fmt: skip
            bar = figure.colorbar(shown, ax=axes, pad=0.02, fraction=0.05, aspect=28)
            bar.set_label(r"$T_\mathrm{cert}$ [s]", labelpad=2)
            bar.outline.set_linewidth(0.5)
            found["frontier"] = line(
                marker="D",
                linestyle="none",
                color=mid_tones(3)[1],
                markeredgecolor=BLACK,
                markeredgewidth=0.4,
                markersize=3.6,
            )
        for name, (words, marker, colour) in RINGS.items():
            if s[name]["x"]:
                at: dict[str, Any] = {"marker": marker, "markersize": 8, "linestyle": "none", "markerfacecolor": "none"}
                axes.plot(s[name]["x"], s[name]["y"], markeredgecolor="#ffffff", markeredgewidth=2.4, zorder=5, **at)
                axes.plot(s[name]["x"], s[name]["y"], markeredgecolor=colour, markeredgewidth=1.4, zorder=6, **at)
                found[words] = line(markeredgecolor=colour, markeredgewidth=1.4, **{**at, "markersize": 6})
        label(axes, "slot cost s [slots]", "value U / V_max")
        axes.set(xlim=(0.0, 1.03 * data["x_end"]), ylim=data["y_ends"])
        axes.grid(True)
        legend_under(figure, found, 7 if wide else 3)

    named = [
        pd.DataFrame({"what": words, "slots": s[name]["x"], "U_over_V_max": s[name]["y"]})
        for name, (words, _, _) in RINGS.items()
    ]
    texts = {name: np.array(s[f"{name}s"]["text"], dtype=object) for name in ("route", "coding")}
    actions = pd.DataFrame(
        {
            "slots": a["x"],
            "U_over_V_max": a["y"],
            "admitted": np.isfinite(a["admitted"]),
            "frontier": np.isfinite(a["frontier"]),
            "verdict": [SHORT[VERDICTS[v]] for v in a["verdict"]],
            "phi_over_V_max": a["phi"],
            "g": a["g"],
            "T_cert_s": a["T_cert"],
            "rho_ul": a["rho_ul"],
            "rho_dl": a["rho_dl"],
            "D_ul_ms": a["D_ul"],
            "D_dl_ms": a["D_dl"],
            **{name: found[a[name]] if len(found) else [] for name, found in texts.items()},
            "actions_here": a["many"],
        }
    )
    return Figure(
        "certified-frontier",
        f"Certified supply frontier of UAV {focus.uav}: {title(focus).partition('?  ')[2]}. {focus_words(focus)}",
        Stamp.of_instant(focus.instant, link),
        {
            "actions": actions,
            "best": pd.DataFrame({"slots": s["edge"]["x"], "U_over_V_max": s["edge"]["y"]}),
            "named": pd.concat([n for n in named if len(n)] or named[:1], ignore_index=True),
        },
        paint,
        (2.7, 3.0),
    )
