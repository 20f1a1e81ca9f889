"""Candidate routes of every loop: the most reliable of one, two and three hops (D22), uplink and downlink separately."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numba import njit

from core.network.arrays import Bools, Floats, Ints
from core.network.fading import DL, UL, FadingTables, table_failure
from core.network.topology import Topology
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


@njit(cache=True, nogil=True)
def _costs(snr: Floats, rayleigh: Bools, tables: FadingTables, block: int, direction: int, floor_db: float) -> Floats:
    n = len(snr)
    cost = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            if i == j or not snr[i, j] >= floor_db:
                cost[i, j] = np.inf
            else:
                error = table_failure(tables, block, direction, rayleigh[i, j], snr[i, j])
                cost[i, j] = -np.log1p(-error) if error < 1.0 else np.inf
    return cost


def link_costs(scenario: Scenario, topology: Topology, direction: int) -> Floats:
    r"""Additive cost :math:`-\ln(1-\varepsilon_e)` of every directed link under the routing option, (N+1, N+1).

    Links below `network.min_link_snr_db` are not active (â_e = 0 in eq:dt-state-map): cost inf.

    Args:
        scenario: payloads, blocklengths, threshold.
        topology: predicted links.
        direction: UL or DL, selects the payload.
    """
    tables = FadingTables.of(scenario)
    middle = int(np.argsort(tables.blocklengths)[len(tables.blocklengths) // 2])
    floor_db = scenario.network.min_link_snr_db
    cost: Floats = _costs(topology.snr_db, topology.rayleigh, tables, middle, direction, floor_db)
    return cost


@njit(cache=True, nogil=True)
def _keep(best: Floats, via: Ints, cost: float, node: int) -> None:
    """Insert a candidate into a short ascending list; equal costs keep the lower node first."""
    at = best.size
    while at > 0 and cost < best[at - 1]:
        at -= 1
    for x in range(best.size - 1, at, -1):
        best[x] = best[x - 1]
        via[x] = via[x - 1]
    if at < best.size:
        best[at] = cost
        via[at] = node


@njit(cache=True, nogil=True)
def best_paths(cost: Floats, max_hops: int, quota: Ints, width: int) -> tuple[Floats, Ints, Ints]:
    """Min-plus recurrence over layers of hops from every UAV to node 0.

    Per UAV and hop count the cheapest simple paths through different access relays are proposed, and the `width`
    cheapest proposals kept.

    Args:
        cost: additive cost of the link [from, to], (N+1, N+1); inf = no link.
        max_hops: longest path [hops].
        quota: proposals of one, two and three hops, (3,).
        width: paths kept per UAV.

    Returns:
        Path cost (N, width), padded inf and ascending; nodes (N, width, 4), padded -1; hops (N, width).
    """
    n = len(cost)
    relays = max(2, quota[1])  # the third layer needs a second choice to keep paths simple
    two = np.full((n, relays), np.inf)
    via = np.full((n, relays), -1)
    if max_hops >= 2:
        for i in range(1, n):
            for k in range(1, n):
                c = cost[i, k] + cost[k, 0]
                if c < two[i, relays - 1]:
                    _keep(two[i], via[i], c, k)
    out = np.full((n - 1, width), np.inf)
    nodes = np.full((n - 1, width, 4), -1)
    hops = np.zeros((n - 1, width), dtype=np.int64)
    three = np.empty(quota[2])
    access = np.empty(quota[2], dtype=np.int64)
    for i in range(1, n):
        three[:] = np.inf
        access[:] = -1
        if max_hops >= 3:
            for j in range(1, n):
                c = cost[i, j] + (two[j, 0] if via[j, 0] != i else two[j, 1])
                if c < three[-1]:
                    _keep(three, access, c, j)
        rank = np.full(width, -1)
        best = out[i - 1]
        # Proposal numbers: 0 direct, 1.. two hops, 1 + quota[1].. three hops; fewer hops win ties.
        if cost[i, 0] < np.inf:
            _keep(best, rank, cost[i, 0], 0)
        for x in range(quota[1]):
            if two[i, x] < np.inf:
                _keep(best, rank, two[i, x], 1 + x)
        for x in range(quota[2]):
            if three[x] < np.inf:
                _keep(best, rank, three[x], 1 + quota[1] + x)
        for w in range(width):
            path = nodes[i - 1, w]
            if rank[w] < 0:
                continue
            path[0] = i
            if rank[w] == 0:
                hops[i - 1, w] = 1
            elif rank[w] <= quota[1]:
                hops[i - 1, w] = 2
                path[1] = via[i, rank[w] - 1]
            else:
                hops[i - 1, w] = 3
                j = access[rank[w] - 1 - quota[1]]
                path[1] = j
                path[2] = via[j, 0] if via[j, 0] != i else via[j, 1]
            path[hops[i - 1, w]] = 0
    return out, nodes, hops


def _routes(topology: Topology, direction: Literal["ul", "dl"], cost: Floats, nodes: Ints, hops: Ints) -> Routes:
    """Flatten the paths of every loop, hop by hop in travel order."""
    kept = hops > 0
    loop = np.nonzero(kept)[0]
    nodes, hops, cost = nodes[kept], hops[kept], cost[kept]
    if direction == "dl":
        at = hops[:, None] - np.arange(MAX_HOPS + 1)
        nodes = np.where(at >= 0, np.take_along_axis(nodes, np.maximum(at, 0), axis=1), -1)
    tx, rx = nodes[:, :-1], nodes[:, 1:]
    hop = rx >= 0
    return Routes(
        direction=direction,
        loop=loop,
        offsets=np.concatenate([[0], np.cumsum(kept.sum(axis=1))]),
        nodes=nodes,
        hops=hops,
        snr_db=np.where(hop, topology.snr_db[tx, rx], np.inf),
        rayleigh=hop & topology.rayleigh[tx, rx],
        failure=-np.expm1(-cost),
    )


def find_routes(scenario: Scenario, topology: Topology) -> tuple[Routes, Routes]:
    """Candidate routes of every loop on the predicted topology (eq:dt-state-map), uplink and downlink.

    Proposed per loop: the direct link, the best two-hop routes through different relays and the best three-hop route,
    by end-to-end failure under the routing option; kept: the best `network.routes_per_direction` of them. A loop
    without any usable path has no rows.

    Args:
        scenario: route limits, payloads, thresholds.
        topology: predicted links, N+1 nodes.
    """
    net = scenario.network
    quota = np.array(_QUOTA[net.routes_per_direction], dtype=np.int64)
    up = link_costs(scenario, topology, UL)
    down = up if net.bits_ul == net.bits_dl else link_costs(scenario, topology, DL)
    ul = best_paths(up, net.max_hops, quota, net.routes_per_direction)
    # A downlink route is an uplink route over reversed links, read backwards.
    dl = best_paths(np.ascontiguousarray(down.T), net.max_hops, quota, net.routes_per_direction)
    return _routes(topology, "ul", *ul), _routes(topology, "dl", *dl)
