"""All policies on the same seeds: the numbers and curves of Section V-B, as small text files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from core.errors import SafeExplorerError
from core.folders import DATA
from core.lazy import cached_property
from core.scenario import Scenario
from core.simulation import RANKED, REPRODUCED, flawless_rmse
from core.studies.axis import Axis
from core.studies.definition import Study
from core.studies.seeds import seed_range
from core.studies.statistics import ecdf, in_order
from core.studies.store import StudyStore

GRID_RADII_M = (22.0, 30.0, 40.0)
GRID_SLOTS = (120, 140, 160, 180)
"""Corridor radii and frame lengths reported beside the headline."""
REPRODUCTION_SEED = 12_000
"""First of the evaluation seeds of the shipped reproduction; earlier ones were spent on earlier states of the model."""
FOLDER = DATA / "reproduction"
"""Where the shipped reproduction lives."""
FIGURES = {"rmse_m": "tracking error", "v_normalised": "V/V_max", "command_delay_ms": "command delay"}
"""The three distribution figures of Section V-B."""
CURVE_POINTS = 240


@dataclass(frozen=True)
class Reproduction:
    """Results of several policies over the same seeds.

    Args:
        scenario: what was flown.
        trials: one row per policy and seed with every metric of `Run.summary`.
        curves: ECDFs pooled over seeds, columns figure, policy, value, share.
    """

    scenario: Scenario
    trials: pd.DataFrame
    curves: pd.DataFrame

    @property
    def policies(self) -> list[str]:
        """Policies in the order they were run."""
        return list(dict.fromkeys(self.trials["policy"]))

    @property
    def ranked(self) -> list[str]:
        """The policies without parts of SAFE, which are compared with SAFE alone (`core.studies.ablation`)."""
        parts = set(REPRODUCED) - set(RANKED)
        return [name for name in self.policies if name not in parts]

    @property
    def seeds(self) -> list[int]:
        """Seeds, ascending."""
        return sorted({int(s) for s in self.trials["seed"]})

    @property
    def flown_at(self) -> str:
        """The settings in words: the paper's Table I, and where it differs from today's defaults."""
        changed = ", ".join(f"{name} = {value}" for name, value in self.scenario.differences().items())
        return "the paper's Table I" + (f" with {changed}" if changed else "")

    @cached_property
    def flawless_rmse_m(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Mean RMSE of a radio that never fails and takes no time, one value per seed in ascending order [m]."""
        return np.array([flawless_rmse(self.scenario, seed) for seed in self.seeds])

    def metric(self, policy: str, name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """One value per seed, in ascending order of seeds."""
        rows = self.trials[self.trials["policy"] == policy].sort_values("seed")
        return rows[name].to_numpy(dtype=np.float64)

    @classmethod
    def of(cls, store: StudyStore, study: Study) -> Reproduction:
        """From the records and samples of a `reproduction_study`."""
        curves = []
        for figure in FIGURES:
            for policy in study.policies:
                value, share = ecdf(store.samples(study, figure, policy), CURVE_POINTS)
                curves.append(pd.DataFrame({"figure": figure, "policy": policy, "value": value, "share": share}))
        trials = in_order(store.frame_of(study), study, "seed", "policy")
        return cls(study.scenario, trials, pd.concat(curves, ignore_index=True))

    def save(self, folder: str | Path) -> Path:
        """Write scenario.yaml, trials.csv and curves.csv."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        self.scenario.to_yaml(target / "scenario.yaml")
        self.trials.to_csv(target / "trials.csv", index=False, float_format="%.6g")
        self.curves.to_csv(target / "curves.csv", index=False, float_format="%.5g")
        return target

    @classmethod
    def load(cls, folder: str | Path = FOLDER) -> Reproduction:
        """Read what `save` wrote; the shipped result by default."""
        source = Path(folder)
        try:
            return cls(
                Scenario.from_yaml(source / "scenario.yaml"),
                pd.read_csv(source / "trials.csv"),
                pd.read_csv(source / "curves.csv"),
            )
        except (OSError, ValueError) as error:
            raise SafeExplorerError(
                f"No reproduction in {source}: {error}. Make one with `python -m core reproduce --out {source}`."
            ) from error


def reproduction_study(
    scenario: Scenario | None = None,
    *,
    trials: int = 30,
    first_seed: int = REPRODUCTION_SEED,
    policies: Sequence[str] | None = None,
) -> Study:
    """Every policy on the same seeds (Section V-B), with what the ECDFs need of every run.

    Args:
        scenario: Table I when None.
        trials: number of seeds.
        first_seed: evaluation seeds by default; give one below 1000 while parameters are still being chosen.
        policies: names; `REPRODUCED` when None.
    """
    return Study(
        scenario if scenario is not None else Scenario(),
        policies=tuple(policies if policies is not None else REPRODUCED),
        seeds=seed_range(trials, first_seed),
        samples=tuple(FIGURES),
    )


def grid_study(
    scenario: Scenario | None = None,
    *,
    radii_m: Sequence[float] = GRID_RADII_M,
    slots: Sequence[int] = GRID_SLOTS,
    trials: int = 10,
    first_seed: int = REPRODUCTION_SEED,
    policies: Sequence[str] | None = None,
) -> Study:
    """Every policy over a grid of corridor radius r_c and frame length S.

    Args:
        scenario, trials, first_seed: as for `reproduction_study`.
        policies: names; `RANKED` when None.
        radii_m: values of control.corridor_radius_m [m].
        slots: values of network.slots.
    """
    return Study(
        scenario if scenario is not None else Scenario(),
        (Axis("control.corridor_radius_m", tuple(radii_m)), Axis("network.slots", tuple(slots))),
        tuple(policies if policies is not None else RANKED),
        seed_range(trials, first_seed),
    )


def grid_rows(store: StudyStore, study: Study) -> pd.DataFrame:
    """The records of a `grid_study`, one row per cell, seed and policy: what grid.csv holds."""
    rows = in_order(store.frame_of(study), study, "seed", "policy")
    return rows.rename(columns={name: name.partition(".")[2] for name in study.names})
