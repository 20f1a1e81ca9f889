"""The admissible Lyapunov domain Z_safe (eq:safe-certification-domain)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.control.lifted import FloatArray

ROUNDING = 1e-12
"""Relative excess over V_max and σ_max that is rounding: n_σ additions of tr Σ_proc may end a few ulps above σ_max."""


@dataclass(frozen=True)
class AdmissibleDomain:
    """The rectangle 0 ≤ V ≤ V_max, σ_min ≤ tr Σ ≤ σ_max, Eq. (eq:safe-certification-domain); all in [m²].

    V_max is an energy level: it does not promise |e| ≤ r_c at every instant.
    """

    V_max: float
    sigma_min: float
    sigma_max: float

    @classmethod
    def of(
        cls, X: FloatArray, *, corridor_radius_m: float, tr_meas: float, tr_proc: float, span_cycles: int
    ) -> AdmissibleDomain:
        """V_max = r_c²·1ᵀX1 (a constant error of radius r_c), σ_min = tr Σ_meas, σ_max = σ_min + n_σ·tr Σ_proc.

        Args:
            X: certificate matrix of one axis, shape (H+1, H+1).
            corridor_radius_m: radius r_c of the safety corridor [m].
            tr_meas, tr_proc: traces of Σ_meas and Σ_proc [m²].
            span_cycles: cycles n_σ without telemetry until σ_max is reached.
        """
        return cls(corridor_radius_m**2 * float(X.sum()), tr_meas, tr_meas + span_cycles * tr_proc)

    def below_top(self, V: ArrayLike, tr_sigma: ArrayLike) -> NDArray[np.bool_]:
        """Whether V ≤ V_max and tr Σ ≤ σ_max up to rounding, broadcast: the sides that a loop can leave by."""
        top = 1.0 + ROUNDING
        return np.less_equal(V, self.V_max * top) & np.less_equal(tr_sigma, self.sigma_max * top)

    def contains(self, V: ArrayLike, tr_sigma: ArrayLike) -> NDArray[np.bool_]:
        """Whether (V, tr Σ) lies in the domain, broadcast."""
        return self.below_top(V, tr_sigma) & np.greater_equal(V, 0.0) & np.greater_equal(tr_sigma, self.sigma_min)
