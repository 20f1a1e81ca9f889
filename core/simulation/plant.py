"""One control period of the UAVs: single integrators whose command changes when the new one arrives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def velocity_command(p: Array, p_ref: Array, k: float, v_ref: Array | None = None) -> Array:
    """LQR velocity command, Eq. (eq:lqr-law): u = −k(p − p_ref), plus v_ref when feed-forward is on (D20).

    Args:
        p: position the law is evaluated at: an estimate, or an onboard measurement, (N, 3) [m].
        p_ref: reference position, (N, 3) [m].
        k: gain [1/s]; κ·k for the onboard safe-mode law (D12).
        v_ref: reference velocity, (N, 3) [m/s], or None.
    """
    u = -k * (p - p_ref)
    return u if v_ref is None else u + v_ref


def displacement(u_before: Array, u_after: Array, arrival_s: Array, Ts: float) -> Array:
    r"""Distance flown under commands in one period: the old one until the new one arrives, (N, 3) [m].

    .. math:: t\,u_{before} + (T_s - t)\,u_{after}

    Args:
        u_before: command in force at the start of the period, (N, 3) [m/s].
        u_after: command that arrives during it, (N, 3) [m/s].
        arrival_s: instant of arrival after the start of the period, T_s when none arrives, (N,) [s].
        Ts: control period [s].
    """
    t = np.minimum(arrival_s, Ts)[:, None]
    return t * u_before + (Ts - t) * u_after


def plant_step(p: Array, flown: Array, gust: Array, noise: Array, Ts: float) -> Array:
    """Positions after one period, Eq. (eq:plant-dynamics): p⁺ = p + ∫u + T_s·v_gust + w.

    Args:
        p: true positions, (N, 3) [m].
        flown: ∫u dt over the period, (N, 3) [m].
        gust: mean velocity disturbance, (N, 3) [m/s].
        noise: process noise w, (N, 3) [m].
        Ts: control period [s].
    """
    moved: Array = p + flown + Ts * gust + noise
    return moved


def estimator_step(p_hat: Array, p_meas: Array, uplink: NDArray[np.bool_], flown: Array) -> Array:
    """Controller-side estimates one period later: the newest sample, propagated by the inputs known to be applied.

    Args:
        p_hat: estimates at the start of the period, (N, 3) [m].
        p_meas: positions measured at the start of the period, (N, 3) [m].
        uplink: whose telemetry arrived, (N,).
        flown: ∫u dt the controller knows of (acknowledgements tell which command acted from when), (N, 3) [m].
    """
    moved: Array = np.where(uplink[:, None], p_meas, p_hat) + flown
    return moved
