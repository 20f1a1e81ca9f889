"""Contraction factors laid out as arrays by delay and staleness, for the compiled drift bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.control.envelope import lost_factor
from core.control.factors import ContractionFactors
from core.control.lifted import FloatArray


@dataclass(frozen=True, eq=False)
class FactorTables:
    """What `drift_kernel` reads; n = h_max + 1.

    Args:
        success: α₁₁, α₁₀, α₀₁ by (h_ul, h_dl), shape (n, n, 3) [-].
        lost: factor of the outcome (0,0) by (h_ul, h_dl, min(c, H−1)), shape (n, n, H) [-].
        floor: lower limit of ᾱ, indexed as `lost` [-].
    """

    success: FloatArray
    lost: FloatArray
    floor: FloatArray

    @classmethod
    def of(
        cls, factors: dict[tuple[int, int], ContractionFactors], *, H: int, h_max: int, formulation: str
    ) -> FactorTables:
        """Repaired (D8): closed factors, (0,0) is α_hold(c) of the full grid (D10). Paper: raw, (0,0) is α₀₀, floor α_(c+1)."""
        n = h_max + 1
        success, lost, floor = np.empty((n, n, 3)), np.empty((n, n, H)), np.zeros((n, n, H))
        for (u, d), f in factors.items():
            alpha = f.closed if formulation != "paper" else f.raw
            success[u, d] = alpha[1, 1], alpha[1, 0], alpha[0, 1]
            if formulation != "paper":
                lost[u, d] = lost_factor(factors[h_max, h_max], np.arange(H))
            else:
                lost[u, d], floor[u, d] = alpha[0, 0], f.run_raw
        return cls(success, lost, floor)
