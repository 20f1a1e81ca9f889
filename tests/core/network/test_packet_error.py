"""Finite-blocklength error against reference values and rigorous bounds."""

import csv
from pathlib import Path

import numpy as np

from core.network import packet_error

ROWS = list(csv.DictReader((Path(__file__).resolve().parents[2] / "data" / "finite_blocklength.csv").open()))


def column(key: str) -> np.ndarray:
    return np.array([float(r[key]) for r in ROWS])


def test_equals_the_reference_within_one_per_cent() -> None:
    error = packet_error(column("snr_dB"), column("n_complex"), column("k_bits"))
    np.testing.assert_allclose(error, column("eps_NA_half_log2n"), rtol=0.01)


def test_is_near_the_rigorous_bounds() -> None:
    """The approximation must not be optimistic: it stays above Shannon's 1959 lower bound."""
    error = packet_error(column("snr_dB"), column("n_complex"), column("k_bits"))
    assert np.all(error >= column("eps_lower_bound_Shannon59"))
    assert np.all(error <= 3.0 * column("eps_upper_bound_RCU_sphere"))


def test_monotone_in_snr_blocklength_and_payload() -> None:
    snr = np.linspace(-40.0, 40.0, 1601)
    for n, k in ((600, 1600), (1200, 1600), (50, 50), (20000, 10000)):
        error = packet_error(snr, n, k)
        assert np.all(np.diff(error) <= 0.0)
        assert error[0] == 1.0
    assert np.all(np.diff(packet_error(5.0, np.arange(600, 2000, 10), 1600)) <= 0.0)
    assert np.all(np.diff(packet_error(5.0, 900, np.arange(800, 2400, 10))) >= 0.0)


def test_no_signal_is_certain_failure() -> None:
    assert packet_error(-np.inf, 600, 1600) == 1.0
    assert packet_error(300.0, 600, 1600) == 0.0
