"""The compiled drift bound against brute force over the laws of delivery that it is the worst of."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from core import Scenario
from core.control import OUTCOMES, ControlModel, covariance_step
from core.control.drift import (
    covariance_envelope,
    cycle_envelope,
    drift_bound,
    drift_kernel,
    mean_factor,
    opportunity_envelope,
    worst_staleness,
)
from core.scenario import FORMULATIONS

NOISE = {"tr_meas": 0.75, "tr_proc": 0.1}
MARGINALS = [(0.0, 0.0), (1.0, 1.0), (0.3, 0.4), (0.8, 0.7), (1.0, 0.2), (0.95, 0.95)]
FACTORS = [(0.9, 1.5, 0.95, 4.0), (0.9, 2.0, 1.8, 2.2), (0.92, 0.91, 0.91, 0.90)]
"""α₁₁, α₁₀, α₀₁, α₀₀: worst when both directions fail together, worst when only one fails, out of order (D6)."""
CLOSURE_CHANGES = {
    "control.H": 6,
    "control.h_max": 2,
    "control.w_u": 0.4,
    "control.w_d": 0.1,
    "control.R": 0.05,
}
"""A setting where raw and closed factors differ (D6)."""


@pytest.mark.parametrize("marginals", MARGINALS)
@pytest.mark.parametrize("factors", FACTORS)
def test_opportunity_envelope_is_the_worst_joint_law(marginals, factors):
    """A linear program over all laws θ with exactly these marginals."""
    sums = [[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0]]
    worst = -linprog(-np.array(factors), A_eq=sums, b_eq=[1, *marginals], bounds=(0, 1)).fun
    assert opportunity_envelope(*marginals, *factors) == pytest.approx(worst, abs=1e-9)


def test_mean_factor_of_independent_directions():
    ul, dl = 0.8, 0.7
    law = [ul * dl, ul * (1 - dl), (1 - ul) * dl, (1 - ul) * (1 - dl)]
    assert mean_factor(ul * dl, ul, dl, *FACTORS[0]) == pytest.approx(np.dot(law, FACTORS[0]))


def test_the_floor_lifts_the_envelope():
    below = opportunity_envelope(0.9, 0.9, *FACTORS[0])
    assert cycle_envelope(0.9, 0.9, *FACTORS[0], 0.0) == below
    assert cycle_envelope(0.9, 0.9, *FACTORS[0], below + 1.0) == below + 1.0


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


def mean_change(tr_sigma, p, h_ul, noise):
    """E[Δtr Σ] when telemetry arrives with probability p."""
    arrived, lost = (covariance_step(tr_sigma, uplink, h_ul, **noise) for uplink in (True, False))
    return p * arrived + (1 - p) * lost - tr_sigma


def test_covariance_envelope_is_the_worst_uplink_probability():
    for tr_sigma, h_ul, rho in itertools.product(np.linspace(0.75, 3.0, 40), (0, 1, 3), (0.0, 0.4, 1.0)):
        worst = max(mean_change(tr_sigma, p, h_ul, NOISE) for p in np.linspace(rho, 1.0, 7))
        assert covariance_envelope(tr_sigma, rho, h_ul, **NOISE) == pytest.approx(worst, abs=1e-12)


def test_drift_bound_by_hand():
    assert drift_bound(100.0, 0.9, -0.5, 4.0, 0.0) == pytest.approx((-10, -2, -12))
    assert drift_bound(100.0, 0.9, -0.5, 4.0, 0.7)[2] == pytest.approx(-11.3)


def test_drift_bound_takes_arrays():
    v_term, sigma_term, phi = drift_bound(np.array([100.0, 10.0]), np.array([0.9, 1.2]), -0.5, 4.0, 0.7)
    np.testing.assert_allclose(v_term, [-10, 2])
    assert sigma_term == -2
    np.testing.assert_allclose(phi, [-11.3, 0.7])


@pytest.mark.parametrize(("c", "g", "c_star"), [(0, 1, 0), (0, 3, 2), (5, 3, 5), (0, 0, 3), (7, 0, 7), (1, -1, 3)])
def test_worst_staleness(c, g, c_star):
    """With H = 4: a certificate without a tolerance allows the longest run that the factors tell apart."""
    assert worst_staleness(c, g, 4) == c_star


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


def joint_laws(ul, dl, above):
    """Laws θ over `OUTCOMES` on a grid, shape (n, 4): marginals exactly (ul, dl), or anything from there to 1."""
    laws = []
    for p, q in itertools.product(np.linspace(ul, 1, 4), np.linspace(dl, 1, 4)) if above else [(ul, dl)]:
        both = np.linspace(max(0.0, p + q - 1), min(p, q), 5)
        laws.append(np.stack([both, p - both, q - both, 1 - p - q + both], axis=1))
    return np.concatenate(laws)


def worst_growth(model, rho_ul, rho_dl, c, h_ul, h_dl):
    """ᾱ by brute force: the largest mean factor of any law on the grid, printed and repaired (D8, D10)."""
    factors, full = model.factors[h_ul, h_dl], model.factors[model.h_max, model.h_max]
    run = min(c + 1, model.H) - 1
    if model.formulation == "paper":
        mean = joint_laws(rho_ul, rho_dl, above=False) @ [factors.raw[o] for o in OUTCOMES]
        return max(mean.max(), factors.run_raw[run])
    both_lost = max(*full.run_raw[: run + 1], *(full.raw[o] for o in OUTCOMES[:3]))
    closed = [factors.raw[1, 1], *(max(factors.raw[o], factors.raw[1, 1]) for o in ((1, 0), (0, 1))), both_lost]
    return (joint_laws(rho_ul, rho_dl, above=True) @ closed).max()


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("change", [{}, {"control.h_max": 2, "control.R": 0.2}, CLOSURE_CHANGES])
def test_drift_is_the_worst_law_of_delivery(formulation, change):
    """Every column of `drift_kernel`, through `ControlModel.drift`, row by row."""
    model = ControlModel.of(Scenario().replace(formulation=formulation, **change))
    noise = {"tr_meas": model.tr_meas, "tr_proc": model.tr_proc}
    pairs = random_pairs(model, 400, seed=3)
    terms = model.drift(**pairs)
    for i in range(400):
        V, tr_sigma, c, rho_ul, rho_dl, g, h_ul, h_dl = (column[i] for column in pairs.values())
        c_star = c if formulation == "paper" else max(c, g - 1)
        alpha_bar = worst_growth(model, rho_ul, rho_dl, c_star, int(h_ul), int(h_dl))
        psi = max(mean_change(tr_sigma, p, h_ul, noise) for p in (rho_ul, 0.5 * (1 + rho_ul), 1.0))
        v_term, sigma_term = alpha_bar * V - V, model.lam * psi
        assert terms.c_star[i] == c_star
        assert terms.alpha_bar[i] == pytest.approx(alpha_bar, rel=1e-12)
        assert terms.v_term[i] == pytest.approx(v_term, rel=1e-9, abs=1e-9)
        assert terms.sigma_term[i] == pytest.approx(sigma_term, rel=1e-9, abs=1e-9)
        assert terms.phi[i] == pytest.approx(v_term + sigma_term + model.noise_term, rel=1e-9, abs=1e-9)
    assert terms.noise_term == model.noise_term


def test_rows_do_not_depend_on_their_neighbours():
    model = ControlModel.of(Scenario())
    pairs = random_pairs(model, 50, seed=4)
    together = model.drift(**pairs).phi
    alone = [model.drift(**{name: column[i] for name, column in pairs.items()}).phi for i in range(50)]
    np.testing.assert_array_equal(together, alone)


def test_the_loop_is_compiled_once():
    """Whatever comes in (scalars, grids, other models), `drift_kernel` sees the same types."""
    for formulation in FORMULATIONS:
        model = ControlModel.of(Scenario(formulation=formulation))
        model.drift(1.0, 1.0, 0, 0.5, 0.5, 1)
        model.drift(np.ones((3, 1), np.float32), 1, np.zeros(4, np.int32), 0.5, 1, 1)
    assert len(drift_kernel.signatures) == 1


def test_printed_drift_uses_the_raw_factors_where_closure_would_change_them():
    paper = ControlModel.of(Scenario(formulation="paper").replace(**CLOSURE_CHANGES))
    assert paper.closure_changed
    printed = float(paper.drift(1.0, 1.0, 0, 0.5, 0.2, 1, 2, 2).alpha_bar)
    assert printed == pytest.approx(4.1526, abs=5e-5)
    factors = paper.factors[2, 2]
    closed = cycle_envelope(0.5, 0.2, *(factors.closed[o] for o in OUTCOMES), factors.run[0])
    assert closed == pytest.approx(4.1550, abs=5e-5)


def test_no_tolerance_counts_as_the_worst_staleness():
    """g = 0 stands for "no finite run meets the budget": never better than any finite g."""
    model = ControlModel.of(Scenario())
    state = {"V": 1000.0, "tr_sigma": 1.0, "c": 0, "rho_ul": 0.7, "rho_dl": 0.7}
    none, many = model.drift(**state, g=0), model.drift(**state, g=1000)
    assert none.alpha_bar == many.alpha_bar
    assert none.phi > model.drift(**state, g=1).phi
