"""LQR gain of the position loop (eq:lqr-law)."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import solve_discrete_are

from core.errors import ScenarioError


def lqr_gain(Ts: float, Q: float, R: float) -> float:
    r"""Scalar gain k of the law u = −k·e, the same on each axis, Eq. (eq:lqr-law).

    .. math:: k = \frac{T_s P}{R + T_s^2 P}, \qquad P \text{ solves the DARE of } (1, T_s, Q, R)

    A = I₃, B = T_s·I₃ and Q, R multiples of the identity decouple the axes, so K = k·I₃ is exact.

    Args:
        Ts: control period [s].
        Q: weight on the tracking error [-].
        R: weight on the velocity command [s²].

    Returns:
        The gain k [1/s]; a = T_s·k lies in (0, 1).
    """
    for name, value in (("Ts", Ts), ("Q", Q), ("R", R)):
        if not (math.isfinite(value) and value > 0):
            raise ScenarioError(f"control.{name} = {value:g} must be a positive number; raise it.")
    A, B = np.eye(1), np.array([[Ts]])
    P = solve_discrete_are(A, B, np.array([[Q]]), np.array([[R]]))[0, 0]
    return float(Ts * P / (R + Ts * Ts * P))
