"""Claims of the control half that do not hold as printed, each with the measured counterexample (D4, D6–D8, D11)."""

import numpy as np
import pytest

from core import Scenario
from core.control import ControlModel, certificate_matrix, contraction_factors, expected_envelope, paper_envelope


def factors_of(**setting):
    return contraction_factors(certificate_matrix(**setting), **setting)


def test_mode_order_lemma_has_a_counterexample():
    """D6: lem:mode-order claims α₁₁ ≤ α₁₀ for every X of the LMI."""
    factors = factors_of(H=2, h_max=2, a=0.2, split=(0.0, 0.5, 0.5))
    assert factors.raw[1, 1] == pytest.approx(0.9150, abs=5e-5)
    assert factors.raw[1, 0] == pytest.approx(0.9066, abs=5e-5)
    assert factors.closure_changed
    assert factors.closed[1, 0] == factors.closed[0, 1] == factors.closed[1, 1] == factors.raw[1, 1]
    assert factors.closed[0, 0] == pytest.approx(0.9150, abs=5e-5)
    assert np.all(np.diff(factors.run) >= 0)


def test_without_closure_more_delivery_can_look_worse():
    """Why D6: on those raw factors the printed envelope rises with ρ, against prop:drift-monotonicity."""
    factors = factors_of(H=2, h_max=2, a=0.2, split=(0.0, 0.5, 0.5))
    never, always = (paper_envelope(factors, rho, rho, 1) for rho in (0.0, 1.0))
    assert never < always
    never, always = (expected_envelope(factors, rho, rho, 1) for rho in (0.0, 1.0))
    assert never >= always


def test_envelope_at_least_one_is_not_implied():
    """D7: ᾱ ≥ 1 is claimed below lem:mode-order; here even losing everything contracts."""
    factors = factors_of(H=1, h_max=1, a=0.47, split=(0.2, 0.2, 0.6))
    assert factors.raw[0, 0] == pytest.approx(0.989, abs=5e-4)
    assert paper_envelope(factors, 0.0, 0.0, 5) < 1
    assert expected_envelope(factors, 0.0, 0.0, 5) < 1


def test_a_full_success_grid_hides_the_value_of_the_downlink():
    """D4: with h_max = H the certificate cannot tell a lost downlink from a delivered one."""
    full = factors_of(H=2, h_max=2, a=0.3, split=(0.2, 0.2, 0.6))
    assert full.closed[1, 0] == pytest.approx(full.closed[1, 1], rel=1e-6)
    deep = factors_of(H=4, h_max=1, a=0.3, split=(0.2, 0.2, 0.6))
    assert deep.closed[1, 0] > 1.1 * deep.closed[1, 1]


def test_printed_lyapunov_term_does_not_depend_on_delivery():
    """D8: the printed max makes ᾱ = α_(c+1) for every reliable action, so Φ refuses exactly the loops with large V."""
    paper, repaired = (ControlModel.of(Scenario(formulation=f)) for f in ("paper", "repaired"))
    rho = np.linspace(0.8, 1.0, 9)
    for c in range(3):
        printed = paper.drift(1000.0, 1.0, c, rho, rho, c + 1).alpha_bar
        assert np.ptp(printed) == 0.0
        assert printed[0] > 1.0
        assert np.all(np.diff(repaired.drift(1000.0, 1.0, c, rho, rho, c + 1).alpha_bar) < 0)
    assert repaired.drift(1000.0, 1.0, 0, 1.0, 1.0, 1).alpha_bar < 1.0


def test_printed_gate_prefers_the_weaker_certificate():
    """D11: at c = 1 the gate c < g refuses the better g = 1 and admits g = 3."""
    paper, repaired = (ControlModel.of(Scenario(formulation=f)) for f in ("paper", "repaired"))
    g = np.array([1, 2, 3])
    for model, expected in ((paper, [False, True, True]), (repaired, [True, True, True])):
        terms = model.drift(10.0, model.sigma_max, 1, 0.99, 0.99, g)
        np.testing.assert_array_equal(model.admitted(terms, 1, g), expected)
