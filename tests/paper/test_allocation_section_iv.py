"""Section IV as printed: what its statements say on small cases, and where they fail."""

import numpy as np
import pytest

from core.allocation import certified_frontier, coordinates, dominates, solve_knapsack
from core.allocation.frontier import SIGN
from core.control import ControlModel
from core.scenario import Scenario


@pytest.fixture(scope="module")
def repaired():
    return ControlModel.of(Scenario())


@pytest.fixture(scope="module")
def paper():
    return ControlModel.of(Scenario().replace(formulation="paper"))


def random_certificates(rng, n):
    """(rho_ul, rho_dl, g) of n actions."""
    return rng.uniform(0.3, 1.0, n), rng.uniform(0.3, 1.0, n), rng.integers(1, 6, n)


def test_recurrence_by_hand():
    """eq:p2-dp-recurrence on two loops: F_1 = 0 0 3 3 5 5, F_2 adds (4, 3 slots)."""
    found = solve_knapsack([[3.0, 5.0], [4.0]], [[2, 4], [3]], 5)
    assert found.curve.tolist() == [0.0, 0.0, 3.0, 4.0, 5.0, 7.0]
    assert found.choice.tolist() == [0, 0]


@pytest.mark.parametrize("model", ["repaired", "paper"])
def test_stronger_certificates_never_have_larger_drift_at_fixed_counter(model, request):
    """prop:drift-monotonicity, on which prop:frontier-sufficiency rests (default setting: the mode order holds)."""
    model = request.getfixturevalue(model)
    rng = np.random.default_rng(0)
    for _ in range(200):
        V, c = rng.uniform(0, model.V_max), int(rng.integers(0, 5))
        sigma = model.tr_meas + rng.uniform(0, 1)
        ul, dl, g = (x[0] for x in random_certificates(rng, 1))
        better_ul, better_dl = ul + (1 - ul) * rng.random(), dl + (1 - dl) * rng.random()
        better_g = int(rng.integers(1, g + 1))
        weak = model.drift(V, sigma, c, ul, dl, g).phi
        strong = model.drift(V, sigma, c, better_ul, better_dl, better_g).phi
        assert strong <= weak + 1e-9 * model.V_max


def test_frontier_sufficiency_holds_without_the_gate(repaired):
    """prop:frontier-sufficiency, repaired (D11): a dominator of an admitted action is admitted and worth no less."""
    rng = np.random.default_rng(1)
    for _ in range(100):
        ul, dl, g = random_certificates(rng, 30)
        slots = rng.integers(2, 9, 30)
        V, sigma, c = rng.uniform(0, repaired.V_max), repaired.tr_meas + rng.uniform(0, 1), int(rng.integers(0, 5))
        terms = repaired.drift(V, sigma, c, ul, dl, g)
        admitted = repaired.admitted(terms, c, g)
        q = np.column_stack([np.ones(30), np.ones(30), g, ul, dl, slots])
        above = dominates(q[:, None, :], q[None, :, :])
        i, j = np.nonzero(above)
        assert np.all(terms.phi[i] <= terms.phi[j] + 1e-9 * repaired.V_max)
        assert np.all(admitted[i] | ~admitted[j])


def test_the_printed_gate_refuses_the_stronger_certificate(paper):
    """D11: at c_fail = 1 the gate c < g refuses g = 1 and admits g = 3, which g = 1 dominates."""
    V, sigma = 1e-3 * paper.V_max, paper.tr_meas + 10 * paper.tr_proc
    g = np.array([1, 3])
    terms = paper.drift(V, sigma, 1, 1.0, 1.0, g)
    assert terms.phi[0] <= terms.phi[1] <= 0.0
    assert paper.admitted(terms, 1, g).tolist() == [False, True]
    q = np.column_stack([[1, 1], [1, 1], 0.25 * g, [1, 1], [1, 1]])
    assert certified_frontier(q, [4, 4]).tolist() == [True, False]  # before the gate: only the refused one is left


def test_printed_value_ignores_delivery_of_a_stale_loop(paper, repaired):
    """D8: at saturated staleness the printed V term is the same for a perfect and for a hopeless link."""
    V, sigma, c = 0.05 * paper.V_max, paper.tr_meas + paper.tr_proc, 4
    printed = paper.drift(V, sigma, c, np.array([0.0, 0.999]), np.array([0.0, 0.999]), 5).v_term
    assert printed[0] == printed[1]
    fixed = repaired.drift(V, sigma, c, np.array([0.0, 0.999]), np.array([0.0, 0.999]), 5).v_term
    assert fixed[1] < 0 < fixed[0]


def test_trying_without_a_chance_is_worth_exactly_holding(repaired):
    """D10: for a hold-admissible loop an action with ρ = 0 at the same staleness has U = 0, so it is never bought."""
    for c in range(6):
        V, sigma = 0.05 * repaired.V_max, repaired.tr_meas + repaired.tr_proc
        phi = float(repaired.drift(V, sigma, c, 0.0, 0.0, 1).phi)
        J_hold = (float(repaired.alpha_hold(c)) - 1) * V + repaired.lam * repaired.tr_proc + repaired.noise_term
        assert J_hold - phi == 0.0
        assert solve_knapsack([[J_hold - phi]], [[1]], 10).choice.tolist() == [-1]


def test_points_below_the_envelope_of_cost_and_value_stay_on_the_frontier():
    """ "Points below the two-dimensional upper envelope may still be valid when their certificates are incomparable."""
    q = np.array([[10.0, 10.0, 0.5, 0.95, 0.95], [5.0, 20.0, 0.5, 0.90, 0.96]])
    U, slots = np.array([9.0, 7.0]), np.array([8, 8])
    assert certified_frontier(q, slots).all()
    assert U[1] < U[0]


def test_coordinates_are_the_five_of_the_certificate_and_the_cost():
    class Two:
        loop = np.array([0, 0])
        D_ul, D_dl, T_cert = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([0.25, 0.5])
        rho_ul, rho_dl, slots = np.array([0.9, 0.8]), np.array([0.7, 0.6]), np.array([8, 12])

    assert coordinates(Two).tolist() == [[1.0, 3.0, 0.25, 0.9, 0.7, 8.0], [2.0, 4.0, 0.5, 0.8, 0.6, 12.0]]
    assert SIGN.tolist() == [1, 1, 1, -1, -1, 1]
