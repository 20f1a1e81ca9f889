"""Split-conformal margins: how far the realised SNR of a route may fall below the prediction."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

RANK_TOLERANCE = 1e-9
"""Decimal β are not exact in binary: without it β = 0.3 and n = 9 would ask for rank 8 instead of 7."""


def conformal_rank(n: int, beta: float) -> int:
    r"""Rank of the finite-sample quantile, :math:`\lceil (n+1)(1-\beta) \rceil`; n + 1 means "none large enough".

    Args:
        n: number of calibration scores.
        beta: probability that the confidence set may miss, in (0, 1) [-].
    """
    if not 0.0 < beta < 1.0:
        raise ValueError(f"beta = {beta} must lie strictly between 0 and 1.")
    return max(1, min(n + 1, math.ceil((n + 1) * (1.0 - beta) - RANK_TOLERANCE)))


def conformal_margin(scores: npt.ArrayLike, beta: float) -> float:
    r"""Margin that covers a fresh score with probability at least 1−β, the set of Eq. (eq:dt-confidence-set).

    .. math:: m_\beta = s_{(\lceil (n+1)(1-\beta) \rceil)}, \qquad
              \mathcal{C}^{DT} = \{\gamma : \gamma_e \ge \hat\gamma_e - m_\beta \ \text{on every hop}\}

    Args:
        scores: calibration scores, max over hops of (predicted − realised SNR), (n,) [dB].
        beta: probability that the confidence set may miss, in (0, 1) [-].

    Returns:
        The margin [dB]; +inf when n is too small for this β (no finite score is large enough).
    """
    s = np.asarray(scores, dtype=float).ravel()
    if np.isnan(s).any():
        raise ValueError("scores contain nan; drop or replace them before calibrating.")
    rank = conformal_rank(s.size, beta)
    if rank > s.size:
        return math.inf
    return float(np.partition(s, rank - 1)[rank - 1])
