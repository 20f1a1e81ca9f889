"""Packet error of one attempt at a known SNR, by the normal approximation of finite-blocklength coding."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from core.network.arrays import Floats, Number


def packet_error(snr_db: Number, n: Number, k_bits: Number) -> Floats:
    r"""Error of a block of n complex symbols that carries k bits over AWGN, the service model of (eq:dt-service-failure).

    .. math::
        \varepsilon = Q\!\left(\frac{nC - k + \tfrac12\log_2 n}{\sqrt{nV}}\right),\quad
        C = \log_2(1+\gamma),\quad V = (1 - (1+\gamma)^{-2})\log_2^2 e

    Args:
        snr_db: received SNR γ, broadcasts; -inf gives certain failure [dB].
        n: blocklength, broadcasts [complex symbols].
        k_bits: payload, broadcasts [bit].

    Returns:
        Error probability, broadcast shape [-].
    """
    snr = np.power(10.0, np.asarray(snr_db, dtype=float) / 10.0)
    n = np.asarray(n, dtype=float)
    capacity = np.log1p(snr) / np.log(2.0)
    # snr(snr+2)/(snr+1)² is V without the cancellation of 1 − (1+γ)⁻² at low SNR.
    dispersion = snr * (snr + 2.0) / (snr + 1.0) ** 2 / np.log(2.0) ** 2
    margin = n * capacity - k_bits + 0.5 * np.log2(n)
    spread = np.sqrt(np.maximum(n * dispersion, np.finfo(float).tiny))
    error: Floats = ndtr(-margin / spread)[()]
    return error
