"""Link budget, obstacle and line-of-sight classes of the topology, against the formulas in plain Python."""

import numpy as np
import plain_links
import pytest

from core.network import Shadowing, draw_los, noise_dbm, topology, uma_av_los_probability
from core.network.pairs import PairTable, symmetric
from core.scenario import Scenario


def swarm(n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.uniform(-60, 60, (n, 2)), rng.uniform(60, 110, n)])


@pytest.mark.parametrize("height", [0.0, 60.0, 90.0])
def test_topology_equals_the_formulas_one_link_at_a_time(height: float) -> None:
    scenario = Scenario().replace(
        **{"mission.building_height_m": height, "network.snr_offset_db": 2.5, "network.carrier_ghz": 3.5}
    )
    positions = swarm(14) - [0.0, 0.0, 20.0]
    los = np.ones((15, 15), dtype=bool)
    los[0, 3:9] = los[3:9, 0] = False
    t = topology(scenario, positions, los)
    snr, blocked = plain_links.links(scenario, positions, los)
    np.testing.assert_allclose(t.snr_db, snr, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(t.blocked, blocked)
    np.testing.assert_array_equal(t.los, los)
    np.testing.assert_array_equal(t.rayleigh, blocked | ~los)
    assert blocked.any() == (height > 0)


def test_noise_of_the_default_radio() -> None:
    assert noise_dbm(Scenario()) == pytest.approx(-174.0 + 56.9897 + 9.0, abs=1e-4)


def test_snr_offset_shifts_every_link_and_nothing_else() -> None:
    positions, los = swarm(10), np.ones((11, 11), dtype=bool)
    plain = topology(Scenario(), positions, los)
    moved = topology(Scenario().replace(**{"network.snr_offset_db": -6.0}), positions, los)
    off = ~np.eye(11, dtype=bool)
    np.testing.assert_allclose(moved.snr_db[off], plain.snr_db[off] - 6.0)
    np.testing.assert_array_equal(moved.rayleigh, plain.rayleigh)


def test_shadowing_is_added_per_link() -> None:
    positions, los = swarm(6), np.ones((7, 7), dtype=bool)
    unit = np.random.default_rng(1).normal(0, 1, 21)
    shadowing = Shadowing(unit, PairTable.constant(7, 3.0))
    plain, shadowed = topology(Scenario(), positions, los), topology(Scenario(), positions, los, shadowing)
    off = ~np.eye(7, dtype=bool)
    np.testing.assert_allclose(shadowed.snr_db[off], (plain.snr_db + symmetric(3.0 * unit, 7))[off])
    assert np.all(np.isneginf(np.diag(shadowed.snr_db)))


def test_coincident_and_single_uavs() -> None:
    los = np.ones((3, 3), dtype=bool)
    t = topology(Scenario(), np.array([[0.0, 50.0, 80.0]] * 2), los)
    assert np.isfinite(t.snr_db[1, 2])
    one = topology(Scenario(), np.array([[0.0, 50.0, 80.0]]), los[:2, :2])
    assert one.snr_db.shape == (2, 2)


def test_draw_los_follows_the_law() -> None:
    scenario = Scenario()
    near, far = np.array([-200.0, 0.0, 70.0]), np.array([800.0, 400.0, 70.0])
    positions = np.vstack([np.tile(near, (4000, 1)), np.tile(far, (4000, 1)), np.tile([800.0, 400.0, 101.0], (500, 1))])
    los = draw_los(scenario, positions[::1], np.random.default_rng(5))
    np.testing.assert_array_equal(los[0], los[:, 0])
    assert los[1:, 1:].all()
    for rows, position in ((slice(1, 4001), near), (slice(4001, 8001), far)):
        d2d = np.hypot(position[0] + 330.0, position[1])
        p = uma_av_los_probability(d2d, 70.0)
        assert abs(los[0, rows].mean() - p) < 4 * np.sqrt(max(p * (1 - p), 1e-4) / 4000)
    assert los[0, 8001:].all()


def test_draw_los_is_reproducible() -> None:
    a = draw_los(Scenario(), swarm(40), np.random.default_rng(9))
    b = draw_los(Scenario(), swarm(40), np.random.default_rng(9))
    np.testing.assert_array_equal(a, b)
