"""Empirical distributions, and differences between policies that flew the same seeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

Array = NDArray[np.float64]
BOOTSTRAP_DRAWS = 4000


def ecdf(samples: ArrayLike, points: int | None = None) -> tuple[Array, Array]:
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
    statistic: Callable[..., Array] | None = None,
    level: float = 0.95,
    seed: int = 0,
    draws: int = BOOTSTRAP_DRAWS,
) -> Interval:
    """Percentile bootstrap over seeds.

    Args:
        samples: one value per seed, (trials,); several arrays are resampled together.
        statistic: maps the resampled arrays, each (draws, trials), to (draws,); mean over seeds when None.
        level: confidence level [-].
        seed: of the resampling.
        draws: number of resamples.
    """
    arrays = [np.asarray(s, dtype=np.float64) for s in samples]
    measure = statistic if statistic is not None else _mean
    trials = len(arrays[0])
    pick = np.random.default_rng(seed).integers(0, trials, size=(draws, trials))
    low, high = np.quantile(measure(*(a[pick] for a in arrays)), [0.5 - level / 2, 0.5 + level / 2])
    centre = measure(*(a[None, :] for a in arrays))
    return Interval(float(centre[0]), float(low), float(high), level)


def _mean(x: Array) -> Array:
    mean: Array = x.mean(axis=-1)
    return mean


def paired_difference(ours: ArrayLike, theirs: ArrayLike, level: float = 0.95) -> Interval:
    """Mean of ours − theirs over the seeds both flew, with a Student interval of the paired differences."""
    return t_interval(np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64), level)


def paired_reduction(ours: ArrayLike, theirs: ArrayLike, level: float = 0.95, seed: int = 0) -> Interval:
    """Relative reduction 1 − mean(ours)/mean(theirs) over shared seeds with a paired bootstrap interval [-]."""

    def reduction(a: Array, b: Array) -> Array:
        ratio: Array = 1.0 - a.mean(axis=-1) / b.mean(axis=-1)
        return ratio

    return bootstrap_interval(ours, theirs, statistic=reduction, level=level, seed=seed)
