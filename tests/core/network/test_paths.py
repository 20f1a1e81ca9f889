"""Routes over links worked out where they can matter, against every link looked at: the same paths, to the last bit."""

import numpy as np
import pytest
from plain_channel import best_paths as every_path

from core.network import Links, Topology, find_routes, link_costs, links_at, table_failure
from core.network.fading import DL, UL
from core.network.link_cost import RoutingOption, least_losses, needed_db
from core.network.routes import _QUOTA
from core.network.shadowing import Shadowing, shadowing_spread_db
from core.scenario import Scenario
from core.simulation import Simulation

FIELDS = ("loop", "offsets", "nodes", "hops", "snr_db", "rayleigh", "failure")


def flown(uavs: int, cycles: int, **change: object) -> tuple[Scenario, Links]:
    scenario = Scenario().replace(**{"mission.uavs": uavs, "network.slots": 60, **change})
    simulation = Simulation(scenario, "SAFE", 2)
    for _ in range(cycles):
        simulation.step()
    return scenario, simulation._channel.predicted_links(scenario, simulation._p_hat)


def scattered(uavs: int, seed: int, spread_m: float, loud: float, **change: object) -> tuple[Scenario, Links]:
    """UAVs anywhere, some in one place, with shadowing several times the law's."""
    rng = np.random.default_rng(seed)
    scenario = Scenario().replace(**change)
    p = np.column_stack([rng.uniform(-spread_m, spread_m, (uavs, 2)), rng.uniform(5, 120, uavs)])
    p[1::7] = p[0]
    los = np.ones((uavs + 1, uavs + 1), dtype=bool)
    los[0, 1:] = los[1:, 0] = rng.random(uavs) < 0.6
    unit = loud * rng.standard_normal((uavs + 1) * uavs // 2)
    return scenario, links_at(scenario, p, los, Shadowing(unit, shadowing_spread_db(scenario, p, los)))


CASES = [
    *(flown(50, k) for k in (0, 7)),
    flown(50, 3, **{"network.routes_per_direction": 6, "network.bits_ul": 700}),
    flown(20, 3, **{"twin.link_quality": False}),
    flown(160, 2),
    *(scattered(40, seed, 150.0, 1.0) for seed in range(3)),
    *(scattered(40, seed, 2500.0, 4.0, **{"network.min_link_snr_db": -30.0}) for seed in range(3)),
    scattered(40, 3, 60.0, 6.0, **{"network.snr_offset_db": 20.0}),
    scattered(40, 4, 150.0, 2.0, **{"network.snr_offset_db": -20.0, "network.max_hops": 2}),
    scattered(40, 5, 150.0, 2.0, **{"network.max_hops": 1, "network.routes_per_direction": 1}),
    scattered(1, 6, 150.0, 1.0),
    scattered(60, 7, 150.0, 0.0),  # UAVs in one place: equal costs
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_links_worked_out_on_demand_give_the_routes_of_all_links(case: int) -> None:
    scenario, links = CASES[case]
    everything = links.all()
    width = scenario.network.routes_per_direction
    for lazy, full, direction in zip(
        find_routes(scenario, links), find_routes(scenario, everything), (UL, DL), strict=True
    ):
        for name in FIELDS:
            assert np.array_equal(getattr(lazy, name), getattr(full, name)), name
        cost = link_costs(scenario, everything, direction)
        expected = every_path(cost if direction == UL else cost.T, scenario.network.max_hops, _QUOTA[width], width)
        for i, paths in enumerate(expected):
            rows = slice(lazy.offsets[i], lazy.offsets[i + 1])
            ends = [p if direction == UL else p[::-1] for _, p in paths]
            assert [[int(x) for x in p if x >= 0] for p in lazy.nodes[rows]] == ends
            assert lazy.failure[rows].tolist() == [-np.expm1(-c) for c, _ in paths]


def test_of_equal_paths_those_through_lower_nodes_are_kept() -> None:
    """Relays 3 and 4 have the better last hop and are tried first; relay 2 ties with them by its better first hop."""
    weak, good = 8.0, 14.0
    snr = np.full((5, 5), -60.0)
    for relay, (first, last) in {2: (good, weak), 3: (weak, good), 4: (weak, good)}.items():
        snr[1, relay] = snr[relay, 1] = first
        snr[relay, 0] = snr[0, relay] = last
    no = np.zeros((5, 5), dtype=bool)
    for routes in find_routes(Scenario().replace(**{"network.max_hops": 2}), Topology(snr, no, no, ~no)):
        mine = slice(routes.offsets[0], routes.offsets[1])
        assert routes.nodes[mine, 1].tolist() == [2, 3]
        assert routes.failure[mine][0] == routes.failure[mine][1]


def test_some_links_are_those_of_all() -> None:
    _, links = scattered(30, 1, 150.0, 1.0)
    every = links.all()
    tx, rx = np.nonzero(~np.eye(31, dtype=bool))
    snr, rayleigh = links.some(tx, rx)
    assert np.array_equal(snr, every.snr_db[tx, rx])
    assert np.array_equal(rayleigh, every.rayleigh[tx, rx])


def test_what_a_link_needs_is_never_more_than_it_needs() -> None:
    """Below the SNR of a cost every link costs more; at the next point of the grid the bound is no longer far off."""
    option = RoutingOption.of(Scenario(), UL)
    snr = np.linspace(-45.0, 65.0, 2201)
    errors = np.array(
        [[table_failure(option.tables, option.block, UL, fading, x) for x in snr] for fading in (False, True)]
    ).min(axis=0)
    for cost in (1e-9, 1e-4, 0.01, 0.3, 1.0, 5.0):
        needed = needed_db(option, cost)
        assert np.all(errors[snr < needed] > min(cost, 1.0)) or cost >= 1.0
        if cost < 1.0 and (errors <= cost).any():
            assert needed > snr[errors <= cost][0] - 0.11
    assert needed_db(option, np.inf) == -np.inf


def test_no_link_loses_less_than_the_least() -> None:
    for carrier in (0.7, 2.4, 6.0):
        _, links = scattered(60, 8, 700.0, 0.0, **{"network.carrier_ghz": carrier})
        every, nodes = links.all(), links.nodes
        square = ((nodes[1:, None] - nodes[1:]) ** 2).sum(axis=-1)
        least = least_losses(carrier)
        loss = links.budget_db - every.snr_db[1:, 1:]
        assert np.all(loss >= least[np.minimum((square / 64.0).astype(int), least.size - 1)])
