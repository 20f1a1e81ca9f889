"""Zero-slot continuation: the growth factor of holding and the hold map (Section II-C, D10)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from core.control.factors import ContractionFactors
from core.control.lifted import FloatArray


def hold_factor(factors: ContractionFactors, c: ArrayLike, *, formulation: str) -> FloatArray:
    r"""Growth factor α_hold of V over one cycle without service, Eq. (eq:hold-v).

    Printed: the constant α_(H). Repaired (D10): holding once more is the same event as trying and failing, and losing
    both directions is never better than losing one,

    .. math:: \alpha^{hold}(c) = \max(\alpha_{(c+1)}, \hat\alpha_{10}, \hat\alpha_{01})

    with α_(c+1) = α_(H) from c = H−1 on, Eq. (eq:failure-run-saturation).

    Args:
        factors: factors on the full delay grid (h_max, h_max).
        c: staleness before the cycle, 0 or more, broadcast [cycles].
        formulation: "paper" for the printed factor; all others share the repaired one.
    """
    if formulation == "paper":
        return np.full(np.shape(c), factors.run_raw[-1])
    run: FloatArray = factors.run[np.minimum(np.asarray(c, dtype=np.int64), len(factors.run) - 1)]
    return np.maximum(run, max(factors.closed[1, 0], factors.closed[0, 1]))


def hold_map(
    V: ArrayLike, tr_sigma: ArrayLike, alpha_hold: ArrayLike, *, tr_proc: float, noise_term: float
) -> tuple[FloatArray, FloatArray]:
    r"""(V, tr Σ) after one cycle without service, Eqs. (eq:hold-v, eq:hold-sigma); D9 adds the process noise to V.

    .. math:: V^+ = \alpha^{hold} V + X_{00} \operatorname{tr}\Sigma_{proc}, \qquad
              \operatorname{tr}\Sigma^+ = \operatorname{tr}\Sigma + \operatorname{tr}\Sigma_{proc}

    Args:
        V: tracking-error energy, broadcast [m²].
        tr_sigma: trace of the position covariance, broadcast [m²].
        alpha_hold: factor from `hold_factor`, broadcast [-].
        tr_proc: trace of Σ_proc [m²].
        noise_term: X_s[0,0]·tr Σ_proc, or 0 for the printed formula [m²].
    """
    return np.asarray(alpha_hold, float) * np.asarray(V, float) + noise_term, np.asarray(tr_sigma, float) + tr_proc
