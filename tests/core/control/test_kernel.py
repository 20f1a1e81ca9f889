"""The compiled drift bound against the readable functions it replaces."""

import numpy as np
import pytest

from core import Scenario
from core.control import ControlModel, covariance_envelope, drift_bound, expected_envelope, paper_envelope
from core.control.kernel import drift_kernel

CLOSURE_CHANGES = {
    "control.H": 6,
    "control.h_max": 2,
    "control.w_u": 0.4,
    "control.w_d": 0.1,
    "control.R": 0.05,
}
"""A setting where raw and closed factors differ (D6)."""


def random_pairs(model, n, seed):
    rng = np.random.default_rng(seed)
    return {
        "V": rng.uniform(0, 1.5 * model.V_max, n),
        "tr_sigma": rng.uniform(model.sigma_min, model.sigma_max, n),
        "c": rng.integers(0, model.H + 4, n),
        "rho_ul": rng.choice([0.0, 1.0, 0.3, 0.97], n) * rng.uniform(0.5, 1, n),
        "rho_dl": rng.uniform(0, 1, n),
        "g": rng.integers(1, model.H + 4, n),
        "h_ul": rng.integers(0, model.h_max + 1, n),
        "h_dl": rng.integers(0, model.h_max + 1, n),
    }


def readable(model, V, tr_sigma, c, rho_ul, rho_dl, g, h_ul, h_dl):
    factors = model.factors[int(h_ul), int(h_dl)]
    if model.formulation == "repaired":
        c_star = max(c, g - 1)
        alpha_bar = expected_envelope(factors, rho_ul, rho_dl, c_star, full=model.factors[model.h_max, model.h_max])
    else:
        c_star = c
        alpha_bar = paper_envelope(factors, rho_ul, rho_dl, c)
    psi = covariance_envelope(tr_sigma, rho_ul, h_ul, tr_meas=model.tr_meas, tr_proc=model.tr_proc)
    return c_star, alpha_bar, psi, drift_bound(V, alpha_bar, psi, lam=model.lam, noise_term=model.noise_term)


@pytest.mark.parametrize("formulation", ["repaired", "paper"])
@pytest.mark.parametrize("change", [{}, {"control.h_max": 2, "control.R": 0.2}, CLOSURE_CHANGES])
def test_kernel_equals_the_readable_functions(formulation, change):
    model = ControlModel.of(Scenario().replace(formulation=formulation, **change))
    pairs = random_pairs(model, 400, seed=3)
    terms = model.drift(**pairs)
    for i in range(400):
        c_star, alpha_bar, psi, phi = readable(model, **{k: v[i] for k, v in pairs.items()})
        assert terms.c_star[i] == c_star
        assert terms.alpha_bar[i] == pytest.approx(alpha_bar, rel=1e-12)
        assert terms.v_term[i] == pytest.approx((alpha_bar - 1) * pairs["V"][i], rel=1e-9, abs=1e-9)
        assert terms.sigma_term[i] == pytest.approx(model.lam * psi, rel=1e-9, abs=1e-9)
        assert terms.phi[i] == pytest.approx(phi, rel=1e-9, abs=1e-9)
    assert terms.noise_term == model.noise_term


def test_printed_drift_uses_the_raw_factors_where_closure_would_change_them():
    paper = ControlModel.of(Scenario(formulation="paper").replace(**CLOSURE_CHANGES))
    assert paper.closure_changed
    printed = float(paper.drift(1.0, 1.0, 0, 0.5, 0.2, 1, 2, 2).alpha_bar)
    assert printed == pytest.approx(4.1526, abs=5e-5)
    assert float(paper_envelope(paper.factors[2, 2], 0.5, 0.2, 0, closed=True)) == pytest.approx(4.1550, abs=5e-5)


def test_no_tolerance_counts_as_the_worst_staleness():
    """g = 0 stands for "no finite run meets the budget": never better than any finite g."""
    model = ControlModel.of(Scenario())
    state = {"V": 1000.0, "tr_sigma": 1.0, "c": 0, "rho_ul": 0.7, "rho_dl": 0.7}
    none, many = model.drift(**state, g=0), model.drift(**state, g=1000)
    assert none.alpha_bar == many.alpha_bar
    assert none.phi > model.drift(**state, g=1).phi


def test_scalars_grids_and_read_only_arrays_give_the_same():
    model = ControlModel.of(Scenario())
    V, rho = np.linspace(0, model.V_max, 7)[:, None], np.linspace(0, 1, 5)[None, :]
    V.setflags(write=False)
    grid = model.drift(V, 1.0, 0, rho, 0.9, 2)
    assert grid.phi.shape == grid.c_star.shape == (7, 5)
    for i in range(7):
        for j in range(5):
            assert model.drift(V[i, 0], 1.0, 0, rho[0, j], 0.9, 2).phi == grid.phi[i, j]
    strided = model.drift(np.repeat(V[:, 0], 2)[::2], 1.0, 0, 0.5, 0.9, 2)
    np.testing.assert_array_equal(strided.phi, model.drift(V[:, 0], 1.0, 0, 0.5, 0.9, 2).phi)


def test_compiling_changes_nothing():
    model = ControlModel.of(Scenario())
    pairs = random_pairs(model, 50, seed=4)
    t = model._tables
    tables = (t.success, t.lost, t.floor, True, model.tr_meas, model.tr_proc, model.lam, model.noise_term)
    for compiled, plain in zip(
        drift_kernel(*pairs.values(), *tables), drift_kernel.py_func(*pairs.values(), *tables), strict=True
    ):
        np.testing.assert_allclose(compiled, plain, rtol=1e-12, atol=1e-9)


def test_no_candidates_give_no_terms():
    terms = ControlModel.of(Scenario()).drift([], [], [], [], [], [], [], [])
    assert terms.phi.shape == (0,)
