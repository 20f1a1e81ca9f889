"""Contraction factors against generalized eigenvalues, and the closure of D6."""

import numpy as np
import pytest
from scipy.linalg import eigh

from core.control import OUTCOMES, certificate_matrix, contraction_factors, mode_matrix, run_matrix
from core.control.factors import close_order, factor_library, growth_factor

SETTING = {"H": 4, "h_max": 2, "a": 0.4, "split": (0.3, 0.3, 0.4)}


@pytest.fixture(scope="module")
def X():
    return certificate_matrix(**SETTING)


def test_growth_is_the_largest_generalized_eigenvalue(X):
    rng = np.random.default_rng(1)
    M = rng.normal(size=(6, 5, 5))
    expected = [eigh(m.T @ X @ m, X, eigvals_only=True)[-1] for m in M]
    np.testing.assert_allclose(growth_factor(X, M), expected, rtol=1e-9)


@pytest.mark.parametrize("delays", [(0, 0), (0, 2), (2, 1), (2, 2)])
def test_factors_are_the_largest_over_the_delay_grid(X, delays):
    found = contraction_factors(X, **SETTING, h_ul=delays[0], h_dl=delays[1])
    grid = [(u, d) for u in range(delays[0] + 1) for d in range(delays[1] + 1)]
    H, a, split = SETTING["H"], SETTING["a"], SETTING["split"]

    def growth(M):
        return eigh(M.T @ X @ M, X, eigvals_only=True)[-1]

    for outcome in OUTCOMES:
        expected = max(growth(mode_matrix(outcome, u, d, H=H, a=a, split=split)) for u, d in grid)
        assert found.raw[outcome] == pytest.approx(expected, rel=1e-9)
    expected = [max(growth(run_matrix(j, u, d, H=H, a=a)) for u, d in grid) for j in range(1, H + 1)]
    np.testing.assert_allclose(found.run_raw, expected, rtol=1e-9)
    assert len(found.run) == H


def test_delays_default_to_the_whole_grid(X):
    assert contraction_factors(X, **SETTING).raw == contraction_factors(X, **SETTING, h_ul=2, h_dl=2).raw


def test_library_holds_the_factors_of_every_certificate(X):
    library = factor_library(X, **SETTING)
    assert set(library) == {(u, d) for u in range(3) for d in range(3)}
    for (u, d), found in library.items():
        alone = contraction_factors(X, **SETTING, h_ul=u, h_dl=d)
        assert found.raw == pytest.approx(alone.raw)
        assert found.closed == pytest.approx(alone.closed)
        np.testing.assert_allclose(found.run, alone.run)


def test_closure_raises_exactly_what_breaks_the_order():
    found = close_order(np.array([0.9, 0.8, 1.1, 1.0]), np.array([1.2, 1.5, 1.3]))
    assert found.raw == {(1, 1): 0.9, (1, 0): 0.8, (0, 1): 1.1, (0, 0): 1.0}
    assert found.closed == {(1, 1): 0.9, (1, 0): 0.9, (0, 1): 1.1, (0, 0): 1.5}
    np.testing.assert_array_equal(found.run_raw, [1.2, 1.5, 1.3])
    np.testing.assert_array_equal(found.run, [1.2, 1.5, 1.5])
    assert found.closure_changed


@pytest.mark.parametrize(
    ("modes", "runs", "changed"),
    [
        ([0.9, 1.0, 1.1, 1.5], [1.2, 1.5], False),
        ([0.9, 0.9 * (1 - 1e-12), 1.1, 1.5], [1.2, 1.5], False),  # rounding
        ([0.9, 1.0, 1.1, 1.4], [1.2, 1.5], True),
        ([0.9, 1.0, 1.1, 1.5], [1.5, 1.2], True),
    ],
)
def test_closure_reports_whether_it_changed_anything(modes, runs, changed):
    assert close_order(np.array(modes), np.array(runs)).closure_changed is changed


def test_margin_of_the_lmi_does_not_move_the_factors(X):
    scaled = contraction_factors(7.0 * X, **SETTING)
    assert scaled.raw == pytest.approx(contraction_factors(X, **SETTING).raw)
