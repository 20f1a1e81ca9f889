"""What the twin knows of every link's shadowing from all its measurements so far (D21)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.network.arrays import Floats


@dataclass(frozen=True, eq=False)
class LinkEstimate:
    r"""Kalman filter of the unit-variance shadowing of every link, the "recent link-quality measurements" of (eq:dt-state-map).

    .. math:: x^+ = r x + \sqrt{1-r^2}\,w, \qquad y = x + \nu/\sigma\,v

    Because it uses all measurements, its error is independent of anything a policy may have seen: with the newest one alone,
    a policy that serves a link when it looks best picks measurements that flatter it, and the chosen routes were covered
    0.946 of the time instead of 0.95 (docs/CALIBRATION.md).

    Attributes:
        mean: expected unit-variance shadowing, (N+1, N+1).
        variance: of its error, (N+1, N+1).
    """

    mean: Floats
    variance: Floats

    @classmethod
    def unknown(cls, nodes: int) -> LinkEstimate:
        """Before any measurement: mean 0, variance 1, N+1 nodes."""
        return cls(np.zeros((nodes, nodes)), np.ones((nodes, nodes)))

    def moved(self, correlation: Floats) -> LinkEstimate:
        """After the UAVs moved; `shadowing_correlation` says how much still holds, (N+1, N+1)."""
        return LinkEstimate(correlation * self.mean, 1.0 + correlation**2 * (self.variance - 1.0))

    def measured(self, shadowing_db: Floats, spread_db: Floats, noise_db: float) -> LinkEstimate:
        """After one measurement of every link.

        Args:
            shadowing_db: measured shadowing, (N+1, N+1) [dB].
            spread_db: UMa-AV spread σ there, (N+1, N+1) [dB].
            noise_db: error ν of a measurement; 0 = exact, after which nothing is left to learn [dB].
        """
        total = self.variance + (noise_db / spread_db) ** 2
        gain = np.divide(self.variance, total, out=np.zeros_like(total), where=total > 0.0)
        return LinkEstimate(self.mean + gain * (shadowing_db / spread_db - self.mean), (1.0 - gain) * self.variance)
