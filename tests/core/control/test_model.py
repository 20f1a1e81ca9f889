"""ControlModel: one object per control setting, both formulations."""

import numpy as np
import pytest

from core import Scenario
from core.control import ControlModel, DriftTerms, LoopStates, certificate_matrix, contraction_factors, lqr_gain
from core.errors import InfeasibleError
from core.scenario import FORMULATIONS


@pytest.fixture(scope="module", params=FORMULATIONS)
def model(request):
    return ControlModel.of(Scenario(formulation=request.param))


def states_of(model, n=200, seed=0):
    rng = np.random.default_rng(seed)
    c_fail = rng.integers(0, 5, n)
    return LoopStates(
        V=rng.uniform(0, model.V_max, n),
        tr_sigma=rng.uniform(model.sigma_min, model.sigma_max, n),
        c=c_fail + rng.integers(0, 4, n),
        c_fail=c_fail,
        safe=rng.random(n) < 0.2,
    )


def test_model_gathers_the_plain_functions(model):
    k = lqr_gain(0.25, 1.0, 0.15)
    setting = {"H": 4, "h_max": 1, "a": 0.25 * k, "split": Scenario().control.split}
    X = certificate_matrix(**setting)
    assert model.k == k
    assert model.a == 0.25 * k
    np.testing.assert_array_equal(model.X, X)
    for (u, d), found in model.factors.items():
        assert found.raw == pytest.approx(contraction_factors(X, **setting, h_ul=u, h_dl=d).raw)
    assert model.tr_meas == pytest.approx(3 * 0.5**2)
    assert model.tr_proc == pytest.approx(3 * 0.15**2)
    assert model.V_max == pytest.approx(900 * X.sum())
    assert model.sigma_min == pytest.approx(0.75)
    assert model.sigma_max == pytest.approx(0.75 + 20 * 0.0675)
    assert model.lam == pytest.approx(0.1 * model.V_max / model.sigma_max)
    assert not model.closure_changed


def test_process_noise_enters_only_when_repaired(model):
    expected = model.X[0, 0] * model.tr_proc if model.formulation != "paper" else 0.0
    assert model.noise_term == pytest.approx(expected)


def test_model_is_cached_by_what_it_depends_on():
    model = ControlModel.of(Scenario())
    assert ControlModel.of(Scenario().replace(**{"network.slots": 80, "twin.beta": 0.1, "mission.uavs": 8})) is model
    assert ControlModel.of(Scenario().replace(**{"mission.speed_mps": 14.0})) is not model
    assert ControlModel.of(Scenario().replace(**{"control.eta": 0.2})) is not model
    assert ControlModel.of(Scenario(formulation="paper")) is not model


def test_shared_matrix_cannot_be_written(model):
    with pytest.raises(ValueError, match="read-only"):
        model.X[0, 0] = 0.0


def test_lyapunov_is_the_quadratic_form_over_three_axes(model):
    z = np.random.default_rng(2).normal(size=(6, 2, model.H + 1, 3))
    full = np.kron(model.X, np.eye(3))
    expected = np.einsum("abi,ij,abj->ab", z.reshape(6, 2, -1), full, z.reshape(6, 2, -1))
    np.testing.assert_allclose(model.lyapunov(z), expected)
    assert model.lyapunov(np.tile([0.0, 30.0, 0.0], (model.H + 1, 1))) == pytest.approx(model.V_max)


def test_augmented_lyapunov_by_hand(model):
    np.testing.assert_allclose(model.W([1.0, 2.0], 3.0), [1.0 + 3.0 * model.lam, 2.0 + 3.0 * model.lam])


def test_counter_of_each_formulation(model):
    states = states_of(model)
    expected = states.c if model.formulation != "paper" else states.c_fail
    np.testing.assert_array_equal(model.counter(states), expected)


LOW_END = {
    "control.w_u": 0.7,
    "control.w_d": 0.3,
    "control.R": 0.05,
    "control.H": 6,
    "control.feed_forward": True,
    "control.corridor_radius_m": 60.0,
}
"""The uplink carries so much authority that losing it alone is as bad as losing both: one-sided losses decide."""


@pytest.mark.parametrize(
    ("change", "low_end_decides"), [({}, False), (LOW_END, True), ({"control.w_u": 0.9, "control.w_d": 0.1}, True)]
)
def test_the_envelope_is_the_worst_of_all_joint_laws_with_these_marginals(change, low_end_decides):
    """D8 against a dense grid of b = P(both directions arrive), between the ends that the marginals leave to it."""
    scenario = Scenario().replace(formulation="repaired", **change)
    model, control = ControlModel.of(scenario), scenario.control
    setting = {"H": control.H, "h_max": control.h_max, "a": model.a, "split": control.split}
    alpha = contraction_factors(model.X, **setting)
    one, other = alpha.closed[1, 0], alpha.closed[0, 1]
    for c in range(control.H + 2):
        lost = max(alpha.run[min(c, control.H - 1)], one, other)
        for ul, dl in [(0.9, 0.8), (0.6, 0.7), (0.3, 0.4), (0.5, 0.5), (0.2, 1.0), (1.0, 1.0), (0.0, 0.6)]:
            b = np.linspace(max(0.0, ul + dl - 1.0), min(ul, dl), 2001)
            mean = b * alpha.closed[1, 1] + (ul - b) * one + (dl - b) * other + (1 - ul - dl + b) * lost
            found = float(model.drift(1.0, model.sigma_min, c, ul, dl, g=1).alpha_bar)
            assert found == pytest.approx(mean.max(), rel=1e-9)
            if c == 0 and low_end_decides and min(ul, dl) > 0 and max(ul, dl) < 1:
                assert mean.argmax() == 0
                assert mean[0] > mean[-1] + 1e-5


def test_admission(model):
    V = 0.5 * model.V_max
    terms = model.drift(V, model.sigma_max, 2, 0.99, [0.99, 0.99, 0.99, 0.0], [3, 2, 0, 3])
    admitted = model.admitted(terms, 2, [3, 2, 0, 3])
    if model.formulation != "paper":
        np.testing.assert_array_equal(admitted, [True, True, False, False])  # no gate; g = 0 is no certificate
    else:
        assert not admitted.any()  # the printed V term is α_(c+1) − 1 > 0 whatever the delivery
        small = model.drift(1.0, model.sigma_max, 2, 0.99, 0.99, [3, 2])
        np.testing.assert_array_equal(model.admitted(small, 2, [3, 2]), [True, False])  # the gate c < g


def test_a_drift_of_exactly_zero_is_admitted(model):
    """Eq. (eq:safe-certificate-region) asks for Φ ≤ 0."""
    phi = np.array([-1e-12, 0.0, 1e-12])
    terms = DriftTerms(np.ones(3), np.zeros(3, int), phi, np.zeros(3), 0.0, phi)
    np.testing.assert_array_equal(model.admitted(terms, 0, 1), [True, True, False])


def test_hold_leaves_room_for_the_process_noise(model):
    """D9: V after holding is α_hold·V plus the noise, in the repaired formulation only."""
    noise = model.X[0, 0] * model.tr_proc
    one = LoopStates(
        V=(model.V_max - np.array([0.5, 1.5]) * noise) / model.alpha_hold(0),
        tr_sigma=np.full(2, model.sigma_min),
        c=np.zeros(2, int),
        c_fail=np.zeros(2, int),
        safe=np.zeros(2, bool),
    )
    expected = [False, True] if model.formulation != "paper" else [True, True]
    np.testing.assert_array_equal(model.hold_admissible(one), expected)


def test_baseline_is_the_change_of_W_under_the_maps(model):
    states = states_of(model)
    b = model.baseline(states)
    W = model.W(states.V, states.tr_sigma)
    hold = model.hold_map(states.V, states.tr_sigma, states.c)
    safe = model.safe_map(states.V, states.tr_sigma)
    np.testing.assert_allclose(b.J_hold, model.W(*hold) - W, rtol=1e-9, atol=1e-9 * model.V_max)
    np.testing.assert_allclose(b.J_safe, model.W(*safe) - W, rtol=1e-9, atol=1e-9 * model.V_max)
    np.testing.assert_array_equal(b.hold_admissible, model.domain.contains(*hold))
    np.testing.assert_array_equal(b.B, np.where(b.hold_admissible, b.J_hold, b.J_safe))
    assert 0 < b.hold_admissible.sum() < len(states)


def test_hold_factor_of_each_formulation(model):
    run = model.factors[1, 1].run
    if model.formulation != "paper":
        np.testing.assert_allclose(model.alpha_hold([0, 1, 2, 3, 50]), [*run, run[-1]])
        assert model.alpha_hold(0) < model.alpha_hold(3)
    else:
        np.testing.assert_allclose(model.alpha_hold([0, 1, 50]), run[-1])


def test_hold_becomes_admissible_again_at_the_safe_equilibrium(model):
    """The second condition of D12: however stale, a loop that has relaxed to V_eq may hold."""
    held, _ = model.hold_map(model.V_eq, model.sigma_min, 1000)
    assert held <= model.V_max


def test_infeasible_control_setting():
    scenario = Scenario().replace(**{"control.h_max": 3, "control.R": 0.01})
    for _ in range(2):  # the failure is remembered, and told every time
        with pytest.raises(InfeasibleError, match=r"raise control\.R"):
            ControlModel.of(scenario)
