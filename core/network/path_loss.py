"""Large-scale propagation of 3GPP TR 36.777 UMa-AV (Annex B): path loss, LOS probability, shadowing spread."""

from __future__ import annotations

import numpy as np
from numba import njit

from core.network.arrays import Bools, Floats, Number, flattened

FREE_SPACE_DB = 20.0 * np.log10(4.0 * np.pi * 1e9 / 299_792_458.0)
"""Free-space loss at 1 m and 1 GHz [dB]."""
LOW_LOS_M = 22.5
"""UMa-AV gives the LOS probability above this height; lower UAVs take its value [m]."""
LOW_NLOS_M = 10.0
"""UMa-AV gives the NLOS law above this height; lower UAVs take its value [m]."""
NEAR_M = 1.0
"""Links shorter than this count as this long: the laws diverge at zero [m]."""


@njit(cache=True, nogil=True)
def free_space_db(log_d: float, log_f: float) -> float:
    r"""Friis loss :math:`20\log_{10}(4\pi d f/c)` of one link [dB].

    Args:
        log_d: log10 of the length in metres.
        log_f: log10 of the carrier frequency in GHz.
    """
    loss: float = FREE_SPACE_DB + 20.0 * log_d + 20.0 * log_f
    return loss


@njit(cache=True, nogil=True)
def path_loss_db(log_d: float, h_m: float, log_f: float, los: bool, clamp: bool) -> float:
    r"""Path loss L_e of one link in the link budget (eq:dt-state-map), TR 36.777 Table B-2 [dB].

    .. math::
        L_{LOS} = 28 + 22\log_{10} d + 20\log_{10} f, \qquad
        L_{NLOS} = -17.5 + (46 - 7\log_{10} h)\log_{10} d + 20\log_{10}(40\pi f/3)

    D14: with `clamp` the LOS law never falls below free space (it would under 168 m) nor NLOS below LOS.

    Args:
        log_d: log10 of the length in metres; the loop over links has it without a square root.
        h_m: height of the UAV above ground; the LOS law ignores it [m].
        log_f: log10 of the carrier frequency in GHz.
        los: whether the link has line of sight.
        clamp: False gives the printed laws.
    """
    line: float = 28.0 + 22.0 * log_d + 20.0 * log_f
    if clamp:
        line = max(line, free_space_db(log_d, log_f))
    if los:
        return line
    log_h = np.log10(max(h_m, LOW_NLOS_M))
    scatter: float = -17.5 + (46.0 - 7.0 * log_h) * log_d + 20.0 * (np.log10(40.0 * np.pi / 3.0) + log_f)
    return max(line, scatter) if clamp else scatter


@njit(cache=True, nogil=True)
def _free_space(d3d_m: Floats, fc_ghz: Floats) -> Floats:
    loss = np.empty(d3d_m.size)
    for m in range(d3d_m.size):
        loss[m] = free_space_db(np.log10(max(d3d_m[m], NEAR_M)), np.log10(fc_ghz[m]))
    return loss


@njit(cache=True, nogil=True)
def _path_loss(d3d_m: Floats, h_m: Floats, fc_ghz: Floats, los: Bools, clamp: bool) -> Floats:
    loss = np.empty(d3d_m.size)
    for m in range(d3d_m.size):
        log_d = np.log10(max(d3d_m[m], NEAR_M))
        loss[m] = path_loss_db(log_d, h_m[m], np.log10(fc_ghz[m]), los[m], clamp)
    return loss


def free_space_loss_db(d3d_m: Number, fc_ghz: Number) -> Floats:
    """`free_space_db` of links given by length [m] and carrier frequency [GHz], both broadcast [dB]."""
    (d, f), shape = flattened(np.asarray(d3d_m, dtype=float), np.asarray(fc_ghz, dtype=float))
    loss: Floats = _free_space(d, f).reshape(shape)[()]
    return loss


def uma_av_path_loss_db(d3d_m: Number, h_m: Number, fc_ghz: Number, los: Number, clamp: bool = True) -> Floats:
    """`path_loss_db` of many links.

    Args:
        d3d_m: length of the link, broadcasts [m].
        h_m: height of the UAV above ground, broadcasts [m].
        fc_ghz: carrier frequency, broadcasts [GHz].
        los: whether the link has line of sight, broadcasts.
        clamp: False gives the printed laws, for comparison with published values.

    Returns:
        Loss, broadcast shape [dB].
    """
    numbers = (np.asarray(x, dtype=float) for x in (d3d_m, h_m, fc_ghz))
    rows, shape = flattened(*numbers, np.asarray(los, dtype=np.bool_))
    loss: Floats = _path_loss(*rows, bool(clamp)).reshape(shape)[()]
    return loss


def uma_av_los_probability(d2d_m: Number, h_m: Number) -> Floats:
    r"""Probability of line of sight between ground station and UAV, TR 36.777 Table B-1.

    .. math:: P = d_1/d + e^{-d/p_1}(1 - d_1/d) \text{ beyond } d_1 = \max(460\log_{10}h - 700, 18),
              \quad p_1 = 4300\log_{10}h - 3800

    Args:
        d2d_m: horizontal distance, broadcasts [m].
        h_m: height of the UAV; 1 above 100 m, the value at 22.5 m below that [m].

    Returns:
        Probability in [0, 1], broadcast shape.
    """
    log_h = np.log10(np.maximum(h_m, LOW_LOS_M))
    p1 = 4300.0 * log_h - 3800.0
    d1 = np.maximum(460.0 * log_h - 700.0, 18.0)
    d = np.maximum(d2d_m, d1)
    beyond = d1 / d + np.exp(-d / p1) * (1.0 - d1 / d)
    return np.where(np.asarray(h_m) > 100.0, 1.0, beyond)[()]


def uma_av_shadowing_db(h_m: Number, los: Number) -> Floats:
    r"""Standard deviation of shadowing, TR 36.777 Table B-3: :math:`4.64e^{-0.0066h}` in LOS, 6 dB in NLOS.

    Args:
        h_m: height of the UAV, broadcasts [m].
        los: whether the link has line of sight, broadcasts.

    Returns:
        Standard deviation, broadcast shape [dB].
    """
    return np.where(los, 4.64 * np.exp(-0.0066 * np.asarray(h_m, dtype=float)), 6.0)[()]
