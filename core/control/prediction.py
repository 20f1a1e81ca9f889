"""Where a loop will be: the tracking error predicted from the lifted estimate, the velocity in force and the plan (D23)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from core.control.lifted import FloatArray

NEVER = np.inf
"""Arrival of a command that does not come [s]."""


class Law(NamedTuple):
    """What moves a UAV between two exchanges.

    Args:
        k: LQR gain of commands [1/s].
        onboard: gain κ·k of the onboard law (D12) [1/s].
        Ts: control period [s].
        feed_forward: whether both add the reference velocity (D20).
    """

    k: float
    onboard: float
    Ts: float
    feed_forward: bool


@njit(cache=True, nogil=True)
def velocity(gain: float, error: float, step: float, law: Law) -> float:
    """u = −gain·e, plus the reference velocity with feed-forward, one axis, Eq. (eq:lqr-law) [m/s].

    Args:
        gain: of the law [1/s].
        error: tracking error at the start of the cycle [m].
        step: how far the reference moves in the cycle [m].
        law: control period and feed-forward.
    """
    u = -gain * error
    return u + step / law.Ts if law.feed_forward else u


@njit(cache=True, nogil=True)
def energy(X: FloatArray, path: FloatArray, j: int) -> float:
    """V of the lifted state whose newest entry is row j of a path, Σ_rs X_rs·⟨e_{j+r}, e_{j+s}⟩ [m²].

    Args:
        X: certificate matrix of one axis, shape (H+1, H+1).
        path: errors, newest first, shape (rows, 3) [m].
        j: row of the newest entry.
    """
    total = 0.0
    for r in range(len(X)):
        for s in range(r + 1):
            dot = 0.0
            for axis in range(3):
                dot += path[j + r, axis] * path[j + s, axis]
            total += (1.0 if r == s else 2.0) * X[r, s] * dot
    return total


@njit(cache=True, nogil=True)
def fly_ahead(
    z: FloatArray, u: FloatArray, steps: FloatArray, local: bool, arrival_s: float, law: Law, path: FloatArray
) -> None:
    r"""Predicted tracking errors of one loop (D23), written into `path`.

    .. math:: \hat e(j+1) = \hat e(j) + \int u - (r_{k+j+1} - r_{k+j})

    Until the command arrives the velocity in force is held, or the onboard law acts where the supervisor has the loop;
    from then on the command u* = −k·ê_k, for the rest of the look-ahead.

    Args:
        z: estimated errors, current first, shape (H+1, 3) [m].
        u: velocity in force [m/s], shape (3,).
        steps: moves of the reference, cycle by cycle, shape (J, 3) [m].
        local: whether the onboard law has the loop until the command arrives.
        arrival_s: when the command arrives in the first cycle; T_s or more: never [s].
        law: gains, period, feed-forward.
        path: output, newest first: row 0 is ê(J), row J is ê_k, then the past, shape (J+H+1, 3) [m].
    """
    J = len(steps)
    for row in range(len(z)):
        for axis in range(3):
            path[J + row, axis] = z[row, axis]
    t = min(arrival_s, law.Ts)
    for j in range(J):
        for axis in range(3):
            e, step = path[J - j, axis], steps[j, axis]
            before = velocity(law.onboard, e, step, law) if local else u[axis]
            if arrival_s >= law.Ts:
                moved = law.Ts * before
            else:
                command = velocity(law.k, z[0, axis], steps[0, axis], law)
                moved = t * before + (law.Ts - t) * command if j == 0 else law.Ts * command
            path[J - j - 1, axis] = e + moved - step


@njit(cache=True, nogil=True)
def _predict(
    X: FloatArray,
    z: FloatArray,
    u: FloatArray,
    steps: FloatArray,
    local: NDArray[np.bool_],
    arrival_s: FloatArray,
    law: Law,
    errors: FloatArray,
    V: FloatArray,
) -> None:
    N, J = V.shape
    path = np.empty((J + z.shape[1], 3))
    for i in range(N):
        fly_ahead(z[i], u[i], steps[:, i], local[i], arrival_s[i], law, path)
        for j in range(J):
            V[i, j] = energy(X, path, J - j - 1)
            errors[i, j] = path[J - j - 1]


@njit(cache=True, nogil=True)
def predict_service(
    X: FloatArray,
    z: FloatArray,
    u: FloatArray,
    steps: FloatArray,
    idle: NDArray[np.bool_],
    until: NDArray[np.bool_],
    frame_s: float,
    law: Law,
) -> tuple[FloatArray, FloatArray]:
    """Energies of N loops without service, and with a command: the larger of an arrival at once and at the frame's end.

    V is convex in the arrival, so no instant between the two is worse (D23).

    Args:
        X, z, u, steps, law: as for `predict_paths`, contiguous.
        idle: whether the onboard law flies a loop that is not served, shape (N,).
        until: whether it flies a served loop until the command arrives, shape (N,).
        frame_s: end of the frame [s].

    Returns:
        V without service and with it at the end of each cycle, shape (N, J) each [m²].
    """
    N, J = len(z), len(steps)
    V0, V1 = np.empty((N, J)), np.empty((N, J))
    path = np.empty((J + z.shape[1], 3))
    for i in range(N):
        fly_ahead(z[i], u[i], steps[:, i], idle[i], np.inf, law, path)
        for j in range(J):
            V0[i, j] = energy(X, path, J - j - 1)
        fly_ahead(z[i], u[i], steps[:, i], until[i], 0.0, law, path)
        for j in range(J):
            V1[i, j] = energy(X, path, J - j - 1)
        fly_ahead(z[i], u[i], steps[:, i], until[i], frame_s, law, path)
        for j in range(J):
            V1[i, j] = max(V1[i, j], energy(X, path, J - j - 1))
    return V0, V1


class Prediction(NamedTuple):
    """The predicted way of N loops over J cycles, end of cycle k+j in column j.

    Args:
        errors: ê(1) … ê(J), shape (N, J, 3) [m].
        V: energy of the predicted lifted states, shape (N, J) [m²].
    """

    errors: FloatArray
    V: FloatArray


def predict_paths(
    X: FloatArray,
    z: FloatArray,
    u: FloatArray,
    steps: FloatArray,
    law: Law,
    *,
    local: ArrayLike = False,
    arrival_s: ArrayLike = NEVER,
) -> Prediction:
    """Predicted errors and energies of N loops (D23).

    Args:
        X: certificate matrix of one axis, shape (H+1, H+1).
        z: estimated errors, current first, shape (N, H+1, 3) [m].
        u: velocity in force, shape (N, 3) [m/s].
        steps: moves of the references, shape (J, N, 3) [m].
        law: gains, period, feed-forward.
        local: whether the onboard law has the loop until a command arrives, broadcast to (N,).
        arrival_s: when a command arrives in the first cycle, T_s or more: never, broadcast to (N,) [s].
    """
    N, J = len(z), len(steps)
    errors, V = np.empty((N, J, 3)), np.empty((N, J))
    at = np.array(np.broadcast_to(arrival_s, N), dtype=np.float64)
    onboard = np.array(np.broadcast_to(local, N), dtype=np.bool_)
    _predict(
        np.ascontiguousarray(X),
        np.ascontiguousarray(z),
        np.ascontiguousarray(u),
        np.ascontiguousarray(steps),
        onboard,
        at,
        law,
        errors,
        V,
    )
    return Prediction(errors, V)
