"""Statistics over seeds: distributions, intervals, paired comparisons, and summaries and curves of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from core.errors import StudyError
from core.studies.definition import Study
from core.studies.metrics import metric_columns, unit_of

Floats = npt.NDArray[np.floating[Any]]
BOOTSTRAP_DRAWS = 9999


def ecdf(samples: ArrayLike, points: int | None = None) -> tuple[Floats, Floats]:
    """Empirical distribution function: sorted values and the share of samples at or below each.

    Args:
        samples: any shape; flattened.
        points: thin to this many quantiles (ends included) when there are more samples.
    """
    values = np.sort(np.asarray(samples, dtype=np.float64), axis=None)
    share = np.arange(1, len(values) + 1) / max(len(values), 1)
    if points is not None and len(values) > points:
        at = np.unique(np.linspace(0, len(values) - 1, points).round().astype(int))
        return values[at], share[at]
    return values, share


@dataclass(frozen=True)
class Interval:
    """A mean over seeds with its confidence interval.

    Args:
        mean, low, high: in the unit of the metric.
        level: confidence level [-].
    """

    mean: float
    low: float
    high: float
    level: float = 0.95

    @property
    def excludes_zero(self) -> bool:
        """The interval lies on one side of zero."""
        return self.low > 0 or self.high < 0


def t_interval(samples: ArrayLike, level: float = 0.95) -> Interval:
    """Student interval of the mean of independent samples (one per seed); degenerate for a single one."""
    x = np.asarray(samples, dtype=np.float64)
    mean = float(x.mean())
    if len(x) < 2:
        return Interval(mean, mean, mean, level)
    half = float(stats.t.ppf(0.5 + level / 2, len(x) - 1) * x.std(ddof=1) / np.sqrt(len(x)))
    return Interval(mean, mean - half, mean + half, level)


def bootstrap_interval(
    *samples: ArrayLike,
    statistic: Callable[..., Floats] | None = None,
    level: float = 0.95,
    seed: int = 0,
    draws: int = BOOTSTRAP_DRAWS,
) -> Interval:
    """Bias-corrected and accelerated bootstrap over seeds (BCa, Efron 1987), `scipy.stats.bootstrap`.

    Args:
        samples: one value per seed, (trials,); several arrays are resampled together, seed by seed.
        statistic: maps arrays with the trials along the last axis to one value each; mean over seeds when None.
        level: confidence level [-].
        seed: of the resampling.
        draws: number of resamples.

    Returns:
        The statistic with its interval; a point where nothing varies over seeds, or there is one seed only.
    """
    arrays = [np.asarray(s, dtype=np.float64) for s in samples]
    measure = statistic if statistic is not None else _mean
    centre = float(measure(*arrays))
    if not np.isfinite(centre):
        return Interval(centre, centre, centre, level)
    # the same value whichever seed is left out: no distribution to take quantiles of, and BCa would divide by its width
    without = (
        [float(measure(*(np.delete(a, i) for a in arrays))) for i in range(len(arrays[0]))]
        if arrays[0].size > 1
        else []
    )
    if np.allclose(without, centre, rtol=1e-12, atol=0.0):
        return Interval(centre, centre, centre, level)
    found = stats.bootstrap(
        arrays,
        lambda *x, axis=-1: measure(*(np.moveaxis(a, axis, -1) for a in x)),
        paired=len(arrays) > 1,
        vectorized=True,
        n_resamples=draws,
        confidence_level=level,
        method="BCa",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(centre, float(found.low), float(found.high), level)


def _mean(x: Floats) -> Floats:
    mean: Floats = x.mean(axis=-1)
    return mean


def paired_difference(ours: ArrayLike, theirs: ArrayLike, level: float = 0.95) -> Interval:
    """Mean of ours − theirs over the seeds both flew, with a Student interval of the paired differences."""
    return t_interval(np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64), level)


def paired_p(differences: ArrayLike) -> float:
    """Two-sided p-value of the paired t test, from one difference per seed; nan for fewer than two [-]."""
    d = np.asarray(differences, dtype=np.float64)
    if d.size < 2:
        return np.nan
    error = float(d.std(ddof=1)) / np.sqrt(d.size)
    if error == 0.0:
        return 1.0 if d[0] == 0.0 else 0.0
    return float(2 * stats.t.sf(abs(d.mean()) / error, d.size - 1))


def paired_reduction(ours: ArrayLike, theirs: ArrayLike, level: float = 0.95, seed: int = 0) -> Interval:
    """Relative reduction 1 − mean(ours)/mean(theirs) over shared seeds with a paired BCa interval [-]."""

    def reduction(a: Floats, b: Floats) -> Floats:
        ratio: Floats = 1.0 - a.mean(axis=-1) / b.mean(axis=-1)
        return ratio

    return bootstrap_interval(ours, theirs, statistic=reduction, level=level, seed=seed)


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


def in_order(frame: pd.DataFrame, study: Study, *by: str) -> pd.DataFrame:
    """Rows in the order of the study's cells, then by seed or policy as asked, without the column `cell`."""
    ranks: dict[str, dict[Any, int]] = {
        "cell": {cell.id: i for i, cell in enumerate(study.cells())},
        "policy": {name: i for i, name in enumerate(study.policies)},
        "seed": {seed: seed for seed in study.seeds},
    }
    keys = [frame[name].map(ranks[name]) for name in ("cell", *by)]
    order = np.lexsort([key.to_numpy() for key in reversed(keys)])
    return frame.iloc[order].drop(columns="cell").reset_index(drop=True)
