"""The drift bound Φ of the augmented Lyapunov function, and its terms (Section III-D, Appendix C)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.control.lifted import FloatArray


def augmented_lyapunov(V: ArrayLike, tr_sigma: ArrayLike, lam: float) -> FloatArray:
    """W = V + λ_Σ·tr Σ, Eq. (eq:augmented-lyapunov).

    Args:
        V: tracking-error energy, broadcast [m²].
        tr_sigma: trace of the controller-side position covariance, broadcast [m²].
        lam: weight λ_Σ [-].
    """
    return np.asarray(V, float) + lam * np.asarray(tr_sigma, float)


def covariance_step(
    tr_sigma: ArrayLike, uplink: ArrayLike, h_ul: ArrayLike, *, tr_meas: float, tr_proc: float
) -> FloatArray:
    """tr Σ after one cycle, Eqs. (eq:covariance-success, eq:covariance-failure-run).

    Args:
        tr_sigma: trace of the position covariance before the cycle, broadcast [m²].
        uplink: whether telemetry arrived (a refresh is memoryless, also when the downlink failed), broadcast.
        h_ul: delay index of the telemetry, broadcast [cycles].
        tr_meas, tr_proc: traces of Σ_meas and Σ_proc [m²].
    """
    refreshed = tr_meas + np.asarray(h_ul) * tr_proc
    return np.where(np.asarray(uplink, bool), refreshed, np.asarray(tr_sigma, float) + tr_proc)


def covariance_envelope(
    tr_sigma: ArrayLike, rho_ul: ArrayLike, h_ul: ArrayLike, *, tr_meas: float, tr_proc: float
) -> FloatArray:
    r"""Ψ_Σ, the largest expected change of tr Σ, Eqs. (eq:covariance-endpoint-envelope, eq:covariance-drift-final).

    .. math:: \Delta_\Sigma = \operatorname{tr}\Sigma_{meas} + h^{ul}\operatorname{tr}\Sigma_{proc}
              - \operatorname{tr}\Sigma - \operatorname{tr}\Sigma_{proc},\quad
              \Psi_\Sigma = \operatorname{tr}\Sigma_{proc} + \max(\Delta_\Sigma,\ \rho^{ul}\Delta_\Sigma)

    Args:
        tr_sigma: trace of the position covariance, broadcast [m²].
        rho_ul: lower bound on uplink delivery, broadcast [-].
        h_ul: uplink delay index, broadcast [cycles].
        tr_meas, tr_proc: traces of Σ_meas and Σ_proc [m²].
    """
    delta = tr_meas + (np.asarray(h_ul) - 1) * tr_proc - np.asarray(tr_sigma, float)
    psi: FloatArray = np.where(delta >= 0, delta, np.asarray(rho_ul, float) * delta) + tr_proc
    return psi


def drift_bound(
    V: ArrayLike, alpha_bar: ArrayLike, psi_sigma: ArrayLike, *, lam: float, noise_term: float = 0.0
) -> FloatArray:
    r"""Φ, the bound on the expected one-cycle change of W, Eq. (eq:drift-bound); D9 adds the process noise.

    .. math:: \Phi = (\bar\alpha - 1)\,V + \lambda_\Sigma \Psi_\Sigma + X_{00} \operatorname{tr}\Sigma_{proc}

    Args:
        V: tracking-error energy, broadcast [m²].
        alpha_bar: envelope ᾱ, broadcast [-].
        psi_sigma: Ψ_Σ from `covariance_envelope`, broadcast [m²].
        lam: weight λ_Σ [-].
        noise_term: X_s[0,0]·tr Σ_proc, or 0 for the printed formula [m²].
    """
    growth = (np.asarray(alpha_bar, float) - 1.0) * np.asarray(V, float)
    phi: FloatArray = growth + lam * np.asarray(psi_sigma, float) + noise_term
    return phi


class DriftTerm(Enum):
    """The terms of Φ; each value says in words what it means when this term refuses an action."""

    V = "the tracking-error energy is expected to grow: delivery is too unreliable for an error this large"
    SIGMA = "the estimate is expected to lose more certainty than this uplink gives back"
    NOISE = "the error is already so small that process noise alone outweighs what the exchange can gain"


@dataclass(frozen=True, eq=False)
class DriftTerms:
    """Φ and what it is made of; arrays of one broadcast shape, energies in [m²].

    Args:
        alpha_bar: envelope ᾱ [-].
        c_star: staleness at which ᾱ was taken [cycles].
        v_term: (ᾱ − 1)·V.
        sigma_term: λ_Σ·Ψ_Σ.
        noise_term: X_s[0,0]·tr Σ_proc, the same for every action (D9); 0 in the printed formula.
        phi: Φ, their sum, Eq. (eq:drift-bound).
    """

    alpha_bar: FloatArray
    c_star: NDArray[np.int64]
    v_term: FloatArray
    sigma_term: FloatArray
    noise_term: float
    phi: FloatArray

    def __getitem__(self, index: Any) -> DriftTerms:
        """The terms of some of the actions."""
        return DriftTerms(
            self.alpha_bar[index],
            self.c_star[index],
            self.v_term[index],
            self.sigma_term[index],
            self.noise_term,
            self.phi[index],
        )

    def largest(self) -> NDArray[np.int8]:
        """Index into `tuple(DriftTerm)` of the largest term: where Φ > 0, the one that refuses the action."""
        noise = np.full_like(self.phi, self.noise_term)
        return np.asarray(np.stack([self.v_term, self.sigma_term, noise]).argmax(axis=0), dtype=np.int8)

    def refused_by(self, index: Any) -> DriftTerm | None:
        """The term that makes Φ positive for one action; None when Φ ≤ 0."""
        one = self[index]
        return tuple(DriftTerm)[int(one.largest())] if one.phi > 0 else None
