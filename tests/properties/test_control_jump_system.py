"""E[V⁺] ≤ ᾱV + noise on the jump linear system itself: exact over joint laws, and by Monte Carlo."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh

from core import Scenario
from core.control import OUTCOMES, ControlModel, mode_matrix, run_matrix

MODELS = (
    {},
    {"control.h_max": 2, "control.R": 0.1},
    {"control.H": 2, "control.R": 0.05, "control.w_u": 0.6, "control.w_d": 0.2},
)
unit = st.floats(0, 1)


def setting_of(scenario):
    model = ControlModel.of(scenario)
    return model, {"H": model.H, "a": model.a, "split": scenario.control.split}


def transition(outcome, u, d, c, setting):
    """What one cycle does: a failure after staleness c is M₀₀^(c+1), never M₀₀ (D8)."""
    if outcome == (0, 0):
        return run_matrix(c + 1, u, d, H=setting["H"], a=setting["a"])
    return mode_matrix(outcome, u, d, **setting)


def joint_law(ul, dl, where):
    """P(11), P(10), P(01), P(00) with these marginals; `where` runs from one Fréchet end to the other."""
    low, high = max(0.0, ul + dl - 1), min(ul, dl)
    both = low + where * (high - low)
    return np.clip([both, ul - both, dl - both, 1 - ul - dl + both], 0, 1)


def most_stretched(X, matrices, law):
    """The state (per axis) that grows most on average: top generalized eigenvector of Σ θ_ξ·M_ξᵀXM_ξ against X."""
    mean = sum(p * M.T @ X @ M for p, M in zip(law, matrices, strict=True))
    return eigh(mean, X)[1][:, -1]


def exact_mean(model, z, law, u, d, c, setting):
    after = [model.lyapunov(transition(o, u, d, c, setting) @ z) for o in OUTCOMES]
    return float(np.dot(law, after))


@st.composite
def cases(draw):
    """A certificate, a truth no worse than it (likelier delivery, shorter delays), a joint law and a state."""
    scenario = Scenario().replace(**draw(st.sampled_from(MODELS)))
    model, setting = setting_of(scenario)
    rho = draw(unit), draw(unit)
    truth = [r + draw(st.sampled_from([0.0, 0.3, 1.0])) * (1 - r) for r in rho]
    h_ul, h_dl = draw(st.integers(0, model.h_max)), draw(st.integers(0, model.h_max))
    real = draw(st.integers(0, h_ul)), draw(st.integers(0, h_dl))
    c, g = draw(st.integers(0, 6)), draw(st.integers(1, 6))
    law = joint_law(*truth, draw(st.sampled_from([0.0, 1.0, 0.37])))
    kind = draw(st.sampled_from(["random", "law", *OUTCOMES]))
    if kind == "random":
        z = np.random.default_rng(draw(st.integers(0, 10**6))).normal(size=(model.H + 1, 3))
    else:  # the state that this law, or this outcome alone, stretches most
        weights = law if kind == "law" else [float(o == kind) for o in OUTCOMES]
        matrices = [transition(o, *real, c, setting) for o in OUTCOMES]
        z = np.outer(most_stretched(model.X, matrices, weights), [0.6, 0.0, 0.8])
    return model, setting, z, law, real, c, {"rho_ul": rho[0], "rho_dl": rho[1], "g": g, "h_ul": h_ul, "h_dl": h_dl}


@given(cases())
def test_mean_growth_never_exceeds_the_envelope(case):
    """Exact expectation over the four outcomes, for every law whose marginals are at least the certified ones."""
    model, setting, z, law, real, c, certificate = case
    V = float(model.lyapunov(z))
    alpha_bar = float(model.drift(V, model.sigma_min, c, **certificate).alpha_bar)
    assert exact_mean(model, z, law, *real, c, setting) <= alpha_bar * V * (1 + 1e-9)


@pytest.mark.parametrize("c", [0, 1, 3, 7])
def test_the_envelope_is_reached(c):
    """Not vacuous: for the state that a failure stretches most, a hopeless action attains ᾱ."""
    model, setting = setting_of(Scenario())
    M = run_matrix(c + 1, 1, 1, H=setting["H"], a=setting["a"])
    z = np.outer(eigh(M.T @ model.X @ M, model.X)[1][:, -1], [1.0, 0.0, 0.0])
    V = float(model.lyapunov(z))
    alpha_bar = float(model.drift(V, model.sigma_min, c, 0.0, 0.0, 1).alpha_bar)
    assert exact_mean(model, z, joint_law(0, 0, 0), 1, 1, c, setting) == pytest.approx(alpha_bar * V, rel=1e-9)


@pytest.mark.parametrize("rho", [0.3, 0.5])
@pytest.mark.parametrize("change", MODELS)
def test_the_envelope_leaves_little_room(change, rho):
    """Not vacuous: when both directions fail together, some state grows by nearly ᾱ on average.

    That is more than the other Fréchet end, where never both are delivered and never both lost, would allow.
    """
    model, setting = setting_of(Scenario().replace(**change))
    h, c = model.h_max, model.H
    law = joint_law(rho, rho, 1.0)
    z = np.outer(most_stretched(model.X, [transition(o, h, h, c, setting) for o in OUTCOMES], law), [1.0, 0.0, 0.0])
    growth = exact_mean(model, z, law, h, h, c, setting) / float(model.lyapunov(z))
    alpha_bar = float(model.drift(1.0, model.sigma_min, c, rho, rho, 1, h, h).alpha_bar)
    assert 0.84 * alpha_bar < growth <= alpha_bar * (1 + 1e-9)
    closed, lost = model.factors[h, h].closed, float(model.alpha_hold(c))
    assert growth > rho * (closed[1, 0] + closed[0, 1]) + (1 - 2 * rho) * lost


@pytest.mark.parametrize("state", ["random", "stretched"])
@pytest.mark.parametrize("end", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_monte_carlo_of_the_jump_system(seed, end, state):
    """Sampled outcomes, delays and process noise, at both Fréchet ends, random certificates, random and worst states.

    The sampled mean of V⁺ (and of tr Σ⁺) must stay below the certified bound by the usual four standard errors.
    """
    rng = np.random.default_rng([7, seed])
    scenario = Scenario().replace(**MODELS[seed % len(MODELS)])
    model, setting = setting_of(scenario)
    rho_ul, rho_dl = rng.uniform(0.2, 1.0, 2)
    h_ul, h_dl = rng.integers(0, model.h_max + 1, 2)
    c, g, n = int(rng.integers(0, 4)), int(rng.integers(1, 5)), 20_000
    z = rng.normal(size=(model.H + 1, 3)) * rng.uniform(1, 20)
    shortest = (0, 0)
    if state == "stretched":
        shortest = (h_ul, h_dl)
        worst = [transition(o, h_ul, h_dl, c, setting) for o in OUTCOMES]
        z = np.outer(most_stretched(model.X, worst, joint_law(rho_ul, rho_dl, end)), [12.0, 0.0, 16.0])
    tr_sigma = float(rng.uniform(model.sigma_min, model.sigma_max))
    V = float(model.lyapunov(z))

    outcomes = rng.choice(4, size=n, p=joint_law(rho_ul, rho_dl, end))
    delays = rng.integers(shortest, [h_ul + 1, h_dl + 1], size=(n, 2))
    grid = np.array(
        [[[transition(o, u, d, c, setting) @ z for d in range(h_dl + 1)] for u in range(h_ul + 1)] for o in OUTCOMES]
    )
    after = grid[outcomes, delays[:, 0], delays[:, 1]].copy()
    after[:, 0, :] += rng.normal(size=(n, 3)) * scenario.control.sigma_proc_m
    V_after = model.lyapunov(after)

    terms = model.drift(V, tr_sigma, c, rho_ul, rho_dl, g, h_ul, h_dl)
    bound = float(terms.alpha_bar) * V + model.noise_term
    assert V_after.mean() <= bound + 4 * V_after.std() / np.sqrt(n)

    uplink = outcomes <= 1
    trace = np.where(uplink, model.tr_meas + delays[:, 0] * model.tr_proc, tr_sigma + model.tr_proc)
    change = model.W(V_after, trace) - model.W(V, tr_sigma)
    assert change.mean() <= float(terms.phi) + 4 * change.std() / np.sqrt(n)


def test_without_its_noise_term_the_bound_would_fail():
    """D9: at the reference the printed drift says nothing happens, while noise alone raises V."""
    model = ControlModel.of(Scenario())
    rng = np.random.default_rng(11)
    after = np.zeros((20_000, model.H + 1, 3))
    after[:, 0, :] = rng.normal(size=(20_000, 3)) * 0.15
    V_after = model.lyapunov(after)
    assert V_after.mean() == pytest.approx(model.noise_term, rel=0.05)
    assert V_after.mean() > 4 * V_after.std() / np.sqrt(20_000)
