"""Zero-slot continuation: the growth factor of holding and the hold map (Section II-C, D10)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from core.control.envelope import lost_factor
from core.control.factors import ContractionFactors
from core.control.lifted import FloatArray


def hold_factor(factors: ContractionFactors, c: ArrayLike, *, formulation: str) -> FloatArray:
    r"""Growth factor α_hold of V over one cycle without service, Eq. (eq:hold-v).

    Printed: the constant α_(H). Repaired (D10): holding once more is the same event as trying and failing,

    .. math:: \alpha^{hold}(c) = \max(\alpha_{(c+1)}, \hat\alpha_{10}, \hat\alpha_{01})

    Args:
        factors: factors on the full delay grid (h_max, h_max).
        c: staleness before the cycle, broadcast [cycles].
        formulation: "repaired" or "paper".
    """
    if formulation == "paper":
        return np.full(np.shape(c), factors.run_raw[-1])
    return lost_factor(factors, c)


def hold_map(
    V: ArrayLike, tr_sigma: ArrayLike, alpha_hold: ArrayLike, *, tr_proc: float, noise_term: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """(V, tr Σ) after one cycle without service, Eqs. (eq:hold-v, eq:hold-sigma); D9 adds the process noise to V.

    Args:
        V: tracking-error energy, broadcast [m²].
        tr_sigma: trace of the position covariance, broadcast [m²].
        alpha_hold: factor from `hold_factor`, broadcast [-].
        tr_proc: trace of Σ_proc [m²].
        noise_term: X_s[0,0]·tr Σ_proc, or 0 for the printed formula [m²].
    """
    return np.asarray(alpha_hold, float) * np.asarray(V, float) + noise_term, np.asarray(tr_sigma, float) + tr_proc
