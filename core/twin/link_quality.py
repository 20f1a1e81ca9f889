"""What the twin knows of every link's shadowing from all its measurements so far (D21)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numba import njit

from core.network.arrays import Floats
from core.network.pairs import PairTable, pair_count, pair_values


@dataclass(frozen=True, eq=False)
class LinkEstimate:
    r"""Kalman filter of the unit-variance shadowing of every link, the "recent link-quality measurements" of (eq:dt-state-map).

    .. math:: x^+ = r x + \sqrt{1-r^2}\,w, \qquad y = x + \nu/\sigma\,v

    Because it uses all measurements, its error is independent of anything a policy may have seen: with the newest one alone,
    a policy that serves a link when it looks best picks measurements that flatter it, and the chosen routes were covered
    0.946 of the time instead of 0.95 (docs/CALIBRATION.md).

    Attributes:
        mean: expected unit-variance shadowing, (P,).
        variance: of its error, (P,).
    """

    mean: Floats
    variance: Floats

    @classmethod
    def unknown(cls, nodes: int) -> LinkEstimate:
        """Before any measurement: mean 0, variance 1, N+1 nodes."""
        return cls(np.zeros(pair_count(nodes)), np.ones(pair_count(nodes)))

    def moved(self, correlation: PairTable) -> LinkEstimate:
        """After the UAVs moved; `shadowing_correlation` says how much still holds."""
        return LinkEstimate(*_moved(self.mean, self.variance, correlation))

    def expected(self, correlations: Iterable[PairTable]) -> Floats:
        """The mean after some movements, (P,)."""
        mean = self.mean
        for correlation in correlations:
            mean = _moved_mean(mean, correlation)
        return mean

    def measured(self, shadowing_db: Floats, spread_db: PairTable, noise_db: float) -> LinkEstimate:
        """After one measurement of every link.

        Args:
            shadowing_db: measured shadowing, (P,) [dB].
            spread_db: UMa-AV spread σ there [dB].
            noise_db: error ν of a measurement; 0 = exact, after which nothing is left to learn [dB].
        """
        return LinkEstimate(*_measured(self.mean, self.variance, shadowing_db, spread_db, noise_db))

    def followed(
        self, correlation: PairTable, shadowing_db: Floats, spread_db: PairTable, noise_db: float
    ) -> LinkEstimate:
        """`moved`, then `measured`, without the estimate between."""
        return LinkEstimate(*_followed(self.mean, self.variance, correlation, shadowing_db, spread_db, noise_db))


@njit(cache=True, nogil=True)
def moved_link(mean: float, variance: float, r: float) -> tuple[float, float]:
    """Mean and variance of one link after a movement that keeps correlation r."""
    return r * mean, 1.0 + r * r * (variance - 1.0)


@njit(cache=True, nogil=True, error_model="numpy")
def measured_link(
    mean: float, variance: float, seen_db: float, spread_db: float, noise_db: float
) -> tuple[float, float]:
    """Mean and variance of one link after a measurement with error ν [dB] of shadowing with spread σ [dB]."""
    ratio = noise_db / spread_db
    total = variance + ratio * ratio
    gain = variance / total if total > 0.0 else 0.0
    return mean + gain * (seen_db / spread_db - mean), (1.0 - gain) * variance


@njit(cache=True, nogil=True)
def _moved(mean: Floats, variance: Floats, correlation: PairTable) -> tuple[Floats, Floats]:
    expected, error = np.empty_like(mean), np.empty_like(mean)
    nodes, at = len(correlation.level), 0
    r = np.empty(nodes)
    for i in range(nodes):
        pair_values(correlation, i, r)
        for j in range(i + 1, nodes):
            expected[at], error[at] = moved_link(mean[at], variance[at], r[j])
            at += 1
    return expected, error


@njit(cache=True, nogil=True)
def _moved_mean(mean: Floats, correlation: PairTable) -> Floats:
    expected, nodes, at = np.empty_like(mean), len(correlation.level), 0
    r = np.empty(nodes)
    for i in range(nodes):
        pair_values(correlation, i, r)
        for j in range(i + 1, nodes):
            expected[at] = moved_link(mean[at], 0.0, r[j])[0]
            at += 1
    return expected


@njit(cache=True, nogil=True, error_model="numpy")
def _measured(
    mean: Floats, variance: Floats, seen_db: Floats, spread_db: PairTable, noise_db: float
) -> tuple[Floats, Floats]:
    expected, error = np.empty_like(mean), np.empty_like(mean)
    nodes, at = len(spread_db.level), 0
    spread = np.empty(nodes)
    for i in range(nodes):
        pair_values(spread_db, i, spread)
        for j in range(i + 1, nodes):
            expected[at], error[at] = measured_link(mean[at], variance[at], seen_db[at], spread[j], noise_db)
            at += 1
    return expected, error


@njit(cache=True, nogil=True, error_model="numpy")
def _followed(
    mean: Floats, variance: Floats, correlation: PairTable, seen_db: Floats, spread_db: PairTable, noise_db: float
) -> tuple[Floats, Floats]:
    expected, error = np.empty_like(mean), np.empty_like(mean)
    nodes, at = len(spread_db.level), 0
    r, spread = np.empty(nodes), np.empty(nodes)
    for i in range(nodes):
        pair_values(correlation, i, r)
        pair_values(spread_db, i, spread)
        for j in range(i + 1, nodes):
            m, v = moved_link(mean[at], variance[at], r[j])
            expected[at], error[at] = measured_link(m, v, seen_db[at], spread[j], noise_db)
            at += 1
    return expected, error
