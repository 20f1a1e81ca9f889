"""What each part of SAFE buys, as one picture: the change of each metric when the part is exchanged."""

from __future__ import annotations

from pathlib import Path

from core.studies.ablation import COMPARED, ablation
from core.studies.reproduction import Reproduction


def save_ablation_figure(result: Reproduction, folder: Path) -> Path | None:
    """Write ablation.svg: one row per part, one panel per metric, points with 95 % intervals; None without ablations.

    Args:
        result: a reproduction with SAFE and its ablations.
        folder: where it goes.
    """
    import matplotlib as mpl  # here because only this step needs it

    mpl.use("svg")
    import matplotlib.pyplot as plt

    parts = ablation(result)
    if not parts:
        return None
    with mpl.rc_context({"svg.hashsalt": "safe-explorer", "svg.fonttype": "none", "font.size": 9}):
        figure, panels = plt.subplots(1, len(COMPARED), figsize=(10, 0.45 * len(parts) + 1.2), sharey=True)
        rows = range(len(parts), 0, -1)
        for panel, (name, (title, _)) in zip(panels, COMPARED.items(), strict=True):
            for y, part in zip(rows, parts, strict=True):
                c = part.change[name]
                colour = "#0072B2" if c.low > 0 else "#D55E00" if c.high < 0 else "#555555"
                panel.plot([c.low, c.high], [y, y], color=colour, lw=2)
                panel.plot(c.mean, y, "o", color=colour, ms=5)
            panel.axvline(0.0, color="#999999", lw=0.8)
            panel.set_xlabel(f"{title}: ablation − SAFE")
            panel.grid(axis="x", alpha=0.3)
        panels[0].set_yticks(list(rows), [p.policy for p in parts])
        figure.suptitle("Right of zero the exchanged part pays, left of it it costs", fontsize=9)
        figure.tight_layout()
        target = folder / "ablation.svg"
        figure.savefig(target, metadata={"Date": None})
        plt.close(figure)
    return target
