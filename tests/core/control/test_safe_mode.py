"""Local safe mode: what the onboard law does to V, and the corridor it needs (D12)."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from core import Scenario
from core.control import ControlModel, invariant_radius
from core.control.lifted import shift_matrix
from core.scenario import FORMULATIONS


def onboard_step(z, decay, push):
    """One cycle of the law on lifted errors (..., H+1, 3): e⁺ = decay·e + push, older errors move down."""
    return np.concatenate([decay * z[..., :1, :] + push[..., None, :], z[..., :-1, :]], axis=-2)


def worst_energy(X, decay, push, y):
    """max ‖A x + d‖² over ‖x‖ ≤ y by the optimality condition of a trust-region problem (independent of the S-lemma)."""
    M = shift_matrix(len(X) - 1)
    M[0, 0] = decay
    root = np.linalg.cholesky(X).T
    A, d = root @ M @ np.linalg.inv(root), root[:, 0] * push
    values, vectors = np.linalg.eigh(A.T @ A)
    b = vectors.T @ (A.T @ d)

    def excess(nu):
        return np.linalg.norm(b / (nu - values)) - y

    nu = brentq(excess, values[-1] + 1e-9, values[-1] + 1e6)
    x = b / (nu - values)
    return np.linalg.norm(A @ (vectors @ x) + d) ** 2


@pytest.fixture(scope="module")
def model():
    return ControlModel.of(Scenario())


def test_the_law_settles_at_the_lag(model):
    safe, z = model.safe_mode, np.zeros((model.H + 1, 3))
    push = np.array([0.25 * 15.0, 0.0, 0.0])
    for _ in range(80):
        z = onboard_step(z, safe.decay, push)
    assert z[0, 0] == pytest.approx(safe.lag_m) == pytest.approx(15.0 / (0.75 * model.k))
    assert model.lyapunov(z) == pytest.approx(model.V_eq)
    assert model.V_eq == pytest.approx((safe.lag_m / 30.0) ** 2 * model.V_max)
    assert model.V_eq < model.V_max


def test_the_law_keeps_the_domain_from_everywhere_at_the_defaults(model):
    """Random and adversarial states on the edge of the domain, reference moving any way at v, for many cycles."""
    rng = np.random.default_rng(5)
    z = rng.normal(size=(4000, model.H + 1, 3))
    z[:2000] *= rng.exponential(1.0, (2000, model.H + 1, 1)) ** 2
    z *= np.sqrt(model.V_max / model.lyapunov(z))[:, None, None]
    for _ in range(30):
        heading = rng.normal(size=(4000, 3))
        push = 0.25 * 15.0 * heading / np.linalg.norm(heading, axis=1, keepdims=True)
        z = onboard_step(z, model.safe_mode.decay, push)
        assert model.lyapunov(z).max() <= model.V_max


def test_invariant_radius_is_exact(model):
    """Just above it the worst state of the domain stays inside; just below it leaves."""
    safe, push = model.safe_mode, 0.25 * 15.0
    for scale, inside in ((1.001, True), (0.999, False)):
        y2 = (scale * safe.law_radius_m) ** 2 * model.X.sum()
        assert bool(worst_energy(model.X, safe.decay, push, math.sqrt(y2)) <= y2) == inside


def test_smallest_corridor_at_the_defaults(model):
    assert model.safe_mode.law_radius_m == pytest.approx(21.02, abs=0.01)
    assert model.safe_mode.hold_radius_m == pytest.approx(19.14, abs=0.01)
    assert model.safe_mode.radius_m == model.safe_mode.law_radius_m


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("sigma_proc_m", [0.15, 2.0])
def test_hold_radius_is_where_the_held_equilibrium_fills_the_domain(formulation, sigma_proc_m):
    """D12 with D9: at r_c = hold_radius_m, α_(H)·V_eq plus the noise of one cycle is V_max."""
    noisy = ControlModel.of(Scenario(formulation=formulation).replace(**{"control.sigma_proc_m": sigma_proc_m}))
    V_max = noisy.safe_mode.hold_radius_m**2 * noisy.X.sum()
    noise = noisy.X[0, 0] * 3 * sigma_proc_m**2 if formulation != "paper" else 0.0
    assert noisy.alpha_hold(1000) * noisy.V_eq + noise == pytest.approx(V_max, rel=1e-12)
    assert noisy.hold_map(noisy.V_eq, 0.0, 1000)[0] == pytest.approx(V_max, rel=1e-12)


def test_radius_grows_with_the_speed_of_the_reference(model):
    decay = model.safe_mode.decay
    assert invariant_radius(model.X, decay, 2.0) == pytest.approx(2 * invariant_radius(model.X, decay, 1.0), rel=1e-6)
    assert invariant_radius(model.X, decay, 0.0) == 0.0


def test_a_law_that_does_not_contract_has_no_radius(model):
    assert invariant_radius(model.X, 0.98, 1.0) == math.inf
    assert invariant_radius(model.X, 0.98, 0.0) == math.inf


def test_surrogate_map_relaxes_to_the_equilibrium_and_stays_in_the_domain(model):
    V, tr_sigma = model.safe_map([0.0, model.V_eq, model.V_max], [model.sigma_min, 1.0, model.sigma_max])
    np.testing.assert_allclose(V, [0.2 * model.V_eq, model.V_eq, model.V_eq + 0.8 * (model.V_max - model.V_eq)])
    np.testing.assert_allclose(tr_sigma, [model.sigma_min + model.tr_proc, 1.0 + model.tr_proc, model.sigma_max])
    assert model.domain.contains(V, tr_sigma).all()


def test_feed_forward_removes_the_lag():
    model = ControlModel.of(Scenario().replace(**{"control.feed_forward": True, "control.corridor_radius_m": 10.0}))
    assert model.V_eq == model.safe_mode.lag_m == model.safe_mode.law_radius_m == 0.0
