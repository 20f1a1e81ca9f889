"""Shadowing correlated in space, so that it persists along the flight and makes failures bursty."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from core.network.arrays import Bools, Floats, Ints
from core.network.normals import upper_normals
from core.network.pairs import PairTable, pair_values
from core.network.path_loss import uma_av_shadowing_db
from core.scenario import Scenario


class Shadowing(NamedTuple):
    """Shadowing X_e of every link, real or expected: unit values times the spread.

    Attributes:
        unit: of every pair, (P,); empty where there is none.
        spread: UMa-AV spread σ [dB].
    """

    unit: Floats
    spread: PairTable

    @classmethod
    def none(cls, nodes: int) -> Shadowing:
        """No shadowing between N+1 nodes."""
        return cls(np.empty(0), PairTable.constant(nodes, 0.0))


def start_shadowing(nodes: int, rng: np.random.Generator) -> Floats:
    """Unit-variance shadowing of every link at the start of a run, (P,).

    Args:
        nodes: N+1.
        rng: consumed once, (N+1)² normals, whatever the positions.
    """
    return upper_normals(nodes, rng)


@njit(cache=True, nogil=True)
def _step(unit: Floats, correlation: PairTable, innovation: Floats) -> None:
    """See `step_shadowing`; the innovations w make room for the new values."""
    nodes, at = len(correlation.level), 0
    r = np.empty(nodes)
    for i in range(nodes):
        pair_values(correlation, i, r)
        for j in range(i + 1, nodes):
            innovation[at] = r[j] * unit[at] + np.sqrt(1.0 - r[j] * r[j]) * innovation[at]
            at += 1


def step_shadowing(unit: Floats, correlation: PairTable, rng: np.random.Generator) -> Floats:
    r"""Unit-variance shadowing after the UAVs moved: autocorrelation :math:`e^{-\Delta/d_{corr}}` (Gudmundson).

    .. math:: x^+ = r x + \sqrt{1-r^2}\,w

    The number of draws does not depend on positions, so runs that share a seed share the innovations w.

    Args:
        unit: current values, (P,).
        correlation: r, see `shadowing_correlation`.
        rng: consumed once, (N+1)² normals.
    """
    moved = upper_normals(len(correlation.level), rng)
    _step(unit, correlation, moved)
    return moved


def shadowing_correlation(scenario: Scenario, before: Floats, after: Floats, los: Bools) -> PairTable:
    r"""Correlation of every link's shadowing between two positions of the swarm.

    .. math:: r = \exp\bigl(-(|\Delta p_a| + |\Delta p_b|)/d_{corr}\bigr)

    Args:
        scenario: correlation distances.
        before, after: UAV positions, (N, 3) [m].
        los: line-of-sight class of every link; only row 0 is read, links between UAVs have it (D15), (N+1, N+1).
    """
    net = scenario.network
    moved = np.concatenate([[0.0], np.linalg.norm(np.asarray(after, dtype=float) - before, axis=-1)])
    distance = np.where(los[0], net.shadow_corr_los_m, net.shadow_corr_nlos_m)
    return PairTable.of(moved, np.exp(-moved / distance), lambda both: np.exp(-both / net.shadow_corr_los_m))


def shadowing_spread_db(scenario: Scenario, positions: Floats, los: Bools) -> PairTable:
    """UMa-AV spread σ of every link's shadowing [dB].

    The height is the UAV's on links of the ground station, the mean of both ends between UAVs.

    Args:
        scenario: ground station, factor on the spread.
        positions: UAVs, (N, 3) [m].
        los: line-of-sight class of every link; only row 0 is read, links between UAVs have it (D15), (N+1, N+1).
    """
    z = np.concatenate([[scenario.network.gcs_z_m], np.asarray(positions, dtype=float)[:, 2]])
    scale = scenario.network.shadow_scale
    ground = scale * uma_av_shadowing_db(z, los[0])
    return PairTable.of(z, ground, lambda both: scale * uma_av_shadowing_db(0.5 * both, True))


@njit(cache=True, nogil=True)
def _measure(shadowing: Shadowing, noise_db: float, noise: Floats) -> None:
    """See `measured_shadowing_db`; the errors make room for the measurements."""
    unit, nodes, at = shadowing.unit, len(shadowing.spread.level), 0
    spread = np.empty(nodes)
    for i in range(nodes):
        pair_values(shadowing.spread, i, spread)
        for j in range(i + 1, nodes):
            noise[at] = unit[at] * spread[j] + noise_db * noise[at]
            at += 1


def measured_shadowing_db(
    shadowing: Shadowing, noise_db: float, rng: np.random.Generator, instead: tuple[Ints, Floats] | None = None
) -> Floats:
    """One noisy measurement of the shadowing of every link (D21), (P,) [dB].

    Args:
        shadowing: at the instant of the measurement.
        noise_db: error ν of a measurement [dB].
        rng: consumed once, (N+1)² normals.
        instead: places in the array of pairs and the shadowing there, where it is known from elsewhere (D27) [dB].
    """
    measured = upper_normals(len(shadowing.spread.level), rng)
    errors = noise_db * measured[instead[0]] if instead is not None else None
    _measure(shadowing, noise_db, measured)
    if instead is not None and errors is not None:
        measured[instead[0]] = instead[1] + errors
    return measured
