"""Mean SNR and fading class of every directed link between the ground station and the UAVs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

from core.network.arrays import Bools, Floats, Ints
from core.network.obstacle import Obstacle, Point, box_loss_db, hits_box, obstacle_loss_db, own_boxes, point
from core.network.pairs import pair_row
from core.network.path_loss import NEAR_M, path_loss_db, uma_av_los_probability
from core.network.shadowing import Shadowing
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

    @property
    def size(self) -> int:
        """Nodes, N+1."""
        return len(self.snr_db)

    @property
    def nbytes(self) -> int:
        """Memory."""
        return self.snr_db.nbytes + self.rayleigh.nbytes + self.blocked.nbytes + self.los.nbytes

    def some(self, tx: Ints, rx: Ints) -> tuple[Floats, Bools]:
        """Mean SNR [dB] and Rayleigh fading of some directed links, in the shape of tx and rx."""
        return self.snr_db[tx, rx], self.rayleigh[tx, rx]


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


class Links(NamedTuple):
    """All that decides the links of one instant, so that compiled loops work out only those they need.

    Attributes:
        nodes: positions, ground station first, (N+1, 3) [m].
        line: line of sight between the ground station and every node, (N+1,).
        budget_db: see `link_budget_db` [dB].
        log_f: log10 of the carrier frequency in GHz.
        obstacle: the square building.
        boxes: the user's own, (B, 7), see `own_boxes`.
        shadowing: X_e.
    """

    nodes: Floats
    line: Bools
    budget_db: float
    log_f: float
    obstacle: Obstacle
    boxes: Floats
    shadowing: Shadowing

    @property
    def size(self) -> int:
        """Nodes, N+1."""
        return len(self.nodes)

    def all(self) -> Topology:
        """Every link."""
        return Topology(*_every(self))

    def some(self, tx: Ints, rx: Ints) -> tuple[Floats, Bools]:
        """Mean SNR [dB] and Rayleigh fading of some directed links, in the shape of tx and rx."""
        snr, rayleigh = _some(self, np.ascontiguousarray(tx).reshape(-1), np.ascontiguousarray(rx).reshape(-1))
        return snr.reshape(tx.shape), rayleigh.reshape(tx.shape)


class Budgets(NamedTuple):
    """Some links worked out, (E,) each: mean SNR [dB], blocked, line of sight."""

    snr_db: Floats
    blocked: Bools
    los: Bools


@njit(cache=True, nogil=True)
def link_loss_db(a: Point, b: Point, log_f: float, seen: bool, obstacle: Obstacle) -> tuple[float, bool]:
    """Loss L_e of the link between two nodes [dB], and whether the building is in its way; b is the UAV of a ground link."""
    square = 0.0
    for x in range(3):
        square += (a[x] - b[x]) ** 2
    log_d = 0.5 * np.log10(max(square, NEAR_M * NEAR_M))
    loss = path_loss_db(log_d, b[2], log_f, seen, True)
    hit = obstacle.stands and hits_box(a, b, obstacle.lo, obstacle.hi)
    if hit:
        loss += obstacle_loss_db(a, b, obstacle)
    return loss, hit


@njit(cache=True, nogil=True, forceinline=True)
def work_out(links: Links, tx: Ints, rx: Ints, out: Budgets) -> None:
    """Fill the budgets of some links, the same in both directions; many at once, for the fields are unpacked at every call."""
    nodes, line, budget_db, log_f, obstacle, boxes, shadowing = links
    (unit, (ground, level, between)), (snr, blocked, los) = shadowing, out
    for e in range(tx.size):
        i, j = min(tx[e], rx[e]), max(tx[e], rx[e])
        seen = i > 0 or line[j]
        a, b = point(nodes, i), point(nodes, j)
        loss, hit = link_loss_db(a, b, log_f, seen, obstacle)
        paid = -1.0  # building whose walls this link has paid for
        for m in range(len(boxes)):
            lo, hi = (boxes[m, 0], boxes[m, 1], boxes[m, 2]), (boxes[m, 3], boxes[m, 4], boxes[m, 5])
            if hits_box(a, b, lo, hi):
                wall_db = obstacle.wall_db if boxes[m, 6] != paid else 0.0
                loss += box_loss_db(a, b, lo, hi, wall_db, obstacle.indoor_db_per_m)
                hit, paid = True, boxes[m, 6]
        snr[e], blocked[e], los[e] = budget_db - loss, hit, seen
        if unit.size:  # as a call it would count references to its arrays
            snr[e] += unit[pair_row(i, len(nodes)) + j] * (ground[j] if i == 0 else between[level[i], level[j]])


@njit(cache=True, nogil=True)
def budgets(size: int) -> Budgets:
    """Room for the budgets of some links."""
    return Budgets(np.empty(size), np.empty(size, dtype=np.bool_), np.empty(size, dtype=np.bool_))


_TILE = 32
"""Nodes on a side of the squares in which matrices are mirrored: a square and its image stay in the cache."""


@njit(cache=True, nogil=True)
def _every(links: Links) -> tuple[Floats, Bools, Bools, Bools]:
    """SNR [dB], Rayleigh, blocked, line of sight, (N+1, N+1) each."""
    n = len(links.nodes)
    snr, rayleigh = np.full((n, n), -np.inf), np.zeros((n, n), dtype=np.bool_)
    blocked, los = np.zeros((n, n), dtype=np.bool_), np.ones((n, n), dtype=np.bool_)
    others = np.arange(n)
    for i in range(n):
        work_out(
            links,
            np.full(n - i - 1, i),
            others[i + 1 :],
            Budgets(snr[i, i + 1 :], blocked[i, i + 1 :], los[i, i + 1 :]),
        )
        for j in range(i + 1, n):
            rayleigh[i, j] = blocked[i, j] or not los[i, j]
    for a in range(0, n, _TILE):
        for b in range(a, n, _TILE):
            for i in range(a, min(a + _TILE, n)):
                for j in range(max(i + 1, b), min(b + _TILE, n)):
                    snr[j, i], rayleigh[j, i] = snr[i, j], rayleigh[i, j]
                    blocked[j, i], los[j, i] = blocked[i, j], los[i, j]
    return snr, rayleigh, blocked, los


@njit(cache=True, nogil=True)
def _some(links: Links, tx: Ints, rx: Ints) -> tuple[Floats, Bools]:
    out = budgets(tx.size)
    work_out(links, tx, rx, out)
    return out.snr_db, out.blocked | ~out.los


def links_at(
    scenario: Scenario, positions: Floats, los: Bools, shadowing: Shadowing | None = None, clearance_m: float = 0.0
) -> Links:
    """Links of one instant, none worked out yet; arguments as in `topology`."""
    return Links(
        node_positions(scenario, positions),
        np.ascontiguousarray(los[0], dtype=np.bool_),
        link_budget_db(scenario),
        float(np.log10(scenario.network.carrier_ghz)),
        Obstacle.of(scenario, clearance_m),
        own_boxes(scenario, clearance_m),
        shadowing if shadowing is not None else Shadowing.none(len(los)),
    )


def topology(
    scenario: Scenario, positions: Floats, los: Bools, shadowing: Shadowing | None = None, clearance_m: float = 0.0
) -> Topology:
    r"""Mean SNR of every link by the link budget of (eq:dt-state-map).

    .. math:: \bar\gamma_e = P_{tx} - L_e + X_e - N - M_x + \Delta SNR

    UAV–UAV links use the LOS law (TR 36.777 has none for them, D14). A link through the building pays the walls and
    every metre inside, and fades like NLOS (D15).

    Args:
        scenario: radio, ground station, building.
        positions: UAVs, estimates for prediction or true ones for reality, (N, 3) [m].
        los: class of every link; only row 0 is read, (N+1, N+1).
        shadowing: X_e, the same in both directions; None = no shadowing.
        clearance_m: links that pass the building closer than this count as blocked; 0 in reality [m].
    """
    return links_at(scenario, positions, los, shadowing, clearance_m).all()
