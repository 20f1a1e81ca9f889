"""The drift bound over many (state, certificate) pairs at once; compiled, since the allocator runs it every cycle."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from core.control.lifted import FloatArray

IntArray = NDArray[np.int64]


@njit(cache=True, nogil=True)
def drift_kernel(
    V: FloatArray,
    tr_sigma: FloatArray,
    c: IntArray,
    rho_ul: FloatArray,
    rho_dl: FloatArray,
    g: IntArray,
    h_ul: IntArray,
    h_dl: IntArray,
    success: FloatArray,
    lost: FloatArray,
    floor: FloatArray,
    worst_staleness: bool,
    tr_meas: float,
    tr_proc: float,
    lam: float,
    noise_term: float,
) -> tuple[FloatArray, IntArray, FloatArray, FloatArray, FloatArray]:
    """ᾱ, c*, (ᾱ−1)V, λΨ_Σ and Φ, Eq. (eq:drift-bound), element by element.

    Args:
        V, tr_sigma, c, rho_ul, rho_dl, g, h_ul, h_dl: states and certificates, shape (M,).
        success: α₁₁, α₁₀, α₀₁ by delays, shape (h_max+1, h_max+1, 3).
        lost: factor of the outcome (0,0) by delays and c, shape (h_max+1, h_max+1, H).
        floor: lower limit of ᾱ by delays and c (α_(c+1) in the printed envelope, 0 in the repaired one), as `lost`.
        worst_staleness: evaluate at c* = max(c, g−1) (D11) instead of c; g < 1 means no finite tolerance exists.
        tr_meas, tr_proc, lam, noise_term: constants of the model.
    """
    m = V.size
    saturated = lost.shape[2] - 1
    # One block: separate arrays start at the same offset in their pages and evict each other from the cache (4× slower).
    out = np.empty((4, m))
    alpha_bar, v_term, sigma_term, phi = out[0], out[1], out[2], out[3]
    c_star = np.empty(m, np.int64)
    for i in range(m):
        staleness = c[i]
        if worst_staleness:
            staleness = max(staleness, g[i] - 1 if g[i] >= 1 else saturated)
        j = min(staleness, saturated)
        u, d, ul, dl = h_ul[i], h_dl[i], rho_ul[i], rho_dl[i]
        a11, a10, a01, a00 = success[u, d, 0], success[u, d, 1], success[u, d, 2], lost[u, d, j]
        low, high = max(0.0, ul + dl - 1.0), min(ul, dl)
        at_low = low * a11 + (ul - low) * a10 + (dl - low) * a01 + (1 - ul - dl + low) * a00
        at_high = high * a11 + (ul - high) * a10 + (dl - high) * a01 + (1 - ul - dl + high) * a00
        alpha = max(at_low, at_high, floor[u, d, j])
        delta = tr_meas + (u - 1) * tr_proc - tr_sigma[i]
        psi = (delta if delta >= 0 else ul * delta) + tr_proc
        c_star[i], alpha_bar[i] = staleness, alpha
        v_term[i] = (alpha - 1.0) * V[i]
        sigma_term[i] = lam * psi
        phi[i] = v_term[i] + sigma_term[i] + noise_term
    return alpha_bar, c_star, v_term, sigma_term, phi
