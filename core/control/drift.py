"""The drift bound Φ: each equation once, as a compiled scalar, and the loop that runs them (Section III-D, Appendix C).

The loop is what the allocator calls every cycle; `DriftTerms.of` is its vectorised face. Scalars and loop share this
file because numba's cache of a compiled loop does not notice that a function of another file has changed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from core.control.lifted import FloatArray
from core.control.states import IntArray
from core.control.tables import FactorTables


class StateRows(NamedTuple):
    """States of M loops, or of one loop repeated for its M actions; each shape (M,).

    Args:
        V: tracking-error energy [m²].
        tr_sigma: trace of the position covariance [m²].
        c: counter of the formulation (see `ControlModel.counter`) [cycles].
    """

    V: FloatArray
    tr_sigma: FloatArray
    c: IntArray


class CertificateRows(NamedTuple):
    """Certificates q of M actions; each shape (M,).

    Args:
        rho_ul, rho_dl: lower bounds on directional delivery [-].
        g: failure tolerance; below 1 there is none [cycles].
        h_ul, h_dl: delay indices, 0…h_max [cycles].
    """

    rho_ul: FloatArray
    rho_dl: FloatArray
    g: IntArray
    h_ul: IntArray
    h_dl: IntArray


class DriftConstants(NamedTuple):
    """What Φ reads besides the state and the certificate.

    Args:
        tables: contraction factors by delays and staleness.
        at_worst_staleness: whether ᾱ is taken at c* = max(c, g−1) (D11) instead of c.
        tr_meas, tr_proc: traces of Σ_meas and Σ_proc [m²].
        lam: weight λ_Σ of uncertainty in W [-].
        noise_term: X_s[0,0]·tr Σ_proc (D9); 0 in the printed formula [m²].
    """

    tables: FactorTables
    at_worst_staleness: bool
    tr_meas: float
    tr_proc: float
    lam: float
    noise_term: float


@njit(cache=True, nogil=True)
def mean_factor(both: float, rho_ul: float, rho_dl: float, a11: float, a10: float, a01: float, a00: float) -> float:
    r"""Mean growth of V under the joint law with these marginals and P(both delivered) = b, Eq. (eq:per-opp-envelope).

    .. math:: b\,\alpha_{11} + (\rho^{ul} - b)\,\alpha_{10} + (\rho^{dl} - b)\,\alpha_{01}
              + (1 - \rho^{ul} - \rho^{dl} + b)\,\alpha_{00}

    Args:
        both: probability b that both directions are delivered [-].
        rho_ul, rho_dl: probabilities of directional delivery [-].
        a11, a10, a01, a00: growth factors of the four outcomes [-].
    """
    return both * a11 + (rho_ul - both) * a10 + (rho_dl - both) * a01 + (1 - rho_ul - rho_dl + both) * a00


@njit(cache=True, nogil=True)
def opportunity_envelope(rho_ul: float, rho_dl: float, a11: float, a10: float, a01: float, a00: float) -> float:
    r"""Largest mean growth of V over all joint laws with these marginals, ᾱ_nf, Eq. (eq:per-opp-envelope).

    The mean is affine in b = P(both delivered), so one of the Fréchet ends
    ρ̂ = max(0, ρ_ul+ρ_dl−1), ρ^ = min(ρ_ul, ρ_dl) attains the maximum.

    Args:
        rho_ul, rho_dl: lower bounds on directional delivery [-].
        a11, a10, a01, a00: growth factors of the four outcomes [-].
    """
    at_low = mean_factor(max(0.0, rho_ul + rho_dl - 1.0), rho_ul, rho_dl, a11, a10, a01, a00)
    at_high = mean_factor(min(rho_ul, rho_dl), rho_ul, rho_dl, a11, a10, a01, a00)
    alpha_nf: float = max(at_low, at_high)
    return alpha_nf


@njit(cache=True, nogil=True)
def cycle_envelope(rho_ul: float, rho_dl: float, a11: float, a10: float, a01: float, a00: float, floor: float) -> float:
    r"""Envelope ᾱ(q, c) of the growth of V over one cycle, Eqs. (eq:robust-alpha, eq:cycle-envelope-r1).

    .. math:: \bar\alpha(q, c) = \max\{\bar\alpha_{nf}(q),\ \alpha_{(c+1)}(q)\}

    The repaired envelope (D8) has α_(c+1) inside the mean, as α₀₀, and the floor 0; `FactorTables` says which is which.

    Args:
        rho_ul, rho_dl: lower bounds on directional delivery [-].
        a11, a10, a01, a00: growth factors of the four outcomes [-].
        floor: α_(c+1) in the printed envelope, 0 in the repaired one [-].
    """
    alpha_bar: float = max(opportunity_envelope(rho_ul, rho_dl, a11, a10, a01, a00), floor)
    return alpha_bar


@njit(cache=True, nogil=True)
def covariance_envelope(tr_sigma: float, rho_ul: float, h_ul: int, tr_meas: float, tr_proc: float) -> float:
    r"""Ψ_Σ, the largest expected change of tr Σ, Eqs. (eq:covariance-endpoint-envelope, eq:covariance-drift-final).

    .. math:: \Delta_\Sigma = \operatorname{tr}\Sigma_{meas} + h^{ul}\operatorname{tr}\Sigma_{proc}
              - \operatorname{tr}\Sigma - \operatorname{tr}\Sigma_{proc},\quad
              \Psi_\Sigma = \operatorname{tr}\Sigma_{proc} + \max(\Delta_\Sigma,\ \rho^{ul}\Delta_\Sigma)

    A refresh that helps (Δ_Σ < 0) counts as seldom as certified, one that hurts counts as certain.

    Args:
        tr_sigma: trace of the position covariance [m²].
        rho_ul: lower bound on uplink delivery [-].
        h_ul: uplink delay index [cycles].
        tr_meas, tr_proc: traces of Σ_meas and Σ_proc [m²].
    """
    delta = tr_meas + (h_ul - 1) * tr_proc - tr_sigma
    return (delta if delta >= 0 else rho_ul * delta) + tr_proc


@njit(cache=True, nogil=True)
def drift_bound(
    V: float, alpha_bar: float, psi_sigma: float, lam: float, noise_term: float
) -> tuple[float, float, float]:
    r"""Φ, the bound on the expected one-cycle change of W, Eq. (eq:drift-bound); D9 adds the process noise.

    .. math:: \Phi = (\bar\alpha - 1)\,V + \lambda_\Sigma \Psi_\Sigma + X_{00} \operatorname{tr}\Sigma_{proc}

    Args:
        V: tracking-error energy; it and ᾱ may also be arrays of one shape [m²].
        alpha_bar: envelope ᾱ [-].
        psi_sigma: Ψ_Σ, the change of tr Σ [m²].
        lam: weight λ_Σ [-].
        noise_term: X_s[0,0]·tr Σ_proc, or 0 for the printed formula [m²].

    Returns:
        (ᾱ−1)·V, λ_Σ·Ψ_Σ and Φ [m²].
    """
    v_term = (alpha_bar - 1.0) * V
    sigma_term = lam * psi_sigma
    return v_term, sigma_term, v_term + sigma_term + noise_term


@njit(cache=True, nogil=True)
def worst_staleness(c: int, g: int, H: int) -> int:
    """c* = max(c, g−1), the worst staleness that a certificate allows (D11); H−1 or more where it allows any (g < 1).

    Args:
        c: staleness before the cycle [cycles].
        g: failure tolerance; below 1 there is none [cycles].
        H: run length at which the factors saturate, Eq. (eq:failure-run-saturation) [cycles].
    """
    return max(c, g - 1 if g >= 1 else H - 1)


@njit(cache=True, nogil=True)
def drift_kernel(
    states: StateRows, certificates: CertificateRows, constants: DriftConstants
) -> tuple[FloatArray, IntArray, FloatArray, FloatArray, FloatArray]:
    """ᾱ, c*, (ᾱ−1)V, λΨ_Σ and Φ of M pairs of state and certificate, row by row, Eq. (eq:drift-bound); each (M,)."""
    V, tr_sigma, c = states
    rho_ul, rho_dl, g, h_ul, h_dl = certificates
    tables, at_worst_staleness, tr_meas, tr_proc, lam, noise_term = constants
    success, lost, floor = tables
    m, H = V.size, lost.shape[2]
    # One block: separate arrays start at the same offset in their pages and evict each other from the cache (4× slower).
    out = np.empty((4, m))
    alpha_bar, v_term, sigma_term, phi = out[0], out[1], out[2], out[3]
    c_star = np.empty(m, np.int64)
    for i in range(m):
        c_star[i] = worst_staleness(c[i], g[i], H) if at_worst_staleness else c[i]
        u, d, j = h_ul[i], h_dl[i], min(c_star[i], H - 1)
        a11, a10, a01 = success[u, d, 0], success[u, d, 1], success[u, d, 2]
        alpha_bar[i] = cycle_envelope(rho_ul[i], rho_dl[i], a11, a10, a01, lost[u, d, j], floor[u, d, j])
        psi_sigma = covariance_envelope(tr_sigma[i], rho_ul[i], u, tr_meas, tr_proc)
        v_term[i], sigma_term[i], phi[i] = drift_bound(V[i], alpha_bar[i], psi_sigma, lam, noise_term)
    return alpha_bar, c_star, v_term, sigma_term, phi
