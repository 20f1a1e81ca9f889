"""Ψ_Σ, Φ, W and the covariance step, by hand."""

import numpy as np
import pytest

from core.control import DriftTerm, DriftTerms, augmented_lyapunov, covariance_envelope, covariance_step, drift_bound

NOISE = {"tr_meas": 0.75, "tr_proc": 0.1}


def test_augmented_lyapunov():
    np.testing.assert_allclose(augmented_lyapunov([1.0, 2.0], 3.0, 0.5), [2.5, 3.5])


@pytest.mark.parametrize(
    ("tr_sigma", "rho_ul", "h_ul", "psi"),
    [
        (1.75, 0.6, 1, 0.6 * (0.75 - 1.75) + 0.1),  # a refresh helps: worst case is the fewest refreshes
        (1.75, 0.0, 1, 0.1),
        (1.75, 1.0, 1, -0.9),
        (0.75, 0.3, 1, 0.1),  # nothing to gain at the floor
        (0.80, 0.3, 3, 0.75 + 0.2 - 0.80 + 0.1),  # a refresh hurts: worst case is a certain one
    ],
)
def test_covariance_envelope(tr_sigma, rho_ul, h_ul, psi):
    assert covariance_envelope(tr_sigma, rho_ul, h_ul, **NOISE) == pytest.approx(psi)


def test_covariance_envelope_bounds_every_uplink_probability():
    tr_sigma = np.linspace(0.75, 3.0, 40)
    for h_ul in (0, 1, 3):
        for rho in (0.0, 0.4, 1.0):
            bound = covariance_envelope(tr_sigma, rho, h_ul, **NOISE)
            for p in np.linspace(rho, 1.0, 7):
                after = p * covariance_step(tr_sigma, True, h_ul, **NOISE)
                after += (1 - p) * covariance_step(tr_sigma, False, h_ul, **NOISE)
                assert np.all(after - tr_sigma <= bound + 1e-12)


def test_covariance_step():
    np.testing.assert_allclose(covariance_step([2.0, 2.0], [True, False], 2, **NOISE), [0.95, 2.1])


def test_drift_bound():
    assert drift_bound(100.0, 0.9, -0.5, lam=4.0) == pytest.approx(-10 - 2)
    assert drift_bound(100.0, 0.9, -0.5, lam=4.0, noise_term=0.7) == pytest.approx(-11.3)


def terms(v, sigma, noise):
    v, sigma = np.array(v), np.array(sigma)
    return DriftTerms(np.ones_like(v), np.zeros(v.shape, int), v, sigma, noise, v + sigma + noise)


def test_the_refusing_term_is_the_largest_one():
    t = terms([5.0, -1.0, -0.2, -9.0], [1.0, 3.0, -0.1, 2.0], 0.5)
    np.testing.assert_array_equal(t.largest()[:3], [0, 1, 2])
    assert t.refused_by(0) is DriftTerm.V
    assert t.refused_by(1) is DriftTerm.SIGMA
    assert t.refused_by(2) is DriftTerm.NOISE
    assert t.refused_by(3) is None


def test_terms_can_be_sliced():
    t = terms([5.0, -1.0, -0.2], [1.0, 3.0, -0.1], 0.5)[1:]
    np.testing.assert_allclose(t.phi, [2.5, 0.2])
    assert t.noise_term == 0.5
    assert t.refused_by(0) is DriftTerm.SIGMA
