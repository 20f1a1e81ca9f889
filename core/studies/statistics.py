"""Statistics of a study over its seeds: means with bands, a summary of everything, curves along one field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from core.errors import StudyError
from core.simulation import t_interval
from core.studies.definition import Study
from core.studies.metrics import metric_columns, unit_of

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
    for keys, part in groups_of(frame, [*study.names, "policy"]):
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


def curve(frame: pd.DataFrame, study: Study, metric: str, x: str, confidence: float = 0.95) -> pd.DataFrame:
    """Mean and band of a metric along one varied field, per policy and per value of the other fields.

    Over network.slots this is the scarcity curve, over mission.uavs the scaling curve. n counts the seeds in which there
    was something to measure.
    """
    known_metric(frame, study, metric)
    if x not in study.names:
        raise StudyError(f"{x} is not varied in this study; it varies {', '.join(study.names) or 'nothing'}.")
    others = [n for n in study.names if n != x]
    rows: list[dict[str, Any]] = []
    for keys, part in groups_of(frame, [*others, "policy", x]):
        values = part[metric].to_numpy(dtype=float)
        mean, lo, hi = mean_band(values, confidence)
        rows.append({**keys, "mean": mean, "lo": lo, "hi": hi, "n": int(np.isfinite(values).sum())})
    return pd.DataFrame(rows, columns=[*others, "policy", x, "mean", "lo", "hi", "n"])


def known_metric(frame: pd.DataFrame, study: Study, metric: str) -> None:
    """StudyError naming the metrics there are, unless this is one of them."""
    known = metric_columns(frame.columns, study.names)
    if metric not in known:
        raise StudyError(f"There is no metric {metric!r} in this study; there are {', '.join(known)}.")


def groups_of(frame: pd.DataFrame, names: list[str]) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Groups in the order of first appearance (the frame is sorted), rows of each by seed."""
    if not names:
        yield {}, frame
        return
    for key, part in frame.groupby(names, sort=False):
        yield (
            dict(zip(names, key if isinstance(key, tuple) else (key,), strict=True)),
            part.sort_values("seed", kind="stable"),
        )
