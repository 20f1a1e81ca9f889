"""Fading tables against adaptive quadrature, and their use from numpy and from kernels."""

import itertools

import numpy as np
import pytest
from numba import njit
from scipy.integrate import quad
from scipy.special import i0e

from core.network import FadingTables, attempt_failure, block_of, fading_table, packet_error, table_failure
from core.network.fading import (
    DL,
    GRID_SIZE,
    GRID_START_DB,
    GRID_STEP_DB,
    RAYLEIGH,
    RICIAN,
    UL,
    gain_weights,
)
from core.scenario import Scenario


def by_quadrature(mean_snr_db: float, n: int, bits: int, k_db: float | None) -> float:
    """Mean packet error by adaptive quadrature over the gain in dB, split where the block error turns."""
    K = 0.0 if k_db is None else 10 ** (k_db / 10)

    def integrand(u: float) -> float:
        x = 10 ** (u / 10)
        root = 2 * np.sqrt(K * (1 + K) * x)
        density = (1 + K) * np.exp(root - K - (1 + K) * x) * i0e(root)
        return float(density * x * np.log(10) / 10 * packet_error(mean_snr_db + u, n, bits))

    turn = 10 * np.log10(2 ** (bits / n) - 1) - mean_snr_db
    points = sorted({-120.0, -60.0, -30.0, -10.0, turn - 2, turn - 0.5, turn, turn + 0.5, turn + 2, 10.0, 16.0})
    points = [p for p in points if -120.0 <= p <= 16.0]
    pieces = itertools.pairwise(points)
    return sum(quad(integrand, a, b, epsabs=0, epsrel=1e-10, limit=200)[0] for a, b in pieces)


@pytest.mark.parametrize("k_db", [None, 9.0, 0.0, 20.0, 30.0])
@pytest.mark.parametrize(("n", "bits"), [(600, 1600), (1200, 1600), (50, 50), (20000, 10000)])
def test_table_equals_direct_quadrature(n: int, bits: int, k_db: float | None) -> None:
    table = fading_table(n, bits, k_db)
    for snr_db in (-10.0, 0.0, 3.0, 8.0, 15.0, 30.0):
        exact = by_quadrature(snr_db, n, bits, k_db)
        at = round((snr_db - GRID_START_DB) / GRID_STEP_DB)
        assert table[at] == pytest.approx(exact, rel=1e-6, abs=1e-11)


def test_interpolation_between_grid_points() -> None:
    scenario = Scenario()
    for rayleigh, k_db in ((False, 9.0), (True, None)):
        for snr_db in (-3.333, 4.021, 7.777, 12.345, 21.018):
            exact = by_quadrature(snr_db, 900, 1600, k_db)
            assert attempt_failure(scenario, snr_db, rayleigh, 900, 1600) == pytest.approx(exact, rel=2e-3)


def test_weights_are_a_distribution_of_unit_mean() -> None:
    step = GRID_STEP_DB / 2
    for k_db in (None, -10.0, 9.0, 30.0):
        weights = gain_weights(k_db)
        gain = 10 ** ((-110.0 + step * np.arange(len(weights))) / 10)
        assert weights.sum() == pytest.approx(1.0, abs=1e-12)
        assert weights @ gain == pytest.approx(1.0, rel=1e-9)


def test_tables_never_rise_with_snr_and_fading_costs() -> None:
    bundle = FadingTables.of(Scenario())
    assert bundle.failure.shape == (3, 2, 2, GRID_SIZE)
    assert np.all(np.diff(bundle.failure, axis=-1) <= 0.0)
    np.testing.assert_allclose(bundle.failure[..., 0], 1.0, rtol=0, atol=1e-12)
    # At high SNR Rayleigh is worse than Rician, and longer blocks are never worse.
    high = slice(round((15 - GRID_START_DB) / GRID_STEP_DB), None)
    assert np.all(bundle.failure[:, :, RAYLEIGH, high] > bundle.failure[:, :, RICIAN, high])
    assert np.all(np.diff(bundle.failure, axis=0) <= 1e-15)
    np.testing.assert_array_equal(bundle.slots, [4, 6, 8])


def test_bundle_holds_payloads_by_direction_and_is_cached() -> None:
    scenario = Scenario().replace(**{"network.bits_ul": 800})
    bundle = FadingTables.of(scenario)
    assert FadingTables.of(scenario.replace(**{"network.slots": 100})) is bundle
    np.testing.assert_array_equal(bundle.failure[1, UL, RICIAN], fading_table(900, 800, 9.0))
    np.testing.assert_array_equal(bundle.failure[1, DL, RAYLEIGH], fading_table(900, 1600, None))
    with pytest.raises(ValueError, match="read-only"):
        bundle.failure[0, 0, 0, 0] = 0.5


def test_lookup_outside_the_grid() -> None:
    tables = FadingTables.of(Scenario())
    for snr_db in (-np.inf, np.nan, -40.0001):
        assert table_failure(tables, 1, DL, False, snr_db) == 1.0
    for snr_db in (60.0, 60.0001, 1e9, np.inf):
        assert table_failure(tables, 1, DL, False, snr_db) == tables.failure[1, DL, RICIAN, -1]


def test_lookup_from_a_kernel_equals_numpy() -> None:
    @njit
    def kernel(tables: FadingTables, snr: np.ndarray) -> np.ndarray:
        return np.array([table_failure(tables, 0, UL, False, x) for x in snr])

    bundle = FadingTables.of(Scenario())
    snr = np.random.default_rng(0).uniform(-45.0, 65.0, 500)
    row = bundle.failure[0, UL, RICIAN]
    inside = kernel(bundle, snr)
    grid = GRID_START_DB + GRID_STEP_DB * np.arange(row.size)
    np.testing.assert_allclose(inside, np.interp(snr, grid, row, left=1.0), rtol=1e-9, atol=1e-15)
    np.testing.assert_array_equal(inside, attempt_failure(Scenario(), snr, False, 600, 1600))


def test_blocklengths_are_found_in_any_order() -> None:
    tables = FadingTables.of(Scenario().replace(**{"network.blocklengths": (900, 600)}))
    assert [block_of(tables, n) for n in (900, 600)] == [0, 1]
    with pytest.raises(ValueError, match="not on offer"):
        block_of(tables, 750)


def test_attempt_failure_broadcasts() -> None:
    out = attempt_failure(Scenario(), np.array([[3.0], [9.0]]), np.array([True, False, True]), 600, 1600)
    assert out.shape == (2, 3)
    assert out[1, 0] == attempt_failure(Scenario(), 9.0, True, 600, 1600)
    assert np.ndim(attempt_failure(Scenario(), 9.0, True, 600, 1600)) == 0
    assert attempt_failure(Scenario(), np.empty((0, 3)), False, 600, 1600).shape == (0, 3)
