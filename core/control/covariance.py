"""How the position covariance changes over one cycle (Appendix C)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from core.control.lifted import FloatArray


def covariance_step(
    tr_sigma: ArrayLike, uplink: ArrayLike, h_ul: ArrayLike, *, tr_meas: float, tr_proc: float
) -> FloatArray:
    r"""tr Σ after one cycle, Eqs. (eq:covariance-success, eq:covariance-failure-run).

    .. math:: \operatorname{tr}\Sigma^+ = \operatorname{tr}\Sigma_{meas} + h^{ul}\operatorname{tr}\Sigma_{proc}
              \text{ when telemetry arrives, else } \operatorname{tr}\Sigma + \operatorname{tr}\Sigma_{proc}

    Args:
        tr_sigma: trace of the position covariance before the cycle, broadcast [m²].
        uplink: whether telemetry arrived (a refresh is memoryless, also when the downlink failed), broadcast.
        h_ul: delay index of the telemetry, broadcast [cycles].
        tr_meas, tr_proc: traces of Σ_meas and Σ_proc [m²].
    """
    refreshed = tr_meas + np.asarray(h_ul) * tr_proc
    return np.where(np.asarray(uplink, bool), refreshed, np.asarray(tr_sigma, float) + tr_proc)
