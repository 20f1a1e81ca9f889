"""Intervals behind the verdicts: a share of independent trials, and shares and means over missions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from core.twin.persistence import effective_trials

Floats = NDArray[np.float64]
CONFIDENCE = 0.95


def clopper_pearson(kept: float, trials: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Exact two-sided binomial interval of a proportion (Clopper and Pearson 1934).

    Args:
        kept: successes; need not be whole (effective counts).
        trials: independent trials; none gives (nan, nan).
        confidence: coverage, in (0, 1) [-].
    """
    if trials == 0:
        return (math.nan, math.nan)
    tail = (1 - confidence) / 2
    lower = 0.0 if kept == 0 else float(stats.beta.ppf(tail, kept, trials - kept + 1))
    upper = 1.0 if kept == trials else float(stats.beta.ppf(1 - tail, kept + 1, trials - kept))
    return (lower, upper)


def share_interval(kept: int, trials: int, effective: float | None = None) -> tuple[float, float]:
    """Clopper–Pearson interval of kept/trials, on the effective number of trials where they hang together."""
    if effective is None or trials == 0:
        return clopper_pearson(kept, trials)
    return clopper_pearson(kept / trials * effective, effective)


class Tally(NamedTuple):
    """Trials of several missions.

    Args:
        kept, trials: summed over missions.
        effective: independent trials that tell as much (Korn and Graubard 1998, missions as clusters).
    """

    kept: int
    trials: int
    effective: float


def over_missions(kept: Sequence[int], trials: Sequence[int]) -> Tally:
    """Trials counted by mission: those of one mission share its shadowing and are not independent."""
    k, n = (np.array(counts, dtype=np.int64).reshape(-1, 1) for counts in (kept, trials))
    total = int(n.sum())
    effective = float(effective_trials(k, n, (1 + CONFIDENCE) / 2)[0]) if total else 0.0
    return Tally(int(k.sum()), total, effective)


class Mean(NamedTuple):
    """A mean over missions with its interval; nan where fewer than two missions have a value."""

    value: float
    low: float
    high: float


def mean_over_missions(values: Sequence[Floats], confidence: float = CONFIDENCE) -> Mean:
    r"""Mean of all values, with an interval that only differences between missions narrow.

    .. math:: \widehat{\operatorname{var}}(\bar x) = \frac{m}{m-1}\,\frac{\sum_s (\sum_i x_{si} - \bar x\,n_s)^2}{n^2}

    m missions, Student's t with m − 1 degrees of freedom: the estimate that `effective_trials` makes for shares.

    Args:
        values: those of each mission, any number each.
        confidence: coverage, in (0, 1) [-].
    """
    some = [v for v in values if len(v)]
    n, sums = np.array([len(v) for v in some], dtype=float), np.array([v.sum() for v in some])
    mean = float(sums.sum() / n.sum()) if some else math.nan
    m = len(some)
    if m < 2:
        return Mean(mean, math.nan, math.nan)
    variance = m / (m - 1) * float(((sums - mean * n) ** 2).sum()) / float(n.sum()) ** 2
    half = float(stats.t.ppf((1 + confidence) / 2, m - 1)) * math.sqrt(variance)
    return Mean(mean, mean - half, mean + half)
