"""Which contraction factors each formulation reads, as arrays by delay and staleness."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.control.factors import ContractionFactors
from core.control.hold import hold_factor
from core.control.lifted import FloatArray


class FactorTables(NamedTuple):
    """Contraction factors as the compiled drift bound reads them; n = h_max + 1.

    Args:
        success: α₁₁, α₁₀, α₀₁ by (h_ul, h_dl), shape (n, n, 3) [-].
        lost: factor of the outcome (0,0) by (h_ul, h_dl, min(c, H−1)), shape (n, n, H) [-].
        floor: lower limit of ᾱ, indexed as `lost` [-].
    """

    success: FloatArray
    lost: FloatArray
    floor: FloatArray

    @classmethod
    def of(cls, factors: dict[tuple[int, int], ContractionFactors], *, formulation: str) -> FactorTables:
        r"""The factors of ᾱ, Eq. (eq:robust-alpha), as printed and repaired (D8).

        Printed: raw factors, α₀₀ when both directions are lost, and the floor α_(c+1). Repaired: factors closed under
        the mode order (D6), no floor, and

        .. math:: \alpha_{lost}(c) = \alpha^{hold}(c) = \max(\alpha_{(c+1)}, \hat\alpha_{10}, \hat\alpha_{01})

        on the full delay grid whatever the certificate's delays, so that trying in vain costs what holding costs (D10).

        Args:
            factors: contraction factors of every certificate (h_ul, h_dl) up to (h_max, h_max).
            formulation: "paper" for the printed factors; all others share the repaired ones.
        """
        full = factors[max(factors)]
        n, H = len({u for u, _ in factors}), len(full.run)
        success, lost, floor = np.empty((n, n, 3)), np.empty((n, n, H)), np.zeros((n, n, H))
        for (u, d), f in factors.items():
            alpha = f.raw if formulation == "paper" else f.closed
            success[u, d] = alpha[1, 1], alpha[1, 0], alpha[0, 1]
            if formulation == "paper":
                lost[u, d], floor[u, d] = alpha[0, 0], f.run_raw
            else:
                lost[u, d] = hold_factor(full, np.arange(H), formulation=formulation)
        return cls(success, lost, floor)
