"""Shadowing correlated in space, so that it persists along the flight and makes failures bursty."""

from __future__ import annotations

import numpy as np

from core.network.arrays import Bools, Floats
from core.network.path_loss import uma_av_shadowing_db
from core.network.topology import node_positions
from core.scenario import Scenario


def _symmetric_normal(nodes: int, rng: np.random.Generator) -> Floats:
    upper = np.triu(rng.standard_normal((nodes, nodes)), k=1)
    return upper + upper.T


def start_shadowing(nodes: int, rng: np.random.Generator) -> Floats:
    """Unit-variance shadowing of every link at the start of a run, symmetric, zero diagonal, (N+1, N+1).

    Args:
        nodes: N+1.
        rng: consumed once, (N+1)² normals, whatever the positions.
    """
    return _symmetric_normal(nodes, rng)


def step_shadowing(
    scenario: Scenario, unit: Floats, before: Floats, after: Floats, los: Bools, rng: np.random.Generator
) -> Floats:
    r"""Unit-variance shadowing after the UAVs moved: autocorrelation :math:`e^{-\Delta/d_{corr}}` (Gudmundson).

    .. math:: x^+ = r x + \sqrt{1-r^2}\,w, \quad r = \exp\bigl(-(|\Delta p_a| + |\Delta p_b|)/d_{corr}\bigr)

    The number of draws does not depend on positions, so runs that share a seed share the innovations w.

    Args:
        scenario: correlation distances.
        unit: current values, (N+1, N+1).
        before, after: UAV positions, (N, 3) [m].
        los: line-of-sight class of every link, (N+1, N+1).
        rng: consumed once, (N+1)² normals.
    """
    r = shadowing_correlation(scenario, before, after, los)
    moved_unit: Floats = r * unit + np.sqrt(1.0 - r * r) * _symmetric_normal(len(r), rng)
    return moved_unit


def shadowing_correlation(scenario: Scenario, before: Floats, after: Floats, los: Bools) -> Floats:
    """Correlation r of every link's shadowing between two positions of the swarm, (N+1, N+1); see `step_shadowing`."""
    moved = np.linalg.norm(np.asarray(after, dtype=float) - before, axis=-1)
    moved = np.concatenate([[0.0], moved])
    distance = np.where(los, scenario.network.shadow_corr_los_m, scenario.network.shadow_corr_nlos_m)
    r: Floats = np.exp(-(moved[:, None] + moved) / distance)
    return r


def shadowing_spread_db(scenario: Scenario, positions: Floats, los: Bools) -> Floats:
    """UMa-AV spread σ of every link's shadowing [dB], (N+1, N+1).

    The height is the UAV's on links of the ground station, the mean of both ends between UAVs.

    Args:
        scenario: ground station.
        positions: UAVs, (N, 3) [m].
        los: line-of-sight class of every link, (N+1, N+1).
    """
    z = node_positions(scenario, positions)[:, 2]
    h = 0.5 * (z[:, None] + z)
    h[0, :] = h[:, 0] = z
    return uma_av_shadowing_db(h, los)


def shadowing_db(scenario: Scenario, unit: Floats, positions: Floats, los: Bools) -> Floats:
    """Shadowing X_e of every link [dB], (N+1, N+1): unit values, (N+1, N+1), times the spread."""
    return unit * shadowing_spread_db(scenario, positions, los)


def measured_shadowing_db(
    scenario: Scenario, unit: Floats, positions: Floats, los: Bools, noise_db: float, rng: np.random.Generator
) -> Floats:
    """One noisy measurement of the shadowing of every link (D21), symmetric, (N+1, N+1) [dB].

    Args:
        scenario, unit, positions, los: as in `shadowing_db`, at the instant of the measurement.
        noise_db: error ν of a measurement [dB].
        rng: consumed once, (N+1)² normals.
    """
    return shadowing_db(scenario, unit, positions, los) + noise_db * _symmetric_normal(len(unit), rng)
