"""The admissible domain."""

import numpy as np
import pytest

from core.control import AdmissibleDomain
from core.scenario import quantity_of

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


@pytest.mark.parametrize("sigma_meas_m", [0.01, 0.33, 0.5, 5.0])
def test_rounding_never_costs_a_cycle_of_hold(sigma_meas_m):
    """At every slider position of σ_proc a loop just heard from may hold for n_σ cycles, and for no more."""
    q, span = quantity_of("control.sigma_proc_m"), 20
    for sigma_proc_m in np.append(q.lo + q.step * np.arange(round((q.hi - q.lo) / q.step) + 1), [0.15, 0.2]):
        tr_meas, tr_proc = 3 * sigma_meas_m**2, 3 * float(sigma_proc_m) ** 2
        top = AdmissibleDomain.of(X, corridor_radius_m=3.0, tr_meas=tr_meas, tr_proc=tr_proc, span_cycles=span)
        tr_sigma, held = tr_meas, 0
        while top.below_top(0.0, tr_sigma + tr_proc):
            tr_sigma, held = tr_sigma + tr_proc, held + 1
        assert held == span, f"σ_proc = {sigma_proc_m:g}"


def test_no_more_than_rounding_is_forgiven():
    assert domain.below_top(18.0 * (1 + 1e-14), 2.75 * (1 + 1e-14))
    assert not domain.below_top(18.0 * (1 + 1e-10), 1.0)
    assert not domain.below_top(9.0, 2.75 * (1 + 1e-10))
