"""Where SAFE stands: every policy at many settings on the same seeds, and who is first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.errors import StudyError
from core.scenario import Scenario, preset
from core.simulation import flawless_rmse
from core.studies.comparison import best_policy, winners
from core.studies.definition import Study
from core.studies.reproduction import GRID_RADII_M, GRID_SLOTS
from core.studies.seeds import seed_range
from core.studies.setting import SETTING, Setting
from core.studies.statistics import in_order, paired_difference, paired_reduction
from core.studies.store import StudyStore
from core.twin import FIRST_EVALUATION_SEED

STANDING_SEED = 300
"""First of the calibration seeds on which the standing is printed."""
RIVALS = ("Fixed-Service", "Cert-Fixed", "DynTx-HLC", "VoI-Sched", "SAFE-repaired", "SAFE-paper")
"""Whom SAFE is compared with: the paper's four baselines, and its own allocator with the two other values."""
METRICS = ("mean_rmse_m", "p95_rmse_m", "p95_v")
"""What is compared."""
TABLE_ONE = "r_c = 30 m, S = 160"
SETTING_PRESETS = ("clear-sky", "stressed", "table-1", "teaching-swarm")
"""Presets among the settings; named, so that another preset leaves the shipped standing as it was flown."""


def settings() -> dict[str, Scenario]:
    """The settings by name: the r_c × S grid, swarm sizes, link budgets, feed-forward, some presets."""
    changes: dict[str, Mapping[str, Any]] = {
        f"r_c = {r:g} m, S = {s}": {"control.corridor_radius_m": r, "network.slots": s}
        for r in GRID_RADII_M
        for s in GRID_SLOTS
    }
    changes |= {f"N = {n}": {"mission.uavs": n} for n in (20, 65)}
    changes |= {f"SNR {db:+g} dB": {"network.snr_offset_db": db} for db in (-3.0, 6.0)}
    changes["feed-forward"] = {"control.feed_forward": True}
    found = {name: Scenario().replace(**change) for name, change in changes.items()}
    return found | {f"preset {name}": preset(name) for name in SETTING_PRESETS if preset(name) not in found.values()}


def standing_study(*, trials: int = 10, first_seed: int = STANDING_SEED) -> Study:
    """Every policy at every setting.

    Args:
        trials: missions per setting and policy.
        first_seed: calibration seeds only.
    """
    if not 0 <= first_seed <= first_seed + trials <= FIRST_EVALUATION_SEED or trials < 1:
        raise StudyError(
            f"The standing is flown on calibration seeds: choose --first-seed and --trials within 0 … "
            f"{FIRST_EVALUATION_SEED - 1}, not {trials} from {first_seed} on."
        )
    named = tuple(Setting.between(name, Scenario(), scenario) for name, scenario in settings().items())
    return Study(policies=("SAFE", *RIVALS), seeds=seed_range(trials, first_seed), settings=named)


def standing_rows(store: StudyStore, study: Study) -> pd.DataFrame:
    """One row per setting, policy and seed, and the flawless radio's RMSE beside SAFE's: what trials.csv holds."""
    rows = in_order(store.frame_of(study), study, "policy", "seed")
    scenarios = {dict(cell.values)[SETTING]: study.scenario_of(cell) for cell in study.cells()}
    ours = rows["policy"] == "SAFE"
    at = zip(rows.loc[ours, SETTING], rows.loc[ours, "seed"], strict=True)
    rows.loc[ours, "flawless_rmse_m"] = [flawless_rmse(scenarios[name], int(seed)) for name, seed in at]
    return rows


@dataclass(frozen=True)
class Standing:
    """SAFE at one setting.

    Args:
        setting: its name.
        ours: SAFE's mean over seeds by metric.
        rival: the best of the others by metric, and its mean.
        first: whether SAFE has the best mean in all of METRICS.
        sure: whether it is also the winner in all of them (`core.studies.winners`).
    """

    setting: str
    ours: Mapping[str, float]
    rival: Mapping[str, tuple[str, float]]
    first: bool
    sure: bool


def standings(trials: pd.DataFrame) -> list[Standing]:
    """SAFE against the best of the others at every setting.

    Args:
        trials: rows of `standing_rows`.
    """
    study = standing_study()
    won = {metric: winners(trials, study, metric).set_index(SETTING) for metric in METRICS}
    found = []
    for setting, part in trials.groupby(SETTING, sort=False):
        means = part.groupby("policy")[list(METRICS)].mean()
        others = means.drop(index="SAFE")
        best = {m: best_policy(others[m], m) for m in METRICS}
        rival = {m: (best[m], float(others[m][best[m]])) for m in METRICS}
        here = [won[m].loc[setting] for m in METRICS]
        first, sure = (all(row[column] == "SAFE" for row in here) for column in ("best", "winner"))
        ours = {m: float(means[m]["SAFE"]) for m in METRICS}
        found.append(Standing(str(setting), ours, rival, first, sure))
    return found


def standing_markdown(trials: pd.DataFrame) -> str:
    """The standings as Markdown, and at Table I the gap to a flawless radio and the tail of V."""
    seeds = sorted({int(s) for s in trials["seed"]})
    lines = [
        f"{len(seeds)} missions per policy and setting, calibration seeds {seeds[0]}–{seeds[-1]}. In each pair: SAFE, then the "
        f"best of {', '.join(RIVALS)}.",
        "",
        "| setting | mean RMSE [m] | P95 RMSE [m] | P95 V/V_max | SAFE first |",
        "|---|---|---|---|---|",
    ]
    for s in standings(trials):
        cells = " | ".join(
            f"{s.ours[m]:.{d}f}, {s.rival[m][1]:.{d}f} ({s.rival[m][0]})"
            for m, d in zip(METRICS, (2, 2, 3), strict=True)
        )
        verdict = (
            ("in all three" if s.sure else "in all three, within the noise in some") if s.first else "**not in all**"
        )
        lines.append(f"| {s.setting} | {cells} | {verdict} |")
    here = trials[trials["setting"] == TABLE_ONE]
    ours = here[here["policy"] == "SAFE"].sort_values("seed")
    gap = paired_difference(ours["mean_rmse_m"].to_numpy(), ours["flawless_rmse_m"].to_numpy())
    lines += [
        "",
        f"At {TABLE_ONE}: SAFE flies {gap.mean:+.2f} m [{gap.low:+.2f}, {gap.high:+.2f}] from the RMSE of a radio that never "
        f"fails and takes no time ({ours['flawless_rmse_m'].mean():.2f} m). P95 V/V_max below "
        + ", ".join(_below(here, ours, p) for p in RIVALS[:4])
        + ".",
    ]
    return "\n".join(lines) + "\n"


def _below(here: pd.DataFrame, ours: pd.DataFrame, rival: str) -> str:
    theirs = here[here["policy"] == rival].sort_values("seed")
    fall = paired_reduction(ours["p95_v"].to_numpy(), theirs["p95_v"].to_numpy())
    return f"{rival} by {fall.mean:.0%} [{fall.low:.0%}, {fall.high:.0%}]"
