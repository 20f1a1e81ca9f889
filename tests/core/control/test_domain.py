"""The admissible domain."""

import numpy as np

from core.control import AdmissibleDomain

X = np.array([[2.0, -0.5], [-0.5, 1.0]])
domain = AdmissibleDomain.of(X, corridor_radius_m=3.0, tr_meas=0.75, tr_proc=0.1, span_cycles=20)


def test_limits():
    assert (domain.V_max, domain.sigma_min, domain.sigma_max) == (9.0 * 2.0, 0.75, 2.75)


def test_corridor_is_the_energy_of_a_constant_error_on_its_edge():
    z = np.tile([3.0 * 0.6, 0.0, -3.0 * 0.8], (2, 1))
    assert np.isclose(np.einsum("id,ij,jd", z, X, z), domain.V_max)


def test_contains_its_edges_and_nothing_beyond():
    V = np.array([0.0, 18.0, 18.1, -0.1, 9.0, 9.0])
    tr_sigma = np.array([0.75, 2.75, 1.0, 1.0, 0.7, 2.8])
    np.testing.assert_array_equal(domain.contains(V, tr_sigma), [True, True, False, False, False, False])
    np.testing.assert_array_equal(domain.below_top(V, tr_sigma), [True, True, False, True, True, False])
