"""Candidate routes of every loop: the most reliable of one, two and three hops (D22), uplink and downlink separately."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.network.arrays import Bools, Floats, Ints
from core.network.fading import DL, UL
from core.network.link_cost import LinkCosts, link_costs
from core.network.paths import best_paths
from core.network.topology import Links, Topology
from core.scenario import Scenario

MAX_HOPS = 3
"""Longest route any scenario may ask for; the padding of every route array."""

# How many routes of one, two, three hops are proposed, each through another access relay (the UAV's neighbour).
# Shares by hop count keep the cheap direct link on offer where many relays beat it in failure alone (D22).
_QUOTA = {1: (1, 1, 1), 2: (1, 1, 1), 3: (1, 2, 1), 4: (1, 2, 1), 5: (1, 2, 2), 6: (1, 3, 2)}


@dataclass(frozen=True, eq=False)
class Routes:
    """The predicted path sets P̂_i^χ of (eq:dt-state-map) in one direction, R rows over all loops.

    Attributes:
        direction: "ul" or "dl".
        loop: loop of each row, (R,).
        offsets: loop i owns rows offsets[i]:offsets[i+1], best nominal failure first, (N+1,).
        nodes: nodes in travel order, padded -1, (R, 4).
        hops: number of hops, (R,).
        snr_db: mean SNR of each hop in travel order, padded +inf, (R, 3) [dB].
        rayleigh: Rayleigh fading of each hop, padded False, (R, 3).
        failure: end-to-end failure of the routing option (middle blocklength, one attempt), (R,).
    """

    direction: Literal["ul", "dl"]
    loop: Ints
    offsets: Ints
    nodes: Ints
    hops: Ints
    snr_db: Floats
    rayleigh: Bools
    failure: Floats


def _routes(
    topology: Topology | Links, direction: Literal["ul", "dl"], cost: Floats, nodes: Ints, hops: Ints
) -> Routes:
    """Flatten the paths of every loop, hop by hop in travel order."""
    kept = hops > 0
    loop = np.nonzero(kept)[0]
    nodes, hops, cost = nodes[kept], hops[kept], cost[kept]
    if direction == "dl":
        at = hops[:, None] - np.arange(MAX_HOPS + 1)
        nodes = np.where(at >= 0, np.take_along_axis(nodes, np.maximum(at, 0), axis=1), -1)
    tx, rx = nodes[:, :-1], nodes[:, 1:]
    hop = rx >= 0
    snr_db, rayleigh = np.full(hop.shape, np.inf), np.zeros(hop.shape, dtype=np.bool_)
    snr_db[hop], rayleigh[hop] = topology.some(tx[hop], rx[hop])
    return Routes(
        direction=direction,
        loop=loop,
        offsets=np.concatenate([[0], np.cumsum(kept.sum(axis=1))]),
        nodes=nodes,
        hops=hops,
        snr_db=snr_db,
        rayleigh=rayleigh,
        failure=-np.expm1(-cost),
    )


def find_routes(scenario: Scenario, topology: Topology | Links) -> tuple[Routes, Routes]:
    """Candidate routes of every loop on the predicted topology (eq:dt-state-map), uplink and downlink.

    Proposed per loop: the direct link, the best two-hop routes through different relays and the best three-hop route,
    by end-to-end failure under the routing option; kept: the best `network.routes_per_direction` of them. A loop
    without any usable path has no rows.

    Args:
        scenario: route limits, payloads, thresholds.
        topology: predicted links, N+1 nodes; where they are not worked out yet, only those that matter are.
    """
    net = scenario.network
    quota, width = np.array(_QUOTA[net.routes_per_direction], dtype=np.int64), net.routes_per_direction
    same_payload = net.bits_ul == net.bits_dl
    if isinstance(topology, Links):
        ul = best_paths(LinkCosts.of(scenario, topology, UL), net.max_hops, quota, width)
        dl = ul if same_payload else best_paths(LinkCosts.of(scenario, topology, DL), net.max_hops, quota, width)
    else:
        up = link_costs(scenario, topology, UL)
        # A downlink route is an uplink route over reversed links, read backwards.
        down = np.ascontiguousarray((up if same_payload else link_costs(scenario, topology, DL)).T)
        ul = best_paths(up, net.max_hops, quota, width)
        dl = ul if same_payload and np.array_equal(up, down) else best_paths(down, net.max_hops, quota, width)
    return _routes(topology, "ul", *ul), _routes(topology, "dl", *dl)
