"""Policies against each other on matched seeds: paired differences, and who wins where."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd

from core.studies.definition import Study
from core.studies.metrics import direction_of, metric_columns, unit_of
from core.studies.statistics import groups_of, known_metric, mean_band, paired_p

NOT_SIGNIFICANT = "not significant"
NO_COMMON_SEEDS = "no common seeds"
NO_DIRECTION = "neither direction is better"
COLUMNS = ("policy", "baseline", "metric", "unit", "n", "difference", "lo", "hi", "p_value", "baseline_better")


def paired_differences(
    frame: pd.DataFrame, study: Study, metric: str, baseline: str = "SAFE", confidence: float = 0.95
) -> pd.DataFrame:
    """Policy minus baseline on matched seeds, per cell: mean difference with its band, p-value, share of seeds better.

    `baseline_better` is nan for a metric that has no better direction.
    Common random numbers make the pairs strongly correlated, so the band is far narrower than that of two means.
    """
    known_metric(frame, study, metric)
    rows: list[dict[str, Any]] = []
    for keys, part in groups_of(frame, list(study.names)):
        wide = _by_seed(part, study, metric)
        if baseline in wide:
            others = [p for p in map(str, wide) if p != baseline]
            rows += [{**keys, **_difference(wide, metric, p, baseline, confidence)} for p in others]
    return _table(rows, study)


def all_differences(frame: pd.DataFrame, study: Study, confidence: float = 0.95) -> pd.DataFrame:
    """`paired_differences` of every pair of policies and every metric; of a pair, the baseline is the one named first.

    Bands and p-values are those of one comparison; they are not corrected for the number of rows.
    """
    metrics = metric_columns(frame.columns, study.names)
    rows: list[dict[str, Any]] = []
    for keys, part in groups_of(frame, list(study.names)):
        for metric in metrics:
            wide = _by_seed(part, study, metric)
            pairs = itertools.combinations(map(str, wide), 2)
            rows += [{**keys, **_difference(wide, metric, p, base, confidence)} for base, p in pairs]
    return _table(rows, study)


def differences_csv(frame: pd.DataFrame, study: Study) -> bytes:
    """`all_differences` as CSV; the same records give the same bytes, in whatever order they were computed."""
    return all_differences(frame, study).to_csv(index=False, float_format="%.10g", lineterminator="\n").encode()


def winners(frame: pd.DataFrame, study: Study, metric: str, confidence: float = 0.95) -> pd.DataFrame:
    """The best policy per cell, or "not significant" unless it beats every other policy on matched seeds.

    Only seeds count in which every policy of the cell has a value: a study may be half filled or grown, and a mean over
    kinder seeds must not win. Without such a seed the cell says "no common seeds". Asking for all comparisons at once is
    an intersection–union test, so it needs no correction for their number. A metric that has no better direction has no
    winner.
    """
    known_metric(frame, study, metric)
    direction = direction_of(metric)
    lower = direction == "lower"
    rows: list[dict[str, Any]] = []
    for keys, part in groups_of(frame, list(study.names)):
        wide = _by_seed(part, study, metric).dropna()
        if wide.empty:
            rows.append({**keys, "winner": NO_COMMON_SEEDS, "best": "", "mean": np.nan, "margin": np.nan, "n": 0})
            continue
        if direction == "none":
            rows.append({**keys, "winner": NO_DIRECTION, "best": "", "mean": np.nan, "margin": np.nan, "n": len(wide)})
            continue
        means = wide.mean()
        best = best_policy(means, metric)
        others = pd.DataFrame([_difference(wide, metric, p, best, confidence) for p in map(str, wide) if p != best])
        clear = len(others) > 0 and bool(((others["lo"] > 0) if lower else (others["hi"] < 0)).all())
        margin = float(others["difference"].abs().min()) if len(others) else np.nan
        winner = best if clear else NOT_SIGNIFICANT
        rows.append({**keys, "winner": winner, "best": best, "mean": means[best], "margin": margin, "n": len(wide)})
    return pd.DataFrame(rows)


def best_policy(means: pd.Series[float], metric: str) -> str:
    """The policy with the best mean in the direction that the table of metrics gives; the first of equals."""
    return str(means.idxmin() if direction_of(metric) == "lower" else means.idxmax())


def _by_seed(part: pd.DataFrame, study: Study, metric: str) -> pd.DataFrame:
    """One row per seed, one column per policy in the order of the study; nan where there is no record or no value."""
    wide = part.pivot(index="seed", columns="policy", values=metric).astype(float)
    return wide[[p for p in study.policies if p in wide]].where(np.isfinite)


def _difference(wide: pd.DataFrame, metric: str, policy: str, baseline: str, confidence: float) -> dict[str, Any]:
    d = (wide[policy] - wide[baseline]).dropna().to_numpy()
    direction = direction_of(metric)
    sign = 1.0 if direction == "lower" else -1.0
    better = float(np.mean(sign * d > 0)) if d.size and direction != "none" else np.nan
    values = (policy, baseline, metric, unit_of(metric), int(d.size), *mean_band(d, confidence), paired_p(d), better)
    return dict(zip(COLUMNS, values, strict=True))


def _table(rows: list[dict[str, Any]], study: Study) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=[*study.names, *COLUMNS])
