"""Routes against networkx: the true best simple path of every hop count, in both directions."""

import itertools

import networkx as nx
import numpy as np
import pytest

from core.network import Topology, attempt_failure, find_routes, link_costs
from core.network.fading import DL, UL
from core.network.paths import best_paths
from core.network.routes import _QUOTA
from core.scenario import Scenario
from core.simulation import snapshot

WIDE = np.array([1, 3, 2], dtype=np.int64)


def random_topology(nodes: int, seed: int, low_db: float = -12.0, high_db: float = 16.0) -> Topology:
    """Asymmetric random links, some below the threshold."""
    rng = np.random.default_rng(seed)
    snr = rng.uniform(low_db, high_db, (nodes, nodes))
    np.fill_diagonal(snr, -np.inf)
    rayleigh = rng.random((nodes, nodes)) < 0.3
    return Topology(snr, rayleigh, rayleigh, ~rayleigh)


def simple_paths(cost: np.ndarray, source: int, target: int) -> list[tuple[float, tuple[int, ...]]]:
    """Every simple path of up to three hops by networkx, cheapest first."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(cost)))
    graph.add_weighted_edges_from((i, j, cost[i, j]) for i, j in np.argwhere(np.isfinite(cost)))
    paths = nx.all_simple_paths(graph, source, target, cutoff=3)
    return sorted((sum(cost[a, b] for a, b in itertools.pairwise(p)), tuple(p)) for p in paths)


@pytest.mark.parametrize("seed", range(6))
def test_best_path_of_each_hop_count_equals_networkx(seed: int) -> None:
    cost = link_costs(Scenario(), random_topology(11, seed, -14.0 if seed % 2 else -8.0), UL)
    found, nodes, hops = best_paths(cost, 3, WIDE, 6)
    for uav in range(1, len(cost)):
        truth = simple_paths(cost, uav, 0)
        for length in (1, 2, 3):
            expected = [c for c, p in truth if len(p) == length + 1]
            mine = found[uav - 1][hops[uav - 1] == length]
            if not expected:
                assert len(mine) == 0
                continue
            assert mine[0] == pytest.approx(expected[0], rel=1e-12)
            # Further routes of the same length: the best through each other access relay.
            by_relay: dict[int, float] = {}
            for c, p in truth:
                if len(p) == length + 1:
                    by_relay.setdefault(p[1], c)
            alternatives = sorted(by_relay.values())[: WIDE[length - 1]]
            np.testing.assert_allclose(mine, alternatives, rtol=1e-12)
        for row, length in zip(nodes[uav - 1], hops[uav - 1], strict=True):
            path = [int(x) for x in row if x >= 0]
            assert len(path) == (length + 1 if length else 0)
            assert len(set(path)) == len(path)


def offered(cost: np.ndarray, source: int, target: int, width: int) -> list[tuple[float, tuple[int, ...]]]:
    """The rule of D22 by networkx: of each hop count the best through different access relays, of these the best few."""
    uplink, proposed = target == 0, []
    for length, quota in zip((1, 2, 3), _QUOTA[width], strict=True):
        by_relay: dict[int, tuple[float, tuple[int, ...]]] = {}
        for c, p in simple_paths(cost, source, target):
            if len(p) == length + 1:
                by_relay.setdefault(p[1] if uplink else p[-2], (c, p))
        proposed += sorted(by_relay.values())[:quota]
    return sorted(proposed)[:width]


def test_the_best_few_by_failure_alone_would_leave_out_direct_links() -> None:
    """Why routes are offered by hop count (D22): the four best of all paths often have a relay each, and cost twice the slots."""
    without = 0
    for cycle in (20, 60, 100):
        cost = link_costs(Scenario(), snapshot(Scenario(), seed=0, cycle=cycle).topology, UL)
        for uav in np.flatnonzero(np.isfinite(cost[1:, 0])) + 1:
            others = np.delete(np.arange(1, len(cost)), uav - 1)
            two = cost[uav, others] + cost[others, 0]
            without += int((two < cost[uav, 0]).sum() >= 4)
        direct = find_routes(Scenario(), snapshot(Scenario(), seed=0, cycle=cycle).topology)[0].hops == 1
        assert direct.sum() >= np.isfinite(cost[1:, 0]).sum()
    assert without > 50


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 6])
def test_routes_are_the_best_of_each_hop_count_in_both_directions(width: int) -> None:
    scenario = Scenario().replace(**{"network.routes_per_direction": width, "network.bits_ul": 1000})
    t = random_topology(10, 42)
    for routes, direction, bits in zip(find_routes(scenario, t), (UL, DL), (1000, 1600), strict=True):
        cost = link_costs(scenario, t, direction)
        for i in range(9):
            rows = slice(routes.offsets[i], routes.offsets[i + 1])
            paths = [tuple(int(x) for x in p if x >= 0) for p in routes.nodes[rows]]
            assert 1 <= len(paths) <= width
            ends = (i + 1, 0) if direction == UL else (0, i + 1)
            assert all((p[0], p[-1]) == ends for p in paths)
            assert len(set(paths)) == len(paths)
            assert np.all(routes.loop[rows] == i)
            assert np.all(np.diff(routes.failure[rows]) >= 0)
            assert paths[0] == simple_paths(cost, *ends)[0][1]
            reference = offered(cost, *ends, width)
            assert paths == [p for _, p in reference]
            assert routes.failure[rows] == pytest.approx([-np.expm1(-c) for c, _ in reference], rel=1e-9)
            for r, path in zip(range(rows.start, rows.stop), paths, strict=True):
                links = list(itertools.pairwise(path))
                assert routes.hops[r] == len(links)
                np.testing.assert_array_equal(routes.snr_db[r, : len(links)], [t.snr_db[a, b] for a, b in links])
                np.testing.assert_array_equal(routes.rayleigh[r, : len(links)], [t.rayleigh[a, b] for a, b in links])
                assert np.all(np.isposinf(routes.snr_db[r, len(links) :]))
                miss = attempt_failure(
                    scenario, routes.snr_db[r, : len(links)], routes.rayleigh[r, : len(links)], 900, bits
                )
                assert routes.failure[r] == pytest.approx(1 - np.prod(1 - miss), rel=1e-9)


def test_asymmetric_links_give_asymmetric_routes() -> None:
    snr = np.array([[-np.inf, 20.0, -20.0], [-20.0, -np.inf, 20.0], [20.0, 20.0, -np.inf]])
    no = np.zeros((3, 3), dtype=bool)
    ul, dl = find_routes(Scenario(), Topology(snr, no, no, ~no))
    assert ul.nodes[ul.offsets[0] : ul.offsets[1]].tolist() == [[1, 2, 0, -1]]
    assert dl.nodes[dl.offsets[0] : dl.offsets[1]].tolist() == [[0, 1, -1, -1]]
    assert ul.nodes[ul.offsets[1] : ul.offsets[2]].tolist() == [[2, 0, -1, -1]]
    assert dl.nodes[dl.offsets[1] : dl.offsets[2]].tolist() == [[0, 1, 2, -1]]


@pytest.mark.parametrize("max_hops", [1, 2, 3])
def test_max_hops_is_kept(max_hops: int) -> None:
    for routes in find_routes(Scenario().replace(**{"network.max_hops": max_hops}), random_topology(12, 1)):
        assert routes.hops.max() <= max_hops


def test_links_below_the_threshold_are_not_offered() -> None:
    scenario = Scenario().replace(**{"network.min_link_snr_db": 5.0})
    for routes in find_routes(scenario, random_topology(12, 3)):
        assert routes.snr_db.min() >= 5.0


def test_unreachable_loops_have_no_rows() -> None:
    t = random_topology(8, 0, 5.0, 10.0)
    t.snr_db[3, :] = t.snr_db[:, 3] = -80.0
    for routes in find_routes(Scenario(), t):
        counts = np.diff(routes.offsets)
        assert counts[2] == 0
        assert np.all(counts[[0, 1, 3, 4, 5, 6]] > 0)
        assert routes.offsets[-1] == len(routes.loop) == len(routes.nodes)


@pytest.mark.parametrize("snr_db", [10.0, -50.0])
def test_a_single_uav(snr_db: float) -> None:
    no = np.zeros((2, 2), dtype=bool)
    snr = np.array([[-np.inf, snr_db], [snr_db, -np.inf]])
    for routes in find_routes(Scenario(), Topology(snr, no, no, ~no)):
        assert len(routes.loop) == (1 if snr_db > 0 else 0)
        assert routes.nodes.shape[1] == 4
        assert routes.snr_db.shape[1] == 3
