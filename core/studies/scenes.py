"""The scenes: missions that differ in what stands in the way, and how the policies rank in each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.scenario import SCENES, Scenario, preset
from core.simulation import RANKED
from core.studies.definition import Study
from core.studies.reproduction import REPRODUCTION_SEED
from core.studies.seeds import seed_range
from core.studies.setting import Setting
from core.studies.statistics import in_order, paired_difference
from core.studies.store import StudyStore

Floats = NDArray[np.float64]

COLUMNS = {"mean_rmse_m": ("mean RMSE [m]", 2), "p95_rmse_m": ("P95 RMSE [m]", 2), "p95_v": ("P95 V/V_max", 3)}
"""Metrics shown, with their headings and decimals; the smaller the better."""


def scenes() -> dict[str, Scenario]:
    """The scenes by name; each is as scarce as the blind rule of docs/REPRODUCTION.md makes it."""
    return {name: preset(name) for name in SCENES}


def scenes_study(
    *, trials: int = 30, first_seed: int = REPRODUCTION_SEED, policies: Sequence[str] | None = None
) -> Study:
    """Every policy in every scene on the same seeds.

    Args:
        trials, first_seed: as for `reproduction_study`.
        policies: names; `RANKED` when None.
    """
    return Study(
        policies=tuple(policies if policies is not None else RANKED),
        seeds=seed_range(trials, first_seed),
        settings=tuple(Setting.between(name, Scenario(), scene) for name, scene in scenes().items()),
    )


def scene_rows(store: StudyStore, study: Study) -> pd.DataFrame:
    """The records of a `scenes_study`, one row per scene, policy and seed: what scenes.csv holds."""
    return in_order(store.frame_of(study), study, "policy", "seed")


def scenes_markdown(trials: pd.DataFrame) -> str:
    """One table: every policy in every scene, and behind each of the others SAFE − it, paired, at 95 % (Student).

    Args:
        trials: rows of `scene_rows`.
    """
    seeds = sorted({int(s) for s in trials["seed"]})
    lines = [
        f"{len(seeds)} missions per policy and scene, seeds {seeds[0]}–{seeds[-1]}. In brackets: SAFE minus that policy on "
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
