"""The envelope ᾱ of given contraction factors, printed and repaired, through the compiled loop that runs (Appendix A)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from core.control.drift import DriftConstants
from core.control.factors import ContractionFactors
from core.control.lifted import FloatArray
from core.control.tables import FactorTables
from core.control.terms import DriftTerms


def paper_envelope(factors: ContractionFactors, rho_ul: ArrayLike, rho_dl: ArrayLike, c: ArrayLike) -> FloatArray:
    r"""The printed envelope on raw factors, Eqs. (eq:robust-alpha, eq:cycle-envelope-r1).

    .. math:: \bar\alpha(q, c) = \max\{\bar\alpha_{nf}(q),\ \alpha_{(c+1)}(q)\}

    Args:
        factors: factors of the certificate's delays.
        rho_ul, rho_dl: lower bounds on directional delivery, broadcast [-].
        c: incoming failure run, 0 or more, broadcast [cycles].
    """
    return _envelope(factors, rho_ul, rho_dl, c, "paper")


def expected_envelope(factors: ContractionFactors, rho_ul: ArrayLike, rho_dl: ArrayLike, c: ArrayLike) -> FloatArray:
    r"""Bound on E[V⁺]/V for every joint law whose marginals are at least ρ_ul and ρ_dl: (eq:robust-alpha) repaired, D8.

    .. math:: \bar\alpha(q, c) = \max_{b \in \{\hat\rho, \rho^\wedge\}} b\,\hat\alpha_{11}
              + (\rho^{ul}-b)\,\hat\alpha_{10} + (\rho^{dl}-b)\,\hat\alpha_{01}
              + (1-\rho^{ul}-\rho^{dl}+b)\,\max(\alpha_{(c+1)}, \hat\alpha_{10}, \hat\alpha_{01})

    Args:
        factors: factors of the certificate's delays, which count as the full delay grid (D10).
        rho_ul, rho_dl: lower bounds on directional delivery, broadcast [-].
        c: staleness before this cycle, 0 or more, broadcast [cycles].
    """
    return _envelope(factors, rho_ul, rho_dl, c, "repaired")


def _envelope(
    factors: ContractionFactors, rho_ul: ArrayLike, rho_dl: ArrayLike, c: ArrayLike, formulation: str
) -> FloatArray:
    """ᾱ at c itself, from a library of one certificate; the constants of the other terms of Φ do not matter."""
    tables = FactorTables.of({(0, 0): factors}, formulation=formulation)
    constants = DriftConstants(tables, at_worst_staleness=False, tr_meas=0.0, tr_proc=0.0, lam=0.0, noise_term=0.0)
    return DriftTerms.of(constants, 0.0, 0.0, c, rho_ul, rho_dl, 1, 0, 0).alpha_bar
