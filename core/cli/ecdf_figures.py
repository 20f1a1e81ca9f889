"""The three distribution figures of Section V-B as SVG files, from a finished reproduction."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from core.cli.policy_style import POLICY_DASH, policy_colour
from core.studies.reproduction import FIGURES, Reproduction

AXES = {"rmse_m": "RMSE [m]", "v_normalised": "V / V_max [-]", "command_delay_ms": "command delay [ms]"}


def save_ecdf_figures(result: Reproduction, folder: Path) -> list[Path]:
    """Write ecdf-<figure>.svg for each of FIGURES; the same result gives the same bytes."""
    import matplotlib as mpl  # here because only this step needs it

    mpl.use("svg")
    import matplotlib.pyplot as plt

    written = []
    with mpl.rc_context({"svg.hashsalt": "safe-explorer", "svg.fonttype": "none"}):
        for name, title in FIGURES.items():
            figure, axes = plt.subplots(figsize=(5.2, 3.6), layout="constrained")
            for policy in result.policies:
                curve = result.curves[(result.curves["figure"] == name) & (result.curves["policy"] == policy)]
                axes.plot(
                    curve["value"],
                    curve["share"],
                    color=policy_colour(policy),
                    linestyle=POLICY_DASH.get(policy, "solid"),
                    label=policy,
                )
            limits = visible_range(result.curves[result.curves["figure"] == name])
            axes.set(xlabel=AXES[name], ylabel="share of samples ≤ x", xlim=limits, ylim=(0, 1.01))
            axes.set_title(f"ECDF of the {title}, {len(result.seeds)} missions per policy", fontsize="medium")
            axes.grid(alpha=0.3)
            axes.legend(fontsize="small", loc="lower right")
            path = folder / f"ecdf-{name.replace('_', '-')}.svg"
            figure.savefig(path, metadata={"Date": None})
            plt.close(figure)
            written.append(path)
    return written


def visible_range(rows: pd.DataFrame) -> tuple[float, float]:
    """Ends of the axis of one figure: the far tails of a diverging baseline would squeeze every other curve.

    Args:
        rows: its curves, columns value and share.
    """
    inner = rows["value"][(rows["share"] >= 0.005) & (rows["share"] <= 0.995)]
    low, high = (float(inner.min()), float(inner.max())) if len(inner) else (0.0, 1.0)
    pad = 0.04 * max(high - low, 1e-9)
    return low - pad, high + pad
