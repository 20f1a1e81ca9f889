"""The printed account of links: every link counted once, exchanges against a plain search."""

import itertools

import numpy as np
import pytest

from core.network import Topology, attempt_failure, draw_los, find_routes, topology
from core.network.link_table import USABLE, best_route_hops, cheapest_exchanges, link_table
from core.scenario import Scenario


def topologies(scenario: Scenario, n: int, count: int) -> list[Topology]:
    out = []
    for seed in range(count):
        rng = np.random.default_rng(seed)
        angle = rng.uniform(0, 2 * np.pi, n)
        positions = np.column_stack([50 * np.cos(angle), 50 * np.sin(angle), rng.uniform(70, 100, n)])
        out.append(topology(scenario, positions, draw_los(scenario, positions, rng)))
    return out


def test_every_link_is_counted_once() -> None:
    scenario = Scenario()
    table = link_table(scenario, topologies(scenario, 20, 3))
    count = {kind: sum(c.links for c in table.classes if c.kind == kind) for kind in ("GCS-UAV", "UAV-UAV")}
    assert count == {"GCS-UAV": 60, "UAV-UAV": 570}
    for kind in count:
        assert sum(c.share for c in table.classes if c.kind == kind) == pytest.approx(1.0)
    by_name = {(c.kind, c.condition): c for c in table.classes}
    assert by_name["UAV-UAV", "NLOS"].links == 0
    assert np.isnan(by_name["UAV-UAV", "NLOS"].snr_db).all()
    assert by_name["GCS-UAV", "blocked"].snr_db[2] < by_name["GCS-UAV", "LOS"].snr_db[2] - 40.0
    assert sum(table.best_hops["ul"]) == sum(table.exchange_hops["dl"]) == 60


def test_cheapest_exchange_equals_a_plain_search() -> None:
    scenario = Scenario()
    ul, dl = find_routes(scenario, topologies(scenario, 12, 1)[0])
    slots, hops_ul, hops_dl = cheapest_exchanges(scenario, ul, dl)
    for i in range(12):
        sides = []
        for routes in (ul, dl):
            options = []
            for r in range(routes.offsets[i], routes.offsets[i + 1]):
                for n, n_re in itertools.product((600, 900, 1200), (0, 1, 2)):
                    h = routes.hops[r]
                    miss = attempt_failure(scenario, routes.snr_db[r, :h], routes.rayleigh[r, :h], n, 1600)
                    options.append((h * (1 + n_re) * n // 150, np.prod(1 - miss ** (1 + n_re)), h))
            sides.append(options)
        usable = [(a[0] + b[0], a[2], b[2]) for a in sides[0] for b in sides[1] if a[1] * b[1] >= USABLE]
        best = min((u[0] for u in usable), default=0)
        assert slots[i] == best
        assert (best, hops_ul[i], hops_dl[i]) in usable or best == 0


def test_loops_per_frame_counts_the_cheapest_first() -> None:
    scenario = Scenario()
    tops = topologies(scenario, 30, 2)
    for frame in (0, 50, 450):
        table = link_table(scenario.replace(**{"network.slots": frame}), tops)
        for x, fit in zip(table.exchange_slots, table.loops_per_frame, strict=True):
            costs = sorted(int(c) for c in x if c > 0)
            assert sum(costs[:fit]) <= frame
            assert fit == len(costs) or sum(costs[: fit + 1]) > frame


def test_swarm_out_of_reach() -> None:
    scenario = Scenario().replace(**{"network.snr_offset_db": -20.0, "network.extra_margin_db": 40.0})
    tops = topologies(scenario, 5, 1)
    table = link_table(scenario, tops)
    assert table.unusable_share == 1.0
    assert table.loops_per_frame.tolist() == [0]
    assert np.all(best_route_hops(find_routes(scenario, tops[0])[0]) == 0)


def test_a_single_uav() -> None:
    scenario = Scenario().replace(**{"mission.uavs": 1})
    table = link_table(scenario, topologies(scenario, 1, 2))
    assert sum(c.links for c in table.classes) == 2
    assert table.exchange_slots.shape == (2, 1)
