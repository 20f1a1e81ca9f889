"""Failure persistence p₁₁ by bin of predicted failure, from fail→fail counts of the calibration runs, seed by seed."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy.special import betaincinv, stdtrit

from core.network.arrays import flattened

BIN_EDGES: npt.NDArray[np.float64] = np.array(
    [1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
)
"""Inner edges of the bins of nominal predicted failure: about two per decade up to 0.1, then steps of 0.1."""


@njit(cache=True, nogil=True)
def bin_of(failure: float) -> int:
    """Bin of one nominal predicted bidirectional failure; the first bin is open below, the last ends at 1."""
    lo, hi = 0, BIN_EDGES.size
    while lo < hi:
        middle = (lo + hi) // 2
        if failure <= BIN_EDGES[middle]:
            hi = middle
        else:
            lo = middle + 1
    return lo


@njit(cache=True, nogil=True)
def _bins(failure: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    index = np.empty(failure.size, dtype=np.int64)
    for m in range(failure.size):
        index[m] = bin_of(failure[m])
    return index


def failure_bin(failure_nominal: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """`bin_of` of many predicted failures, of their shape."""
    (failure,), shape = flattened(np.asarray(failure_nominal, dtype=float))
    bins: npt.NDArray[np.int64] = _bins(failure).reshape(shape)[()]
    return bins


def clopper_pearson_upper(
    successes: npt.ArrayLike, trials: npt.ArrayLike, confidence: float
) -> npt.NDArray[np.float64]:
    """One-sided Clopper–Pearson upper bound on a binomial proportion; 1 without trials.

    Args:
        successes: counts x; need not be whole (effective counts).
        trials: counts n ≥ x.
        confidence: probability that the bound holds, in (0, 1) [-].
    """
    x, n = np.broadcast_arrays(np.asarray(successes, dtype=float), np.asarray(trials, dtype=float))
    upper = np.ones(x.shape)
    inner = x < n
    upper[inner] = betaincinv(x[inner] + 1.0, n[inner] - x[inner], confidence)
    return upper


def effective_trials(
    successes: npt.NDArray[np.int64], trials: npt.NDArray[np.int64], confidence: float
) -> npt.NDArray[np.float64]:
    r"""Number of independent trials that tell as much as trials which hang together within a seed (Korn and Graubard 1998).

    .. math:: n^* = \frac{\hat p(1-\hat p)}{\widehat{\operatorname{var}}(\hat p)}
              \Bigl(\frac{t_{n-1}}{t_{m-1}}\Bigr)^2 \le n, \qquad
              \widehat{\operatorname{var}}(\hat p) = \frac{m}{m-1}\,\frac{\sum_s (x_s - \hat p\,n_s)^2}{n^2}

    m seeds, t quantiles at the confidence. Cycles and loops of one mission share its shadowing: counting its pairs as
    independent would claim a confidence that only other missions can give.

    Args:
        successes, trials: counts by seed, (m, bins).
        confidence: of the bound the number is for, in (0, 1) [-].

    Returns:
        n*, (bins,); 0 where fewer than two seeds have trials: nothing says how much seeds differ.
    """
    x, n = successes.sum(axis=0, dtype=float), trials.sum(axis=0, dtype=float)
    m = (trials > 0).sum(axis=0)
    known = m >= 2
    p = np.divide(x, n, out=np.zeros_like(x), where=n > 0)
    spread = ((successes - p * trials) ** 2).sum(axis=0) * np.divide(m, m - 1, out=np.zeros_like(x), where=known)
    design = np.divide(spread, n * p * (1.0 - p), out=np.zeros_like(x), where=known & (p > 0.0) & (p < 1.0))
    at = max(confidence, 0.501)  # both quantiles vanish at 1/2, their ratio does not
    few = np.divide(stdtrit(np.maximum(n - 1.0, 1.0), at), stdtrit(np.maximum(m - 1.0, 1.0), at)) ** 2
    return np.where(known, np.minimum(n, n * few / np.maximum(design, 1.0)), 0.0)


@dataclass(frozen=True, eq=False)
class ChainCounts:
    """Transitions between consecutive cycles of one action, by seed and by bin of nominal predicted failure.

    Args:
        failures: pairs that start with a failure, (seeds, bins).
        repeats: of these, pairs whose second outcome is a failure too, (seeds, bins).
        successes: pairs that start with a success, (seeds, bins).
        breaks: of these, pairs whose second outcome is a failure, (seeds, bins).
    """

    failures: npt.NDArray[np.int64]
    repeats: npt.NDArray[np.int64]
    successes: npt.NDArray[np.int64]
    breaks: npt.NDArray[np.int64]

    @classmethod
    def of_pairs(cls, failure_nominal: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike) -> ChainCounts:
        """Count pairs of outcomes (True = failure) of one seed by the predicted failure of the first cycle."""
        b, y1, y2 = failure_bin(failure_nominal), np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)

        def count(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
            return np.bincount(b[mask], minlength=BIN_EDGES.size + 1).astype(np.int64)[None]

        return cls(count(y1), count(y1 & y2), count(~y1), count(~y1 & y2))

    @classmethod
    def of_seeds(cls, counts: Sequence[ChainCounts]) -> ChainCounts:
        """The counts of several seeds, one row each."""
        failures, repeats, successes, breaks = (
            np.concatenate([getattr(c, f.name) for c in counts]) for f in dataclasses.fields(cls)
        )
        return cls(failures, repeats, successes, breaks)

    def __add__(self, other: ChainCounts) -> ChainCounts:
        """The same seeds at two link budgets."""
        return ChainCounts(
            self.failures + other.failures,
            self.repeats + other.repeats,
            self.successes + other.successes,
            self.breaks + other.breaks,
        )

    def persistence(self, confidence: float, min_failures: int) -> npt.NDArray[np.float64]:
        """p₁₁ per bin for Eq. (eq:markov-failure-tail): Clopper–Pearson over seeds, inherited from worse bins, monotone.

        A bin with fewer than `min_failures` failures takes the bound of the next worse populated bin: reliable actions
        fail rarely, and excluding them would punish the best. Bins worse than every populated bin are nan.
        """
        return _monotone(_populated(self.repeats, self.failures, confidence, min_failures))

    def onset(self, confidence: float, min_failures: int) -> npt.NDArray[np.float64]:
        """p₀₁ per bin of Eq. (eq:failure-transition), bounded the same way; only the exact law (D18) uses it."""
        return _monotone(_populated(self.breaks, self.successes, confidence, min_failures))


def _populated(
    x: npt.NDArray[np.int64], n: npt.NDArray[np.int64], confidence: float, least: int
) -> npt.NDArray[np.float64]:
    """Bound of each bin from counts by seed; nan where there are too few pairs, or pairs of one seed only."""
    total, effective = n.sum(axis=0), effective_trials(x, n, confidence)
    share = np.divide(x.sum(axis=0), total, out=np.ones(total.shape), where=total > 0)
    bound = clopper_pearson_upper(share * effective, effective, confidence)
    return np.where((total >= least) & (effective > 0.0), bound, np.nan)


def _monotone(bound: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Fill unpopulated (nan) bins from the next worse one, then make the bound nondecreasing in predicted failure."""
    filled = bound.copy()
    for b in range(filled.size - 2, -1, -1):
        if np.isnan(filled[b]):
            filled[b] = filled[b + 1]
    known = ~np.isnan(filled)
    filled[known] = np.maximum.accumulate(filled[known])
    return filled
