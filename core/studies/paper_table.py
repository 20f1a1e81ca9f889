"""The paper's numbers beside ours: Section V-B as a table."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, cast

import numpy as np
import pandas as pd

from core.simulation import PAPER_FIVE
from core.studies.axis import Axis
from core.studies.comparison import best_policy, winners
from core.studies.definition import Study
from core.studies.reproduction import Reproduction
from core.studies.statistics import Interval, bootstrap_interval, paired_difference, paired_p, paired_reduction

PAPER_MEAN_RMSE_M = {"SAFE": 8.0, "VoI-Sched": 8.9, "DynTx-HLC": 9.8, "Fixed-Service": 11.4, "Cert-Fixed": 11.9}
PAPER_P95_RMSE_M = {"SAFE": (9.9, 9.9), "baselines": (10.6, 16.3)}
"""Printed for SAFE; for the four baselines only the range."""
PAPER_P95_V_REDUCTION = {"Fixed-Service": 0.585, "Cert-Fixed": 0.604, "DynTx-HLC": 0.425, "VoI-Sched": 0.320}
PAPER_DELAY = {
    "DynTx-HLC": "SAFE lower",
    "VoI-Sched": "SAFE lower",
    "Fixed-Service": "SAFE higher",
    "Cert-Fixed": "SAFE higher",
}
"""Of the command delay the paper prints the order only (mean and 95th percentile alike)."""
SIDE_METRICS = (
    "slots_used",
    "served_per_cycle",
    "delivered_share",
    "certified_share",
    "synchronisation_share",
    "hold_share",
    "safe_share",
    "longest_wait_cycles",
    "longest_silence_cycles",
    "drift_exceeded_share",
    "bound_exceeded",
    "stale_hold_share",
    "min_separation_m",
    "too_close_share",
)
"""What the paper does not print, for judging why a policy does well or badly."""


def paper_table(result: Reproduction, ours: str = "SAFE") -> pd.DataFrame:
    """One row per ranked policy: ours with 95 % intervals over seeds, and the paper's number where it prints one.

    Parts of SAFE have a table of their own (`core.studies.ablation`).

    Columns ending in _low and _high are BCa bootstrap intervals of the mean over seeds; `*_vs` compare `ours` with the
    row's policy on the same seeds (difference: Student interval, reduction: paired BCa).
    """
    rows = []
    for policy in result.ranked:
        row: dict[str, object] = {"policy": policy, "paper_delay": PAPER_DELAY.get(policy, "")}
        for name in ("mean_rmse_m", "p95_rmse_m", "p95_v", "mean_delay_ms", "p95_delay_ms"):
            _add(row, name, bootstrap_interval(result.metric(policy, name)))
        row["paper_mean_rmse_m"] = PAPER_MEAN_RMSE_M.get(policy, np.nan)
        low, high = PAPER_P95_RMSE_M["SAFE"] if policy == "SAFE" else PAPER_P95_RMSE_M["baselines"]
        printed = policy in PAPER_MEAN_RMSE_M
        row["paper_p95_rmse_low"], row["paper_p95_rmse_high"] = (low, high) if printed else (np.nan, np.nan)
        if policy != ours and ours in result.policies:
            for name in ("mean_delay_ms", *COMPARED):
                mine, theirs = result.metric(ours, name), result.metric(policy, name)
                _add(row, f"{name}_vs", paired_difference(mine, theirs))
                row[f"{name}_p"] = paired_p(mine - theirs)
            reduction = paired_reduction(result.metric(ours, "p95_v"), result.metric(policy, "p95_v"))
            _add(row, "p95_v_reduction", reduction)
            row["paper_p95_v_reduction"] = PAPER_P95_V_REDUCTION.get(policy, np.nan)
        rows.append(row)
    return pd.DataFrame(rows)


def _add(row: dict[str, object], name: str, interval: Interval) -> None:
    row[name], row[f"{name}_low"], row[f"{name}_high"] = interval.mean, interval.low, interval.high


def paper_markdown(result: Reproduction, ours: str = "SAFE") -> str:
    """The table as Markdown, with what it was made from, and of every policy what the paper does not print."""
    table = paper_table(result, ours)
    seeds = result.seeds
    changed = result.scenario.differences()
    lines = [
        f"{len(seeds)} missions per policy, seeds {seeds[0]}–{seeds[-1]}; brackets are 95 % intervals over seeds, "
        "BCa bootstrap of means and reductions, Student of differences.",
        f"Scenario: {', '.join(f'{k} = {v}' for k, v in changed.items()) if changed else 'the defaults (Table I)'}.",
        "",
        "| policy | mean RMSE [m] | paper | P95 RMSE [m] | paper | P95 V/V_max | SAFE lower by | paper "
        "| mean delay [ms] | SAFE − policy [ms] | paper |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in table.to_dict("records"):
        lines.append(
            f"| {row['policy']} | {_text(row, 'mean_rmse_m', 2)} | {_plain(row['paper_mean_rmse_m'])} "
            f"| {_text(row, 'p95_rmse_m', 2)} | {_range(row['paper_p95_rmse_low'], row['paper_p95_rmse_high'])} "
            f"| {_text(row, 'p95_v', 3)} | {_percent(row, 'p95_v_reduction')} "
            f"| {_plain(row.get('paper_p95_v_reduction'), 100, ' %')} | {_text(row, 'mean_delay_ms', 2)} "
            f"| {_text(row, 'mean_delay_ms_vs', 2)} | {row['paper_delay'] or '–'} |"
        )
    lines += _differences(table, ours)
    if ours in result.policies:
        gap = paired_difference(result.metric(ours, "mean_rmse_m"), result.flawless_rmse_m)
        lines += [
            "",
            f"A radio that never fails and takes no time flies {result.flawless_rmse_m.mean():.2f} m; {ours} is "
            f"{gap.mean:+.2f} m [{gap.low:+.2f}, {gap.high:+.2f}] from it.",
        ]
    lines += ["", "| policy | " + " | ".join(SIDE_METRICS) + " |", "|---" * (len(SIDE_METRICS) + 1) + "|"]
    for policy in result.policies:
        means = (float(result.metric(policy, name).mean()) for name in SIDE_METRICS)
        lines.append(f"| {policy} | " + " | ".join(f"{mean:.3g}" for mean in means) + " |")
    return "\n".join(lines) + "\n"


COMPARED = {
    "mean_rmse_m": ("mean RMSE [m]", 2),
    "p95_rmse_m": ("P95 RMSE [m]", 2),
    "p95_v": ("P95 V/V_max", 3),
    "p95_delay_ms": ("P95 delay [ms]", 2),
}
"""Metrics whose difference between policies is tabled: title and digits."""


def _differences(table: pd.DataFrame, ours: str) -> list[str]:
    rows = [row for row in table.to_dict("records") if not _missing(row.get("mean_rmse_m_vs"))]
    if not rows:
        return []
    head = "".join(f" {ours} − it: {title} |" for title, _ in COMPARED.values())
    return ["", f"| policy |{head}", "|---" * (len(COMPARED) + 1) + "|"] + [
        f"| {row['policy']} | "
        + " | ".join(
            f"{_text(row, f'{name}_vs', digits)}, {_p(row[f'{name}_p'])}" for name, (_, digits) in COMPARED.items()
        )
        + " |"
        for row in rows
    ]


def grid_table(grid: pd.DataFrame, ours: str = "SAFE", metric: str = "mean_rmse_m") -> pd.DataFrame:
    """One row per cell of the r_c × S grid: `ours` against the best of the other policies, on the same seeds.

    `difference` is ours − theirs with its Student interval; `verdict` is who wins the cell (`core.studies.winners`).

    Args:
        grid: rows of `grid_rows`.
        ours: policy that is compared.
        metric: column that has a better direction.
    """
    names = {"corridor_radius_m": "control.corridor_radius_m", "slots": "network.slots"}
    axes = tuple(Axis(name, tuple(sorted(set(grid[column].tolist())))) for column, name in names.items())
    study = Study(axes=axes, policies=tuple(dict.fromkeys(grid["policy"])))
    found = winners(grid.rename(columns=names), study, metric)
    won = dict(zip(zip(*(found[name] for name in study.names), strict=True), found["winner"], strict=True))
    rows = []
    for key, cell in grid.groupby(list(names)):
        radius, slots = cast(tuple[float, int], key)
        wide = cell.pivot_table(index="seed", columns="policy", values=metric)
        best = best_policy(wide.drop(columns=ours).mean(), metric)
        row: dict[str, object] = {
            "corridor_radius_m": radius,
            "slots": slots,
            "seeds": len(wide),
            "ours": float(wide[ours].mean()),
            "best": best,
            "theirs": float(wide[best].mean()),
            "verdict": won[key],
        }
        _add(row, "difference", paired_difference(wide[ours], wide[best]))
        rows.append(row)
    return pd.DataFrame(rows)


def grid_markdown(grid: pd.DataFrame, ours: str = "SAFE") -> str:
    """The r_c × S grid as Markdown: against the paper's baselines, and against all that flew where there are more."""
    flown = set(grid["policy"])
    fields = [("the paper's four", grid[grid["policy"].isin(PAPER_FIVE)])] if {ours} < flown & set(PAPER_FIVE) else []
    if flown - set(PAPER_FIVE):
        fields.append(("all others", grid))
    tables = [(name, grid_table(rows, ours)) for name, rows in fields]
    head = "".join(f" best of {name} | its mean RMSE [m] | {ours} − it [m] | who wins |" for name, _ in tables)
    lines = [f"| r_c [m] | S | {ours} mean RMSE [m] |{head}", "|---" * (3 + 4 * len(tables)) + "|"]
    for rows in zip(*(table.to_dict("records") for _, table in tables), strict=True):
        cells = "".join(
            f" {row['best']} | {row['theirs']:.2f} | {_text(row, 'difference', 2)} | {row['verdict']} |" for row in rows
        )
        lines.append(f"| {rows[0]['corridor_radius_m']:g} | {rows[0]['slots']} | {rows[0]['ours']:.2f} |{cells}")
    return "\n".join(lines) + "\n"


def _missing(value: object) -> bool:
    return not isinstance(value, (int, float)) or bool(np.isnan(value))


def _text(row: Mapping[Hashable, Any], name: str, digits: int) -> str:
    if _missing(row.get(name)):
        return "–"
    return f"{row[name]:.{digits}f} [{row[f'{name}_low']:.{digits}f}, {row[f'{name}_high']:.{digits}f}]"


def _percent(row: Mapping[Hashable, Any], name: str) -> str:
    if _missing(row.get(name)):
        return "–"
    mean, low, high = (100 * float(row[key]) for key in (name, f"{name}_low", f"{name}_high"))
    return f"{mean:.1f} % [{low:.1f}, {high:.1f}]"


def _p(value: float) -> str:
    return "p –" if np.isnan(value) else "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _plain(value: object, scale: float = 1.0, unit: str = "") -> str:
    return "–" if _missing(value) else f"{float(value) * scale:.1f}{unit}"  # type: ignore[arg-type]


def _range(low: object, high: object) -> str:
    if _missing(low):
        return "–"
    return f"{low:.1f}" if low == high else f"{low:.1f}–{high:.1f}"
