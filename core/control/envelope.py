"""One-cycle envelopes ᾱ of V: the printed one, and the expected one that repairs it (Appendix A, D8)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from core.control.factors import ContractionFactors
from core.control.lifted import FloatArray, Outcome


def opportunity_envelope(
    rho_ul: ArrayLike, rho_dl: ArrayLike, alpha: dict[Outcome, float], both_lost: ArrayLike
) -> FloatArray:
    r"""Largest mean factor over all joint laws with these marginals, Eq. (eq:per-opp-envelope).

    .. math:: \max_{b \in \{\hat\rho, \rho^\wedge\}} b\,\alpha_{11} + (\rho^{ul} - b)\,\alpha_{10}
              + (\rho^{dl} - b)\,\alpha_{01} + (1 - \rho^{ul} - \rho^{dl} + b)\,\alpha_{lost}

    The mean is affine in b = P(both delivered), so one of the Fréchet ends
    ρ̂ = max(0, ρ_ul+ρ_dl−1), ρ^ = min(ρ_ul, ρ_dl) attains the maximum.

    Args:
        rho_ul, rho_dl: lower bounds on directional delivery, broadcast [-].
        alpha: factors of the outcomes (1,1), (1,0), (0,1) [-].
        both_lost: factor when both directions are lost, broadcast [-].
    """
    ul, dl, lost = np.asarray(rho_ul, float), np.asarray(rho_dl, float), np.asarray(both_lost, float)

    def mean(b: FloatArray) -> FloatArray:
        total: FloatArray = b * alpha[1, 1] + (ul - b) * alpha[1, 0] + (dl - b) * alpha[0, 1] + (1 - ul - dl + b) * lost
        return total

    return np.maximum(mean(np.maximum(0.0, ul + dl - 1.0)), mean(np.minimum(ul, dl)))


def paper_envelope(
    factors: ContractionFactors, rho_ul: ArrayLike, rho_dl: ArrayLike, c: ArrayLike, *, closed: bool = False
) -> FloatArray:
    r"""The printed envelope, Eqs. (eq:robust-alpha, eq:cycle-envelope-r1).

    .. math:: \bar\alpha(q, c) = \max\{\bar\alpha_{nf}(q),\ \alpha_{(c+1)}(q)\}

    Args:
        factors: factors of the certificate's delays.
        rho_ul, rho_dl: lower bounds on directional delivery, broadcast [-].
        c: incoming failure run, 0 or more, broadcast [cycles].
        closed: use the factors closed under the mode order (D6) instead of the raw ones.
    """
    alpha, run = (factors.closed, factors.run) if closed else (factors.raw, factors.run_raw)
    return np.maximum(opportunity_envelope(rho_ul, rho_dl, alpha, alpha[0, 0]), run_lookup(run, c))


def expected_envelope(
    factors: ContractionFactors,
    rho_ul: ArrayLike,
    rho_dl: ArrayLike,
    c: ArrayLike,
    *,
    full: ContractionFactors | None = None,
) -> FloatArray:
    r"""Bound on E[V⁺]/V for every joint law whose marginals are at least ρ_ul and ρ_dl: (eq:robust-alpha) repaired, D8.

    .. math:: \bar\alpha(q, c) = \max_{b \in \{\hat\rho, \rho^\wedge\}} b\,\hat\alpha_{11}
              + (\rho^{ul}-b)\,\hat\alpha_{10} + (\rho^{dl}-b)\,\hat\alpha_{01}
              + (1-\rho^{ul}-\rho^{dl}+b)\,\max(\alpha_{(c+1)}, \hat\alpha_{10}, \hat\alpha_{01})

    Args:
        factors: factors of the certificate's delays.
        rho_ul, rho_dl: lower bounds on directional delivery, broadcast [-].
        c: staleness before this cycle, 0 or more, broadcast [cycles].
        full: factors on the full delay grid (h_max, h_max), from which the last maximum is taken, so that trying in
            vain costs what holding costs whatever the delays (D10); `factors` when not given.
    """
    return opportunity_envelope(rho_ul, rho_dl, factors.closed, lost_factor(full or factors, c))


def lost_factor(factors: ContractionFactors, c: ArrayLike) -> FloatArray:
    """max(α_(c+1), α̂₁₀, α̂₀₁): both directions lost after staleness c, never better than losing one (D8, D10)."""
    return np.maximum(run_lookup(factors.run, c), max(factors.closed[1, 0], factors.closed[0, 1]))


def run_lookup(run: FloatArray, c: ArrayLike) -> FloatArray:
    """α_(c+1) from α_(1)…α_(H), saturating at H, Eq. (eq:failure-run-saturation)."""
    found: FloatArray = run[np.minimum(np.asarray(c, dtype=np.int64), len(run) - 1)]
    return found
