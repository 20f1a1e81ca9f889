"""All policies on the same seeds: the numbers and curves of Section V-B, as small text files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from core.errors import SafeExplorerError
from core.folders import DATA
from core.scenario import Scenario
from core.simulation.loop import simulate
from core.simulation.metrics import ecdf
from core.simulation.policies import REPRODUCED
from core.simulation.policy import POLICIES
from core.simulation.pool import in_processes
from core.twin import Calibration

EVALUATION_SEED = 10_000
"""First evaluation seed; seeds below 1000 are for calibration and for choosing parameters."""
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
    def seeds(self) -> list[int]:
        """Seeds, ascending."""
        return sorted({int(s) for s in self.trials["seed"]})

    def metric(self, policy: str, name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """One value per seed, in ascending order of seeds."""
        rows = self.trials[self.trials["policy"] == policy].sort_values("seed")
        return rows[name].to_numpy(dtype=np.float64)

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


def reproduce(
    scenario: Scenario | None = None,
    *,
    trials: int = 30,
    first_seed: int = EVALUATION_SEED,
    policies: Sequence[str] | None = None,
    workers: int = 1,
    calibration: Calibration | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Reproduction:
    """Fly every policy on the same seeds (Section V-B).

    Args:
        scenario: Table I when None.
        trials: number of seeds.
        first_seed: evaluation seeds by default; give one below 1000 while parameters are still being chosen.
        policies: names; `REPRODUCED` when None.
        workers: processes; policies registered by the caller need 1.
        calibration: of the twin; when None, the one made for the scenario or else the default one.
        progress: called with (missions flown, missions in all).
    """
    scenario = scenario if scenario is not None else Scenario()
    names = list(policies) if policies is not None else list(REPRODUCED)
    if trials < 1:
        raise SafeExplorerError(f"A reproduction needs at least one trial, not {trials}.")
    if unknown := [name for name in names if name not in POLICIES]:
        raise SafeExplorerError(f"Unknown policy {', '.join(unknown)}; known are {', '.join(POLICIES)}.")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise SafeExplorerError(f"Policy {', '.join(twice)} is named twice; name each policy once.")
    jobs = [(scenario, name, seed, calibration) for seed in range(first_seed, first_seed + trials) for name in names]
    rows: list[dict[str, float | str | int]] = []
    samples: dict[tuple[str, str], list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]] = {}
    for row, distributions in in_processes(_fly, jobs, workers, progress):
        rows.append(row)
        for figure, values in distributions.items():
            samples.setdefault((figure, str(row["policy"])), []).append(values)
    curves = []
    for figure in FIGURES:
        for name in names:
            value, share = ecdf(np.concatenate(samples[figure, name]), CURVE_POINTS)
            curves.append(pd.DataFrame({"figure": figure, "policy": name, "value": value, "share": share}))
    return Reproduction(scenario, pd.DataFrame(rows), pd.concat(curves, ignore_index=True))


Job = tuple[Scenario, str, int, Calibration | None]
Flown = tuple[dict[str, float | str | int], Mapping[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]]


def _fly(job: Job) -> Flown:
    scenario, policy, seed, calibration = job
    run = simulate(scenario, policy, seed, calibration)
    row: dict[str, float | str | int] = {"policy": policy, "seed": seed, **run.summary()}
    return row, {
        "rmse_m": run.rmse.astype(np.float32),
        "v_normalised": run.v_normalised.ravel().astype(np.float32),
        "command_delay_ms": run.command_delay_ms.astype(np.float32),
    }


GRID_RADII_M = (22.0, 30.0, 40.0)
GRID_SLOTS = (120, 140, 160, 180)
"""Corridor radii and frame lengths reported beside the headline."""


def corridor_slot_grid(
    scenario: Scenario | None = None,
    *,
    radii_m: Sequence[float] = GRID_RADII_M,
    slots: Sequence[int] = GRID_SLOTS,
    trials: int = 10,
    first_seed: int = EVALUATION_SEED,
    policies: Sequence[str] | None = None,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """Every policy over a grid of corridor radius r_c and frame length S; one row per cell, policy and seed.

    Args:
        scenario, trials, first_seed, policies, workers, progress: as for `reproduce`.
        radii_m: values of control.corridor_radius_m [m].
        slots: values of network.slots.
    """
    base = scenario if scenario is not None else Scenario()
    names = list(policies) if policies is not None else list(REPRODUCED)
    cells = [(r, s) for r in radii_m for s in slots]
    jobs = [
        (base.replace(**{"control.corridor_radius_m": r, "network.slots": s}), name, seed, None)
        for r, s in cells
        for seed in range(first_seed, first_seed + trials)
        for name in names
    ]
    rows = []
    for job, (row, _) in zip(jobs, in_processes(_fly, jobs, workers, progress), strict=True):
        corridor = {"corridor_radius_m": job[0].control.corridor_radius_m, "slots": job[0].network.slots}
        rows.append({**corridor, **row})
    return pd.DataFrame(rows)
