"""Where SAFE stands: every policy at many settings on the same seeds, and who is first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.errors import SafeExplorerError
from core.scenario import Scenario, preset
from core.simulation.flawless import flawless_rmse
from core.simulation.loop import simulate
from core.simulation.metrics import paired_difference, paired_reduction
from core.simulation.pool import in_processes
from core.simulation.reproduction import GRID_RADII_M, GRID_SLOTS
from core.twin import FIRST_EVALUATION_SEED

STANDING_SEED = 300
"""First of the calibration seeds on which the standing is printed."""
RIVALS = ("Fixed-Service", "Cert-Fixed", "DynTx-HLC", "VoI-Sched", "SAFE-repaired", "SAFE-paper")
"""Whom SAFE is compared with: the paper's four baselines, and its own allocator with the two other values."""
METRICS = ("mean_rmse_m", "p95_rmse_m", "p95_v")
"""What is compared; the smaller the better."""
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


def fly_standing(
    at: Mapping[str, Scenario] | None = None,
    *,
    trials: int = 10,
    first_seed: int = STANDING_SEED,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """Every policy at every setting; one row per setting, policy and seed, and the flawless radio's RMSE beside it.

    Args:
        at: the settings by name; `settings()` when None.
        trials: missions per setting and policy.
        first_seed: calibration seeds only.
        workers: processes.
        progress: called with (missions flown, missions in all).
    """
    if not 0 <= first_seed <= first_seed + trials <= FIRST_EVALUATION_SEED or trials < 1:
        raise SafeExplorerError(
            f"The standing is flown on calibration seeds: choose --first-seed and --trials within 0 … "
            f"{FIRST_EVALUATION_SEED - 1}, not {trials} from {first_seed} on."
        )
    seeds = range(first_seed, first_seed + trials)
    jobs = [
        (name, scenario, policy, seed)
        for name, scenario in (settings() if at is None else at).items()
        for policy in ("SAFE", *RIVALS)
        for seed in seeds
    ]
    return pd.DataFrame(in_processes(_fly, jobs, workers, progress))


def _fly(job: tuple[str, Scenario, str, int]) -> dict[str, Any]:
    name, scenario, policy, seed = job
    row = {"setting": name, "policy": policy, "seed": seed, **simulate(scenario, policy, seed).summary()}
    if policy == "SAFE":
        row["flawless_rmse_m"] = flawless_rmse(scenario, seed)
    return row


@dataclass(frozen=True)
class Standing:
    """SAFE at one setting.

    Args:
        setting: its name.
        ours: SAFE's mean over seeds by metric.
        rival: the best of the others by metric, and its mean.
        first: whether SAFE's mean is below every other's in all of METRICS.
        sure: whether the paired 95 % interval against that rival excludes zero in all of METRICS.
    """

    setting: str
    ours: Mapping[str, float]
    rival: Mapping[str, tuple[str, float]]
    first: bool
    sure: bool


def standings(trials: pd.DataFrame) -> list[Standing]:
    """SAFE against the best of the others at every setting.

    Args:
        trials: rows of `fly_standing`.
    """
    found = []
    for setting, part in trials.groupby("setting", sort=False):
        by_policy = {p: rows.sort_values("seed") for p, rows in part.groupby("policy", sort=False)}
        ours = by_policy.pop("SAFE")
        rival, sure = {}, True
        for metric in METRICS:
            means = {str(p): float(rows[metric].mean()) for p, rows in by_policy.items()}
            best = min(means, key=lambda p: means[p])
            rival[metric] = (best, means[best])
            difference = paired_difference(ours[metric].to_numpy(), by_policy[best][metric].to_numpy())
            sure &= difference.high < 0.0
        mine = {metric: float(ours[metric].mean()) for metric in METRICS}
        first = all(mine[m] < rival[m][1] for m in METRICS)
        found.append(Standing(str(setting), mine, rival, first, first and sure))
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
