"""Local safe mode: the onboard law, its surrogate map, and the corridor it needs (Section II-C, D12)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar

from core.control.factors import growth_factor
from core.control.lifted import FloatArray, shift_matrix


@dataclass(frozen=True)
class SafeMode:
    """The onboard law u(k) = −κ·k·(p − p_ref), held over one control period, with the reference moving at v (D12).

    Args:
        kappa: onboard gain relative to the LQR gain [-].
        gain: κ·k, the velocity per metre of error [1/s].
        decay: share 1 − κ·a of an error that is left after one cycle [-].
        lag_m: distance v/(κ·k) at which the law follows the reference; 0 with feed-forward [m].
        V_eq: energy of that lag, ((v/κk)/r_c)²·V_max [m²].
        contraction: factor a_safe of the surrogate map towards V_eq [-].
        law_radius_m: smallest r_c with which the law keeps V ≤ V_max from anywhere in the domain [m].
        hold_radius_m: smallest r_c with which hold is admissible again at V_eq, however stale the loop [m].
    """

    kappa: float
    gain: float
    decay: float
    lag_m: float
    V_eq: float
    contraction: float
    law_radius_m: float
    hold_radius_m: float

    @property
    def radius_m(self) -> float:
        """Smallest corridor radius that meets both conditions of D12; inf when the law does not contract V [m]."""
        return max(self.law_radius_m, self.hold_radius_m)

    @classmethod
    def of(
        cls,
        X: FloatArray,
        *,
        k: float,
        Ts: float,
        kappa: float,
        speed_mps: float,
        feed_forward: bool,
        contraction: float,
        alpha_hold: float,
        noise_term: float,
    ) -> SafeMode:
        """The safe mode of a control setting.

        Args:
            X: certificate matrix of one axis, shape (H+1, H+1).
            k: LQR gain [1/s].
            Ts: control period [s].
            kappa: onboard gain relative to k [-].
            speed_mps: reference speed v [m/s].
            feed_forward: whether the reference velocity is added to the command (D20).
            contraction: factor of the surrogate map [-].
            alpha_hold: saturated hold factor [-].
            noise_term: X_s[0,0]·tr Σ_proc, or 0 for the printed formulas [m²].
        """
        gain = kappa * k
        decay = 1.0 - gain * Ts
        lag_m = 0.0 if feed_forward else speed_mps / gain
        ones = float(X.sum())
        return cls(
            kappa,
            gain,
            decay,
            lag_m,
            lag_m**2 * ones,
            contraction,
            invariant_radius(X, decay, lag_m * (1.0 - decay)),
            math.sqrt(alpha_hold * lag_m**2 + noise_term / ones),
        )

    def map(
        self, V: ArrayLike, tr_sigma: ArrayLike, *, tr_proc: float, sigma_max: float
    ) -> tuple[FloatArray, FloatArray]:
        r"""The surrogate f_safe of Eq. (eq:local-safe-invariance), D12: V relaxes towards V_eq, tr Σ stops at σ_max.

        .. math:: V^+ = V_{eq} + a_{safe}\,(V - V_{eq}), \qquad
                  \operatorname{tr}\Sigma^+ = \min(\operatorname{tr}\Sigma + \operatorname{tr}\Sigma_{proc}, \sigma_{max})

        Args:
            V: tracking-error energy, broadcast [m²].
            tr_sigma: trace of the position covariance, broadcast [m²].
            tr_proc: trace of Σ_proc [m²].
            sigma_max: upper end of the domain [m²].
        """
        relaxed = self.V_eq + self.contraction * (np.asarray(V, float) - self.V_eq)
        return relaxed, np.minimum(np.asarray(tr_sigma, float) + tr_proc, sigma_max)


def invariant_radius(X: FloatArray, decay: float, push_m: float) -> float:
    r"""Smallest r_c for which {V ≤ r_c²·1ᵀX1} is invariant under the onboard law, Eq. (eq:local-safe-invariance).

    The law moves z to A·z + d with e⁺ = decay·e + push in any direction. In coordinates where V = ‖z‖², the S-lemma
    (lossless for one quadratic constraint) says that {V ≤ y²} is invariant exactly when some τ in (λ_max(AᵀA), 1) has

    .. math:: y^2 (1 - \tau) \ge d^T (I - A A^T/\tau)^{-1} d

    The least y² over τ is found by a one-dimensional search; the condition is quasi-convex in τ, and every τ is safe.

    Args:
        X: certificate matrix of one axis, shape (H+1, H+1).
        decay: share of an error left after one cycle [-].
        push_m: distance the reference gains on the law in one cycle [m].

    Returns:
        The radius [m]; 0 without push; inf when the law does not contract V at all.
    """
    M = shift_matrix(len(X) - 1)
    M[0, 0] = decay
    alpha = float(growth_factor(X, M))
    if push_m == 0.0:
        return 0.0 if alpha <= 1.0 else math.inf
    if alpha >= 1.0:
        return math.inf
    root = np.linalg.cholesky(X).T
    directions, sigma, _ = np.linalg.svd(root @ M @ np.linalg.inv(root))
    weights = (directions.T @ root[:, 0] * push_m) ** 2

    def energy(tau: float) -> float:
        return float(np.sum(tau * weights / (tau - sigma**2)) / (1.0 - tau))

    width = 1.0 - alpha
    best = minimize_scalar(
        energy, bounds=(alpha + 1e-9 * width, 1.0 - 1e-9 * width), method="bounded", options={"xatol": 1e-10 * width}
    )
    return math.sqrt(float(best.fun) / float(X.sum()))
