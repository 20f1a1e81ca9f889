"""Options of one direction: slots, failures and deadline, against a plain loop."""

import itertools

import numpy as np
import pytest

from core.network import Routes, Topology, attempt_failure, direction_options, find_routes
from core.scenario import Scenario


def some_routes(scenario: Scenario, seed: int = 0, nodes: int = 9) -> tuple[Routes, Routes]:
    rng = np.random.default_rng(seed)
    snr = rng.uniform(-12.0, 16.0, (nodes, nodes))
    np.fill_diagonal(snr, -np.inf)
    rayleigh = rng.random((nodes, nodes)) < 0.3
    return find_routes(scenario, Topology(snr, rayleigh, rayleigh, ~rayleigh))


@pytest.mark.parametrize("direction", [0, 1])
def test_options_equal_a_plain_loop(direction: int) -> None:
    scenario = Scenario().replace(**{"network.bits_dl": 1200, "network.blocklengths": (600, 1000)})
    routes = some_routes(scenario)[direction]
    bits = (1600, 1200)[direction]
    margin = np.linspace(0.0, 12.0, len(routes.hops))
    options = direction_options(scenario, routes, margin)
    row = 0
    for r, n, n_re in itertools.product(range(len(routes.hops)), (600, 1000), (0, 1, 2)):
        hops = routes.hops[r]
        success = {}
        for lowered in (0.0, margin[r]):
            miss = attempt_failure(scenario, routes.snr_db[r, :hops] - lowered, routes.rayleigh[r, :hops], n, bits)
            success[lowered] = np.prod(1 - miss ** (1 + n_re))
        assert options.route[row] == r
        assert options.loop[row] == routes.loop[r]
        assert (options.n[row], options.n_re[row], options.hops[row]) == (n, n_re, hops)
        assert options.slots[row] == hops * (1 + n_re) * {600: 4, 1000: 7}[n]
        assert options.failure_nominal[row] == pytest.approx(1 - success[0.0], rel=1e-9, abs=1e-12)
        assert options.failure_worst[row] == pytest.approx(1 - success[margin[r]], rel=1e-9, abs=1e-12)
        row += 1
    assert row == len(options.loop)
    assert np.all(options.failure_worst >= options.failure_nominal)
    for i in range(len(options.offsets) - 1):
        assert np.all(options.loop[options.offsets[i] : options.offsets[i + 1]] == i)


def test_deadline_drops_long_spans() -> None:
    scenario = Scenario()
    routes, _ = some_routes(scenario)
    everything = direction_options(scenario, routes, np.zeros(len(routes.hops)))
    assert everything.slots.max() == 72
    # 40 slots of 0.55 ms meet a 22 ms deadline exactly.
    strict = direction_options(scenario.replace(**{"network.deadline_ms": 22.0}), routes, np.zeros(len(routes.hops)))
    assert strict.slots.max() == 36
    assert len(strict.slots) == np.count_nonzero(everything.slots <= 40)


@pytest.mark.parametrize("slots", [24, 36, 48])
def test_a_span_equal_to_the_deadline_is_kept(slots: int) -> None:
    routes, _ = some_routes(Scenario())
    scenario = Scenario().replace(**{"network.deadline_ms": slots * 0.55})
    assert direction_options(scenario, routes, 0.0).slots.max() == slots


def test_tiny_failures_keep_their_precision() -> None:
    routes, _ = some_routes(Scenario().replace(**{"network.max_hops": 1}), seed=5)
    high = Routes(
        routes.direction,
        routes.loop,
        routes.offsets,
        routes.nodes,
        routes.hops,
        np.where(np.isinf(routes.snr_db), np.inf, 50.0),
        routes.rayleigh,
        routes.failure,
    )
    options = direction_options(Scenario(), high, 0.0)
    best = options.failure_nominal.min()
    assert 0.0 < best < 1e-17


def test_no_routes_no_options() -> None:
    scenario = Scenario().replace(**{"network.min_link_snr_db": 20.0})
    routes, _ = some_routes(scenario)
    options = direction_options(scenario, routes, np.zeros(0))
    assert len(options.loop) == 0
    np.testing.assert_array_equal(options.offsets, np.zeros(9))
