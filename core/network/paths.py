"""Cheapest paths from every UAV to the ground station over links that are worked out only where they can matter."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from core.network.arrays import Floats, Ints
from core.network.link_cost import BIN_M2, BINS, LinkCosts, needed_db, some_costs, work_out_costs
from core.network.pairs import pair_row
from core.network.topology import budgets


@njit(cache=True, nogil=True)
def _enters(best: Floats, via: Ints, cost: float, node: int) -> bool:
    """Whether a candidate belongs into a short list, cheapest first and of equal costs the lower node first."""
    last = best[-1]
    return cost < last or (cost == last and cost < np.inf and node < via[-1])


@njit(cache=True, nogil=True)
def _keep(best: Floats, via: Ints, cost: float, node: int) -> None:
    """Insert a candidate that `_enters`."""
    at = best.size - 1
    while at > 0 and (cost < best[at - 1] or (cost == best[at - 1] and node < via[at - 1])):
        best[at], via[at] = best[at - 1], via[at - 1]
        at -= 1
    best[at], via[at] = cost, node


class _Rest(NamedTuple):
    """The cheapest rest of the way to node 0 from every relay, (N+1,) each.

    Attributes:
        order: relays, cheapest rest first.
        cost: of the rest.
        via: first node of it, through which nobody may come who is already on the way.
        other: the cheapest rest that avoids it.
    """

    order: Ints
    cost: Floats
    via: Ints
    other: Floats


@njit(cache=True, nogil=True)
def _through_known(cost: Floats, rest: _Rest, best: Floats, access: Ints) -> None:
    """The cheapest ways of every UAV through different relays, (N+1, proposals): relays with the cheapest rest first,
    until no other can enter; all costs are known, (N+1, N+1)."""
    order, after, via, other = rest
    for i in range(1, len(after)):
        mine, relays = best[i], access[i]
        for k in order:
            if not after[k] < np.inf or after[k] > mine[-1]:
                break
            c = cost[i, k] + (after[k] if via[k] != i else other[k])
            if _enters(mine, relays, c, k):
                _keep(mine, relays, c, k)


_CHUNK = 8
"""Links worked out at a time."""


@njit(cache=True, nogil=True)
def _through_relays(costs: LinkCosts, rest: _Rest, best: Floats, access: Ints) -> None:
    """The same with links worked out on the way; one too long for its shadowing to be worth its relay is passed over."""
    links, option, least = costs
    order, after, via, other = rest
    nodes, budget_db, (unit, (_, level, between)) = links.nodes, links.budget_db, links.shadowing
    n, tx, rx = len(after), np.empty(_CHUNK, dtype=np.int64), np.empty(_CHUNK, dtype=np.int64)
    left, out = np.empty(_CHUNK), budgets(_CHUNK)
    for i in range(1, n):
        mine, relays = best[i], access[i]
        tx[:] = i
        at, going = 0, True
        while going and at < n:
            count = 0
            worst, last = mine[-1], relays[-1]
            # a little more than may be spent: what rounds to a tie is still worked out
            needed = needed_db(option, worst * (1.0 + 1e-12) - after[order[at]])
            while at < n and count < _CHUNK:
                k = order[at]
                going = after[k] < np.inf and not after[k] > worst
                if not going:
                    break
                at += 1
                c = after[k] if via[k] != i else other[k]
                if k == i or c > worst or (c == worst and k > last):
                    continue
                square = (nodes[i, 0] - nodes[k, 0]) ** 2
                square += (nodes[i, 1] - nodes[k, 1]) ** 2 + (nodes[i, 2] - nodes[k, 2]) ** 2
                most_db = budget_db - least[min(int(square / BIN_M2), BINS - 1)]
                if unit.size:
                    most_db += unit[pair_row(min(i, k), n) + max(i, k)] * between[level[i], level[k]]
                if most_db >= needed:
                    rx[count], left[count] = k, c
                    count += 1
            work_out_costs(costs, tx[:count], rx[:count], out)
            for x in range(count):
                c = out.snr_db[x] + left[x]
                if _enters(mine, relays, c, rx[x]):
                    _keep(mine, relays, c, rx[x])


class _Proposals(NamedTuple):
    """Paths of one, two and three hops of every node: their costs, and the first relay of the longer ones."""

    direct: Floats
    two: Floats
    via: Ints
    three: Floats
    access: Ints


@njit(cache=True, nogil=True)
def _cheapest(found: _Proposals, quota: Ints, width: int) -> tuple[Floats, Ints, Ints]:
    """The `width` cheapest proposals of every UAV, as `best_paths` returns them."""
    n = len(found.direct)
    out = np.full((n - 1, width), np.inf)
    nodes = np.full((n - 1, width, 4), -1)
    hops = np.zeros((n - 1, width), dtype=np.int64)
    two, via = found.two, found.via
    rank = np.empty(width, dtype=np.int64)
    for i in range(1, n):
        rank[:] = -1
        best = out[i - 1]
        # Proposal numbers: 0 direct, 1.. two hops, 1 + quota[1].. three hops; fewer hops win ties.
        for x in range(1 + quota[1] + quota[2]):
            if x == 0:
                c = found.direct[i]
            elif x <= quota[1]:
                c = two[i, x - 1]
            else:
                c = found.three[i, x - 1 - quota[1]]
            if _enters(best, rank, c, x):
                _keep(best, rank, c, x)
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
                j = found.access[i, rank[w] - 1 - quota[1]]
                path[1] = j
                path[2] = via[j, 0] if via[j, 0] != i else via[j, 1]
            path[hops[i - 1, w]] = 0
    return out, nodes, hops


def best_paths(costs: LinkCosts | Floats, max_hops: int, quota: Ints, width: int) -> tuple[Floats, Ints, Ints]:
    """Min-plus recurrence over layers of hops from every UAV to node 0.

    Per UAV and hop count the cheapest simple paths through different access relays are proposed, and the `width`
    cheapest proposals kept. Costs are not negative, so a relay whose own rest of the way costs more than what is already
    found cannot improve it: relays are tried in the order of that rest, and most links are never looked at.

    Args:
        costs: of the links [from, to], inf where there is none; known, (N+1, N+1), or worked out on the way.
        max_hops: longest path [hops].
        quota: proposals of one, two and three hops, (3,).
        width: paths kept per UAV.

    Returns:
        Path cost (N, width), padded inf and ascending; nodes (N, width, 4), padded -1; hops (N, width).
    """
    n = costs.size if isinstance(costs, LinkCosts) else len(costs)
    relays = max(2, quota[1])  # the third layer needs a second choice to keep paths simple
    two, via = np.full((n, relays), np.inf), np.full((n, relays), -1)
    three, access = np.full((n, quota[2]), np.inf), np.full((n, quota[2]), -1)
    if isinstance(costs, LinkCosts):
        direct, through = some_costs(costs, np.arange(n), np.zeros(n, dtype=np.int64)), _through_relays
    else:
        direct, through = np.ascontiguousarray(costs[:, 0]), _through_known
    if max_hops >= 2:
        rest = _Rest(np.argsort(direct, kind="stable"), direct, np.full(n, -1), direct)
        through(costs, rest, two, via)
    if max_hops >= 3:
        first, second = np.ascontiguousarray(two[:, :2].T)
        rest = _Rest(np.argsort(first, kind="stable"), first, np.ascontiguousarray(via[:, 0]), second)
        through(costs, rest, three, access)
    found: tuple[Floats, Ints, Ints] = _cheapest(_Proposals(direct, two, via, three, access), quota, width)
    return found
