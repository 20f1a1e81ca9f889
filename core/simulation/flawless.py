"""A yardstick for every comparison: the mission flown with a radio that never fails and takes no time.

Not a floor: the law u = −k·e lags, and a UAV that is left alone with a good velocity may fly closer to its reference.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.control import ControlModel
from core.scenario import Scenario
from core.simulation import draws
from core.simulation.mission import reference

Floats = NDArray[np.float64]


def flawless_errors(scenario: Scenario, seed: int, *, disturbed: bool = True) -> Floats:
    r"""Tracking errors when every loop is measured and commanded at every cycle start, (cycles, N, 3) [m].

    .. math:: e^+ = e - T_s k\,(e + m) - (r_{k+1} - r_k) + T_s v_{gust} + w

    (plus the move of the reference itself with feed-forward, D20). On a straight line the lag is v/k; after a turn it
    is shorter, because the old lag points another way than the new one.

    Args:
        scenario: mission and controller.
        seed: trial; the same mission, gusts and noise as every policy flies.
        disturbed: with measurement noise m, process noise w and gusts; False leaves the bare law.
    """
    trace, control, k = reference(scenario, seed), scenario.control, ControlModel.of(scenario).k
    v = trace.velocity
    N = v.shape[1]
    e = np.zeros_like(v[0]) if control.feed_forward else -v[0] / k
    errors = np.empty_like(v)
    for cycle in range(len(v)):
        pushed = np.zeros_like(e)
        seen = e
        if disturbed:
            seen = e + control.sigma_meas_m * draws.normals(seed, draws.MEASUREMENT, cycle, N, 3)
            noise = control.sigma_proc_m * draws.normals(seed, draws.PROCESS, cycle, N, 3)
            pushed = control.Ts * trace.gust[cycle] + noise
        u = -k * seen + (v[cycle] if control.feed_forward else 0.0)
        e = e + control.Ts * (u - v[cycle]) + pushed
        errors[cycle] = e
    return errors


def flawless_rmse(scenario: Scenario, seed: int, *, disturbed: bool = True) -> float:
    """Mean RMSE of that flight, Eq. (eq:rmse) [m]; arguments as for `flawless_errors`."""
    errors = flawless_errors(scenario, seed, disturbed=disturbed)
    return float(np.sqrt((errors**2).sum(axis=2).mean(axis=1)).mean())
