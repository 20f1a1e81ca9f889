"""Packet error averaged over block fading: tables over mean SNR, built once and interpolated (D16)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.special import i0e

from core.network.arrays import Bools, Floats, Ints, Number
from core.network.packet_error import packet_error
from core.scenario import Scenario

GRID_START_DB, GRID_STEP_DB, GRID_SIZE = -40.0, 0.05, 2001
"""Mean-SNR grid of every table: −40 … 60 dB. Below it an attempt fails, above it the last value holds (conservative)."""
RICIAN, RAYLEIGH = 0, 1
"""Fading classes, in table order."""
UL, DL = 0, 1
"""Directions, in table order."""

# The quadrature grid halves the table step: 0.025 dB resolves the waterfall of a 20,000-symbol block (0.03 dB wide),
# where the trapezoidal rule is exact to rounding. Power gains from −110 dB hold all but 1e-11 of Rayleigh fading.
_FINER = 2
_GAIN_LO_DB, _GAIN_HI_DB = -110.0, 16.0


def gain_weights(k_db: float | None) -> Floats:
    r"""Probability weights of the fading power gain on the dB grid of the quadrature, summing to 1.

    Density of the unit-mean Rician power x: :math:`(1+K)e^{-K-(1+K)x}I_0(2\sqrt{K(1+K)x})`; Rayleigh is K = 0.

    Args:
        k_db: Rician factor K, None for Rayleigh [dB].
    """
    step = GRID_STEP_DB / _FINER
    gain = 10.0 ** (np.arange(_GAIN_LO_DB, _GAIN_HI_DB + step / 2, step) / 10.0)
    K = 0.0 if k_db is None else 10.0 ** (k_db / 10.0)
    root = 2.0 * np.sqrt(K * (1.0 + K) * gain)
    density = (1.0 + K) * np.exp(root - K - (1.0 + K) * gain) * i0e(root)
    weights = density * gain * (np.log(10.0) / 10.0 * step)
    weights[0] += (1.0 + K) * np.exp(-K) * gain[0]  # deeper fades than the grid holds
    unit: Floats = weights / weights.sum()
    return unit


@lru_cache(maxsize=512)
def fading_table(n: int, bits: int, k_db: float | None) -> Floats:
    r"""Fading-averaged packet error over the mean-SNR grid, (GRID_SIZE,), nonincreasing, read-only.

    .. math:: \bar\varepsilon(\bar\gamma) = \int f(x)\,\varepsilon(\bar\gamma x)\,dx

    Args:
        n: blocklength [complex symbols].
        bits: payload [bit].
        k_db: Rician factor, None for Rayleigh [dB].
    """
    weights = gain_weights(k_db)
    step = GRID_STEP_DB / _FINER
    snr_db = GRID_START_DB + _GAIN_LO_DB + step * np.arange(_FINER * (GRID_SIZE - 1) + len(weights))
    used = np.flatnonzero(weights > 1e-30)
    first, last = used[0], used[-1] + 1
    error = packet_error(snr_db, n, bits)[first : len(snr_db) - (len(weights) - last)]
    mean = np.correlate(error, weights[first:last], mode="valid")[::_FINER]
    table = np.minimum.accumulate(np.clip(mean, 0.0, 1.0))
    table.setflags(write=False)
    return table


class FadingTables(NamedTuple):
    """Every table of one scenario in one array, for compiled kernels (`table_failure`).

    Attributes:
        failure: mean packet error, (blocklength, UL | DL, RICIAN | RAYLEIGH, GRID_SIZE).
        blocklengths: n of the first axis, (B,) [complex symbols].
        slots: ς(n) of the first axis, (B,) [slots].
    """

    failure: Floats
    blocklengths: Ints
    slots: Ints

    @classmethod
    def of(cls, scenario: Scenario) -> FadingTables:
        """The tables of a scenario; cached by the fields that shape them."""
        net = scenario.network
        return _bundle(net.blocklengths, net.symbols_per_slot, net.bits_ul, net.bits_dl, net.rician_k_db)


@lru_cache(maxsize=128)
def _bundle(blocklengths: tuple[int, ...], symbols: int, bits_ul: int, bits_dl: int, k_db: float) -> FadingTables:
    failure = np.array(
        [[[fading_table(n, bits, k) for k in (k_db, None)] for bits in (bits_ul, bits_dl)] for n in blocklengths]
    )
    n = np.array(blocklengths, dtype=np.int64)
    for a in (failure, n, slots := -(-n // symbols)):
        a.setflags(write=False)
    return FadingTables(failure, n, slots)


@njit(cache=True, nogil=True)
def block_of(tables: FadingTables, n: int) -> int:
    """Position of blocklength n [complex symbols] in the tables."""
    for b in range(tables.blocklengths.size):
        if tables.blocklengths[b] == n:
            return b
    raise ValueError("This blocklength is not on offer.")


@njit(cache=True, nogil=True)
def table_failure(tables: FadingTables, block: int, direction: int, rayleigh: bool, snr_db: float) -> float:
    """Probability that one attempt over one hop fails, averaged over fading (D16).

    Linear between the points of the grid: 1 below it, the last value above it.

    Args:
        tables: of the scenario.
        block: blocklength, see `block_of`.
        direction: UL or DL, selects the payload.
        rayleigh: Rayleigh fading (NLOS or blocked) instead of Rician.
        snr_db: mean SNR [dB].
    """
    x = (snr_db - GRID_START_DB) / GRID_STEP_DB
    if not x >= 0.0:
        return 1.0
    x = min(x, GRID_SIZE - 1.0)
    i = min(int(x), GRID_SIZE - 2)
    fading = RAYLEIGH if rayleigh else RICIAN
    here, next_one = tables.failure[block, direction, fading, i], tables.failure[block, direction, fading, i + 1]
    error: float = here + (x - i) * (next_one - here)
    return error


@njit(cache=True, nogil=True)
def _attempt_failures(tables: FadingTables, rayleigh: Bools, snr_db: Floats, out: Floats) -> None:
    for m in range(snr_db.size):
        out[m] = table_failure(tables, 0, UL, rayleigh[m], snr_db[m])


def attempt_failure(scenario: Scenario, snr_db: Number, rayleigh: Number, n: int, bits: int) -> Floats:
    """`table_failure` of many hops at any blocklength and payload.

    Args:
        scenario: gives the Rician factor.
        snr_db: mean SNR, broadcasts [dB].
        rayleigh: Rayleigh fading (NLOS or blocked) instead of Rician, broadcasts.
        n: blocklength [complex symbols].
        bits: payload [bit].

    Returns:
        Error probability, broadcast shape [-].
    """
    net = scenario.network
    tables = _bundle((int(n),), net.symbols_per_slot, int(bits), int(bits), net.rician_k_db)
    snr, fading = np.broadcast_arrays(np.asarray(snr_db, dtype=float), np.asarray(rayleigh, dtype=np.bool_))
    out = np.empty(snr.shape)
    _attempt_failures(tables, fading.ravel(), snr.ravel(), out.reshape(-1))
    return out[()]
