"""The scenes: missions that differ in what stands in the way, and who is first in each."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.scenario import SCENES, Scenario, preset
from core.studies.statistics import paired_difference

Floats = NDArray[np.float64]

COLUMNS = {"mean_rmse_m": ("mean RMSE [m]", 2), "p95_rmse_m": ("P95 RMSE [m]", 2), "p95_v": ("P95 V/V_max", 3)}
"""Metrics shown, with their headings and decimals; the smaller the better."""


def scenes() -> dict[str, Scenario]:
    """The scenes by name; each is as scarce as the blind rule of docs/REPRODUCTION.md makes it."""
    return {name: preset(name) for name in SCENES}


def scenes_markdown(trials: pd.DataFrame) -> str:
    """One table: every policy in every scene, and behind each of the others SAFE − it, paired, at 95 % (Student).

    Args:
        trials: rows of `standing_rows` of `standing_study(scenes())`.
    """
    seeds = sorted({int(s) for s in trials["seed"]})
    lines = [
        f"{len(seeds)} missions per policy and scene, calibration seeds {seeds[0]}–{seeds[-1]}. In brackets: SAFE minus that policy on "
        "the same missions, with the 95 % interval.",
        "",
        "| scene | policy | " + " | ".join(heading for heading, _ in COLUMNS.values()) + " |",
        "|---" * (2 + len(COLUMNS)) + "|",
    ]
    for scene, part in trials.groupby("setting", sort=False):
        by_policy = {str(p): rows.sort_values("seed") for p, rows in part.groupby("policy", sort=False)}
        ours = by_policy["SAFE"]
        for policy, rows in by_policy.items():
            cells = [
                _cell(rows[m].to_numpy(), None if policy == "SAFE" else ours[m].to_numpy(), digits)
                for m, (_, digits) in COLUMNS.items()
            ]
            lines.append(f"| {scene} | {policy} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _cell(values: Floats, ours: Floats | None, digits: int) -> str:
    text = f"{np.mean(values):.{digits}f}"
    if ours is None:
        return f"**{text}**"
    gap = paired_difference(ours, values)
    return f"{text} ({gap.mean:+.{digits}f} [{gap.low:+.{digits}f}, {gap.high:+.{digits}f}])"
