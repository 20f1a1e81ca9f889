"""Statistics of a study over its matched seeds: means with bands, paired differences, who wins where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from core.errors import StudyError
from core.simulation import t_interval
from core.studies.definition import Study
from core.studies.metrics import lower_is_better, metric_columns
from core.studies.record import unit_of

NOT_SIGNIFICANT = "not significant"
Floats = npt.NDArray[np.floating[Any]]


def mean_band(values: Floats, confidence: float = 0.95) -> tuple[float, float, float]:
    r"""Mean and Student-t confidence band over independent seeds.

    .. math:: \bar x \pm t_{n-1,\,(1+c)/2}\, s/\sqrt n

    Args:
        values: one value per seed, (n,); nan entries (nothing to measure in that run) are left out.
        confidence: coverage of the band, in (0, 1) [-].

    Returns:
        Mean, lower and upper end; nan ends when fewer than two values are left.
    """
    x = values[np.isfinite(values)]
    if x.size == 0:
        return (np.nan, np.nan, np.nan)
    band = t_interval(x, confidence)
    return (band.mean, band.low, band.high) if x.size > 1 else (band.mean, np.nan, np.nan)


def summarise(frame: pd.DataFrame, study: Study, confidence: float = 0.95) -> pd.DataFrame:
    """One row per cell, policy and metric: n, mean, std, confidence band of the mean, and P95 over the seeds."""
    rows: list[dict[str, Any]] = []
    for keys, part in _groups(frame, [*study.names, "policy"]):
        for metric in metric_columns(frame.columns, study.names):
            x = part[metric].to_numpy(dtype=float)
            x = x[np.isfinite(x)]
            mean, lo, hi = mean_band(x, confidence)
            rows.append(
                {
                    **keys,
                    "metric": metric,
                    "unit": unit_of(metric),
                    "n": int(x.size),
                    "mean": mean,
                    "std": float(x.std(ddof=1)) if x.size > 1 else np.nan,
                    "lo": lo,
                    "hi": hi,
                    "p95": float(np.quantile(x, 0.95)) if x.size else np.nan,
                }
            )
    return pd.DataFrame(rows)


def summary_csv(frame: pd.DataFrame, study: Study) -> bytes:
    """`summarise` as CSV; the same records give the same bytes, in whatever order they were computed."""
    return summarise(frame, study).to_csv(index=False, float_format="%.10g", lineterminator="\n").encode()


def paired_differences(
    frame: pd.DataFrame, study: Study, metric: str, baseline: str = "SAFE", confidence: float = 0.95
) -> pd.DataFrame:
    """Policy minus baseline on matched seeds, per cell: mean difference with its band, p-value, share of seeds better.

    Common random numbers make the pairs strongly correlated, so the band is far narrower than that of two means.
    """
    _has_metric(frame, study, metric)
    sign = 1.0 if lower_is_better(metric) else -1.0
    rows: list[dict[str, Any]] = []
    for keys, part in _groups(frame, list(study.names)):
        wide = part.pivot_table(index="seed", columns="policy", values=metric, dropna=False)
        if baseline not in wide:
            continue
        for policy in [p for p in dict.fromkeys(part["policy"]) if p != baseline]:
            d = (wide[policy] - wide[baseline]).to_numpy(dtype=float)
            d = d[np.isfinite(d)]
            mean, lo, hi = mean_band(d, confidence)
            rows.append(
                {
                    **keys,
                    "policy": policy,
                    "baseline": baseline,
                    "metric": metric,
                    "unit": unit_of(metric),
                    "n": int(d.size),
                    "difference": mean,
                    "lo": lo,
                    "hi": hi,
                    "p_value": _p_value(d),
                    "baseline_better": float(np.mean(sign * d > 0)) if d.size else np.nan,
                }
            )
    return pd.DataFrame(rows)


def winners(frame: pd.DataFrame, study: Study, metric: str, confidence: float = 0.95) -> pd.DataFrame:
    """The best policy per cell, or "not significant" unless it beats every other policy on matched seeds.

    Asking for all comparisons at once is an intersection–union test, so it needs no correction for their number.
    """
    _has_metric(frame, study, metric)
    rows: list[dict[str, Any]] = []
    for keys, part in _groups(frame, list(study.names)):
        means = part.groupby("policy", sort=True)[metric].mean().dropna()
        if means.empty:
            continue
        lower = lower_is_better(metric)
        best = str(means.idxmin() if lower else means.idxmax())
        others = paired_differences(part, study, metric, best, confidence)
        clear = len(others) > 0 and bool(((others["lo"] > 0) if lower else (others["hi"] < 0)).all())
        margin = float(others["difference"].abs().min()) if len(others) else np.nan
        rows.append(
            {**keys, "winner": best if clear else NOT_SIGNIFICANT, "best": best, "mean": means[best], "margin": margin}
        )
    return pd.DataFrame(rows)


def curve(frame: pd.DataFrame, study: Study, metric: str, x: str, confidence: float = 0.95) -> pd.DataFrame:
    """Mean and band of a metric along one varied field, per policy and per value of the other fields.

    Over network.slots this is the scarcity curve, over mission.uavs the scaling curve.
    """
    _has_metric(frame, study, metric)
    if x not in study.names:
        raise StudyError(f"{x} is not varied in this study; it varies {', '.join(study.names) or 'nothing'}.")
    others = [n for n in study.names if n != x]
    rows: list[dict[str, Any]] = []
    for keys, part in _groups(frame, [*others, "policy", x]):
        mean, lo, hi = mean_band(part[metric].to_numpy(dtype=float), confidence)
        rows.append({**keys, "mean": mean, "lo": lo, "hi": hi, "n": len(part)})
    return pd.DataFrame(rows, columns=[*others, "policy", x, "mean", "lo", "hi", "n"])


def _has_metric(frame: pd.DataFrame, study: Study, metric: str) -> None:
    known = metric_columns(frame.columns, study.names)
    if metric not in known:
        raise StudyError(f"There is no metric {metric!r} in this study; there are {', '.join(known)}.")


def _groups(frame: pd.DataFrame, names: list[str]) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Groups in the order of first appearance (the frame is sorted), rows of each by seed."""
    if not names:
        yield {}, frame
        return
    for key, part in frame.groupby(names, sort=False):
        yield dict(zip(names, key if isinstance(key, tuple) else (key,), strict=True)), part.sort_values("seed")


def _p_value(d: Floats) -> float:
    """Two-sided p-value of the paired t test."""
    if d.size < 2:
        return np.nan
    error = float(d.std(ddof=1)) / np.sqrt(d.size)
    if error == 0.0:
        return 1.0 if d[0] == 0.0 else 0.0
    return float(2 * stats.t.sf(abs(d.mean()) / error, d.size - 1))
