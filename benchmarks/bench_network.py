"""Positions to candidate actions: compiled arrays against the straightforward per-object Python version, same run.

The route search alone is also timed against the fastest graph library at hand, `scipy.sparse.csgraph.yen` (D22): the K best
paths of the first loops, scaled up to all loops and both directions.

Run: python benchmarks/bench_network.py [N ...]    (default 50 200 1000; the peers are timed once per N)
"""

from __future__ import annotations

import functools
import itertools
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from results import Figure, publish
from scipy.sparse import csr_array
from scipy.sparse.csgraph import yen
from timing import interleaved_ms, timed

from core.network import (
    Actions,
    FadingTables,
    Topology,
    combine,
    direction_options,
    draw_los,
    find_routes,
    link_budget_db,
    link_costs,
    prune_options,
    topology,
)
from core.network.fading import GRID_START_DB, GRID_STEP_DB, UL
from core.network.obstacle import building_box, hits_box, inside_box
from core.network.path_loss import FREE_SPACE_DB, LOW_NLOS_M, NEAR_M
from core.scenario import Scenario

MARGIN_DB = 6.0
PATTERNS = ("ul-first", "dl-first")
YEN_LOOPS = 5


def swarm(n: int) -> np.ndarray:
    """UAVs on rings around the building, 20 m and more off the facade, in the default altitude band."""
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, n), rng.uniform(50, 75, n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), rng.uniform(70, 100, n)])


def arrays(scenario: Scenario, positions: np.ndarray, los: np.ndarray) -> tuple[Topology, Actions]:
    """What the project runs."""
    t = topology(scenario, positions, los)
    ul, dl = (prune_options(direction_options(scenario, r, MARGIN_DB)) for r in find_routes(scenario, t))
    return t, combine(scenario, ul, dl, PATTERNS)


@dataclass
class Link:
    snr_db: float
    rayleigh: bool


@dataclass
class Option:
    slots: int
    worst: float
    nominal: float


def objects(scenario: Scenario, positions: np.ndarray, los: np.ndarray) -> int:
    """The same steps with one object per link, route, option and action; returns the number of actions."""
    net = scenario.network
    nodes = [tuple(map(float, net.gcs)), *(tuple(map(float, p)) for p in positions)]
    budget = link_budget_db(scenario)
    box = building_box(scenario)
    corners = None if box is None else (box[0].tolist(), box[1].tolist())
    links: dict[tuple[int, int], Link] = {}
    for a in range(len(nodes)):
        for b in range(a + 1, len(nodes)):
            line = bool(los[0, b]) if a == 0 else True
            d = max(math.dist(nodes[a], nodes[b]), NEAR_M)
            f = net.carrier_ghz
            loss = 20.0 * math.log10(f) + max(28.0 + 22.0 * math.log10(d), FREE_SPACE_DB + 20.0 * math.log10(d))
            if not line:
                slope = 46.0 - 7.0 * math.log10(max(nodes[b][2], LOW_NLOS_M))
                loss = max(loss, -17.5 + slope * math.log10(d) + 20.0 * math.log10(40.0 * math.pi * f / 3.0))
            hit = corners is not None and hits_box.py_func(nodes[a], nodes[b], *corners)
            if hit:
                loss += net.wall_loss_db + net.indoor_loss_db_per_m * inside_box.py_func(nodes[a], nodes[b], *corners)
            links[a, b] = links[b, a] = Link(budget - loss, hit or not line)

    tables = FadingTables.of(scenario)
    rows = tables.failure.tolist()

    def error(link: Link, b: int, margin: float) -> float:
        x = (link.snr_db - margin - GRID_START_DB) / GRID_STEP_DB
        row = rows[b][0][int(link.rayleigh)]
        if x < 0:
            return 1.0
        x = min(x, len(row) - 1.0)
        i = min(int(x), len(row) - 2)
        return row[i] + (x - i) * (row[i + 1] - row[i])

    middle = len(tables.blocklengths) // 2
    cost = {}
    for key, link in links.items():
        miss = error(link, middle, 0.0) if link.snr_db >= net.min_link_snr_db else 1.0
        if miss < 1.0:
            cost[key] = -math.log1p(-miss)
    uavs = range(1, len(nodes))
    inf = float("inf")
    two = {i: sorted((cost.get((i, k), inf) + cost.get((k, 0), inf), k) for k in uavs if k != i)[:2] for i in uavs}
    actions = 0
    for i in uavs:
        routes = []
        if (i, 0) in cost:
            routes.append((cost[i, 0], (i, 0)))
        routes += [(c, (i, k, 0)) for c, k in two[i] if c < inf]
        best = (inf, ())
        for j in uavs:
            if j == i or (i, j) not in cost:
                continue
            for c, k in two[j]:
                if k != i:
                    best = min(best, (cost[i, j] + c, (i, j, k, 0)))
                    break
        if best[0] < inf:
            routes.append(best)
        routes = sorted(routes)[: net.routes_per_direction]
        options = []
        for _, path in routes:
            hops = [links[a, b] for a, b in itertools.pairwise(path)]
            for b, length in enumerate(tables.slots.tolist()):
                for n_re in net.retransmissions:
                    nominal = 1.0 - math.prod(1.0 - error(h, b, 0.0) ** (1 + n_re) for h in hops)
                    worst = 1.0 - math.prod(1.0 - error(h, b, MARGIN_DB) ** (1 + n_re) for h in hops)
                    options.append(Option(len(hops) * (1 + n_re) * length, worst, nominal))
        kept = [
            o
            for x, o in enumerate(options)
            if not any(
                p.slots <= o.slots
                and p.worst <= o.worst
                and p.nominal <= o.nominal
                and ((p.slots, p.worst, p.nominal) != (o.slots, o.worst, o.nominal) or y < x)
                for y, p in enumerate(options)
            )
        ]
        # Links are symmetric without shadowing and payloads equal, so the downlink has the same options.
        product = [
            (pattern, u.slots + d.slots, u, d)
            for pattern in PATTERNS
            for u in kept
            for d in kept
            if u.slots + d.slots <= net.slots
        ]
        actions += len(product)
    return actions


def library_routes_ms(scenario: Scenario, t: Topology) -> float:
    """The K best paths of every loop in both directions by Yen's algorithm, from the first loops [ms]."""
    cost = link_costs(scenario, t, UL)
    graph = csr_array(np.where(np.isfinite(cost), np.maximum(cost, 1e-300), 0.0))  # an explicit 0 would be no link
    loops = range(1, min(YEN_LOOPS, len(cost) - 1) + 1)
    start = time.perf_counter()
    for uav in loops:
        yen(graph, uav, 0, scenario.network.routes_per_direction)
    return (time.perf_counter() - start) * 1e3 * 2 * (len(cost) - 1) / len(loops)


def figures(sizes: list[int]) -> Iterator[Figure]:
    scenario = Scenario()
    yield Figure("fading tables, once", "default scenario", timed(lambda: FadingTables.of(scenario))[0])
    for n in sizes:
        positions = swarm(n)
        los = draw_los(scenario, positions, np.random.default_rng(1))
        _, actions = arrays(scenario, positions, los)  # compiles
        t = topology(scenario, positions, los)
        routes = find_routes(scenario, t)
        options = [direction_options(scenario, r, MARGIN_DB) for r in routes]
        pruned = [prune_options(o) for o in options]
        ms = interleaved_ms(
            {
                "topology": functools.partial(topology, scenario, positions, los),
                "routes": functools.partial(find_routes, scenario, t),
                "options": functools.partial(
                    lambda routes: [direction_options(scenario, r, MARGIN_DB) for r in routes], routes
                ),
                "pruning": functools.partial(lambda options: [prune_options(o) for o in options], options),
                "pairs": functools.partial(combine, scenario, *pruned, PATTERNS),
                "all of it": functools.partial(arrays, scenario, positions, los),
            },
            20 if n <= 200 else 7,
        )
        peer, count = timed(functools.partial(objects, scenario, positions, los))
        if abs(count - len(actions.loop)) > 0.01 * count:
            raise SystemExit(f"the peer finds {count} actions, the arrays {len(actions.loop)}")
        size = f"N = {n}, {len(actions.loop):,} actions"
        yield Figure("positions to actions", size, ms["all of it"], "ms", "one object per thing, Python", peer)
        for stage in list(ms)[:-1]:
            library = ("scipy.sparse.csgraph.yen", library_routes_ms(scenario, t)) if stage == "routes" else ("", None)
            yield Figure(f"positions to actions: {stage}", size, ms[stage], "ms", *library)


if __name__ == "__main__":
    publish(figures([int(x) for x in sys.argv[1:]] or [50, 200, 1000]))
