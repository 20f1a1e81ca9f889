"""Mean SNR and fading class of every directed link between the ground station and the UAVs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from core.network.arrays import Bools, Floats
from core.network.obstacle import Obstacle, hits_box, obstacle_loss_db
from core.network.path_loss import NEAR_M, path_loss_db, uma_av_los_probability
from core.scenario import Scenario


@dataclass(frozen=True)
class Topology:
    """The link map {γ̂_e} of (eq:dt-state-map); node 0 is the ground station, node i+1 UAV i.

    Attributes:
        snr_db: mean SNR of the link [tx, rx], (N+1, N+1), -inf on the diagonal [dB].
        rayleigh: Rayleigh fading (NLOS or blocked) instead of Rician, (N+1, N+1).
        blocked: the segment hits the building, (N+1, N+1).
        los: line-of-sight class; only links of the ground station can lack it, (N+1, N+1).
    """

    snr_db: Floats
    rayleigh: Bools
    blocked: Bools
    los: Bools


def node_positions(scenario: Scenario, positions: Floats) -> Floats:
    """Ground station first, then the UAVs, (N+1, 3) [m]."""
    return np.vstack([np.asarray(scenario.network.gcs, dtype=float), np.asarray(positions, dtype=float).reshape(-1, 3)])


def draw_los(scenario: Scenario, positions: Floats, rng: np.random.Generator) -> Bools:
    """Line-of-sight classes of one run: ground-station links by P_LOS, UAV–UAV links always (D15).

    Args:
        scenario: gives the ground station.
        positions: UAVs, (N, 3) [m].
        rng: consumed once, N uniforms.

    Returns:
        Symmetric booleans, (N+1, N+1).
    """
    p = np.asarray(positions, dtype=float).reshape(-1, 3)
    d2d = np.hypot(p[:, 0] - scenario.network.gcs_x_m, p[:, 1] - scenario.network.gcs_y_m)
    line = rng.random(len(p)) < uma_av_los_probability(d2d, p[:, 2])
    los = np.ones((len(p) + 1, len(p) + 1), dtype=np.bool_)
    los[0, 1:] = los[1:, 0] = line
    return los


def noise_dbm(scenario: Scenario) -> float:
    r"""Receiver noise :math:`N = -174 + 10\log_{10}B_{ch} + F_{NF}` of the link budget (eq:dt-state-map) [dBm]."""
    net = scenario.network
    return float(-174.0 + 10.0 * np.log10(net.bandwidth_khz * 1e3) + net.noise_figure_db)


def link_budget_db(scenario: Scenario) -> float:
    r"""The part of the link budget that all links share, :math:`P_{tx} - N - M_x + \Delta SNR` of (eq:dt-state-map) [dB]."""
    net = scenario.network
    return net.tx_power_dbm - noise_dbm(scenario) - net.extra_margin_db + net.snr_offset_db


@njit(cache=True, nogil=True)
def _links(
    nodes: Floats, line: Bools, budget_db: float, log_f: float, obstacle: Obstacle
) -> tuple[Floats, Bools, Bools, Bools]:
    """The symmetric part of every link, pair by pair: SNR [dB], Rayleigh, blocked, line of sight, (N+1, N+1) each."""
    shape = (len(nodes), len(nodes))
    snr, rayleigh = np.empty(shape), np.empty(shape, dtype=np.bool_)
    blocked, los = np.empty(shape, dtype=np.bool_), np.empty(shape, dtype=np.bool_)
    for i in range(len(nodes)):
        snr[i, i] = -np.inf
        rayleigh[i, i] = blocked[i, i] = False
        los[i, i] = True
        for j in range(i + 1, len(nodes)):
            square = 0.0
            for x in range(3):
                square += (nodes[i, x] - nodes[j, x]) ** 2
            log_d = 0.5 * np.log10(max(square, NEAR_M * NEAR_M))
            seen = i > 0 or line[j]
            loss = path_loss_db(log_d, nodes[j, 2], log_f, seen, True)
            hit = obstacle.stands and hits_box(nodes[i], nodes[j], obstacle.lo, obstacle.hi)
            if hit:
                loss += obstacle_loss_db(nodes[i], nodes[j], obstacle)
            snr[i, j] = snr[j, i] = budget_db - loss
            blocked[i, j] = blocked[j, i] = hit
            los[i, j] = los[j, i] = seen
            rayleigh[i, j] = rayleigh[j, i] = hit or not seen
    return snr, rayleigh, blocked, los


def topology(
    scenario: Scenario, positions: Floats, los: Bools, shadowing_db: Floats | None = None, clearance_m: float = 0.0
) -> Topology:
    r"""Mean SNR of every directed link by the link budget of (eq:dt-state-map).

    .. math:: \bar\gamma_e = P_{tx} - L_e + X_e - N - M_x + \Delta SNR

    UAV–UAV links use the LOS law (TR 36.777 has none for them, D14). A link through the building pays the walls and
    every metre inside, and fades like NLOS (D15).

    Args:
        scenario: radio, ground station, building.
        positions: UAVs, estimates for prediction or true ones for reality, (N, 3) [m].
        los: class of every link; only row 0 and column 0 are read, (N+1, N+1).
        shadowing_db: X_e of the link [tx, rx], (N+1, N+1); None = no shadowing [dB].
        clearance_m: links that pass the building closer than this count as blocked; 0 in reality [m].
    """
    snr, rayleigh, blocked, seen = _links(
        node_positions(scenario, positions),
        np.ascontiguousarray(los[0], dtype=np.bool_),
        link_budget_db(scenario),
        float(np.log10(scenario.network.carrier_ghz)),
        Obstacle.of(scenario, clearance_m),
    )
    if shadowing_db is not None:
        snr += shadowing_db
    return Topology(snr, rayleigh, blocked, seen)
