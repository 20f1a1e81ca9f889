"""Φ behaves as prop:drift-monotonicity claims once the factors are closed (D6), at c* (D11), over many settings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import Scenario
from core.control import OUTCOMES, ControlModel, LoopStates, expected_envelope
from core.control.drift import cycle_envelope
from core.control.factors import close_order

SETTINGS = (
    {},
    {"control.h_max": 2, "control.R": 0.1},
    {"control.H": 3, "control.h_max": 2, "control.w_u": 0.5, "control.w_d": 0.5, "control.kappa": 1.0},
    {"control.H": 2, "control.R": 0.05, "control.w_u": 0.6, "control.w_d": 0.2},
    {"control.H": 6, "control.h_max": 3, "control.kappa": 1.0, "control.corridor_radius_m": 90.0},
)
ROUNDING = 1e-12

unit = st.floats(0, 1)
staleness = st.integers(0, 9)


@st.composite
def factor_sets(draw):
    """Any factors at all, ordered or not: the closure must repair them."""
    H = draw(st.integers(1, 5))
    value = st.floats(0.5, 5)
    return close_order(
        np.array(draw(st.lists(value, min_size=4, max_size=4))), np.array(draw(st.lists(value, min_size=H, max_size=H)))
    )


@st.composite
def pairs(draw):
    """A model, a state in its domain and a certificate."""
    model = ControlModel.of(Scenario().replace(**draw(st.sampled_from(SETTINGS))))
    delay = st.integers(0, model.h_max)
    state = {
        "V": draw(unit) * model.V_max,
        "tr_sigma": model.sigma_min + draw(unit) * (model.sigma_max - model.sigma_min),
        "c": draw(staleness),
    }
    certificate = {
        "rho_ul": draw(unit),
        "rho_dl": draw(unit),
        "g": draw(st.integers(1, 9)),
        "h_ul": draw(delay),
        "h_dl": draw(delay),
    }
    return model, state, certificate


@given(pairs(), st.data())
def test_a_stronger_certificate_never_has_a_larger_drift(pair, data):
    """One coordinate after the other: shorter delays, smaller tolerance, likelier delivery."""
    model, state, weak = pair
    scale = model.V_max * (1 + model.lam)
    phi = model.drift(**state, **weak).phi
    for name in ("h_ul", "h_dl", "g", "rho_ul", "rho_dl"):
        if name.startswith("rho"):
            better = weak[name] + data.draw(unit) * (1 - weak[name])
        else:
            better = data.draw(st.integers(1 if name == "g" else 0, weak[name]))
        assert model.drift(**state, **{**weak, name: better}).phi <= phi + ROUNDING * scale


@given(pairs())
def test_drift_never_falls_with_the_tolerance(pair):
    """D11: through c* = max(c, g − 1), Φ is nondecreasing in T_cert; "none exists" is the worst of all."""
    model, state, certificate = pair
    phi = model.drift(**state, **{**certificate, "g": np.append(np.arange(1, 15), 0)}).phi
    assert np.all(np.diff(phi) >= 0)


@given(pairs())
def test_drift_never_falls_with_staleness(pair):
    model, state, certificate = pair
    assert np.all(np.diff(model.drift(**{**state, "c": np.arange(12)}, **certificate).phi) >= 0)


@given(factor_sets(), unit, unit, staleness)
def test_repaired_envelope_is_below_the_printed_one(factors, rho_ul, rho_dl, c):
    """At equal c and with both on closed factors."""
    repaired = expected_envelope(factors, rho_ul, rho_dl, c)
    run = factors.run[min(c, len(factors.run) - 1)]
    printed = cycle_envelope(rho_ul, rho_dl, *(factors.closed[outcome] for outcome in OUTCOMES), run)
    assert repaired <= printed * (1 + ROUNDING)


@given(factor_sets(), unit, unit, unit, unit, staleness)
def test_repaired_envelope_falls_with_delivery_for_any_factors(factors, ul, dl, more_ul, more_dl, c):
    better = expected_envelope(factors, ul + more_ul * (1 - ul), dl + more_dl * (1 - dl), c)
    assert better <= expected_envelope(factors, ul, dl, c) * (1 + ROUNDING)


@given(factor_sets())
def test_closed_factors_are_ordered_and_never_below_the_raw_ones(factors):
    c = factors.closed
    assert c[1, 1] <= min(c[1, 0], c[0, 1])
    assert max(c[1, 0], c[0, 1], factors.run.max()) <= c[0, 0]
    assert np.all(np.diff(factors.run) >= 0)
    assert all(c[outcome] >= factors.raw[outcome] for outcome in c)
    assert np.all(factors.run >= factors.run_raw)
    assert c[1, 1] == factors.raw[1, 1]


def one_state(V, tr_sigma, c):
    return LoopStates(np.array([V]), np.array([tr_sigma]), np.array([c]), np.array([c]), np.array([False]))


@given(pairs())
def test_an_action_that_never_delivers_is_worth_exactly_nothing(pair):
    """D10: at the same c, whatever the delays, U = B − Φ = 0 to the last bit, for hold-admissible loops.

    The refresh must not hurt (Δ_Σ ≤ 0): below the covariance that late telemetry leaves, Ψ_Σ charges for p = 1.
    """
    model, state, certificate = pair
    state["tr_sigma"] = max(state["tr_sigma"], model.sigma_min + (model.h_max - 1) * model.tr_proc)
    baseline = model.baseline(one_state(**state))
    worthless = {"rho_ul": 0.0, "rho_dl": 0.0, "h_ul": certificate["h_ul"], "h_dl": certificate["h_dl"]}
    same_c = model.drift(**state, **worthless, g=np.arange(1, state["c"] + 2)).phi
    assert np.all(baseline.J_hold - same_c == 0.0)
    if baseline.hold_admissible[0]:
        assert np.all(baseline.B - same_c == 0.0)
    assert np.all(baseline.J_hold - model.drift(**state, **worthless, g=np.arange(1, 12)).phi <= 0.0)


def test_a_worthless_action_with_short_delays_costs_what_holding_costs():
    """D10 where the delay grid has more than one cycle: on its own delays this action was worth 1.15·V."""
    model = ControlModel.of(Scenario().replace(**{"control.h_max": 2}))
    state = {"V": 0.2 * model.V_max, "tr_sigma": model.sigma_max, "c": 0}
    baseline = model.baseline(one_state(**state))
    for h in range(3):
        terms = model.drift(**state, rho_ul=0.0, rho_dl=0.0, g=1, h_ul=h, h_dl=h)
        assert terms.alpha_bar == model.alpha_hold(0)
        assert baseline.J_hold[0] - terms.phi == 0.0


def test_with_the_printed_hold_factor_worthless_actions_look_useful():
    """Why D10: α_(1) < α_(H) makes a transmission that cannot arrive beat the constant printed for holding."""
    model, paper = ControlModel.of(Scenario()), ControlModel.of(Scenario(formulation="paper"))
    failed = model.drift(1000.0, model.sigma_max, 0, 0.0, 0.0, 1).phi
    printed_hold = (paper.alpha_hold(0) - 1) * 1000.0 + model.lam * model.tr_proc + model.noise_term
    assert printed_hold - failed > 1000.0


@pytest.mark.parametrize("setting", SETTINGS)
def test_printed_drift_ignores_the_tolerance(setting):
    """D11: at fixed c the printed Φ does not depend on g at all."""
    model = ControlModel.of(Scenario(formulation="paper").replace(**setting))
    phi = model.drift(0.3 * model.V_max, model.sigma_max, 1, 0.8, 0.9, np.arange(1, 15)).phi
    assert np.ptp(phi) == 0.0
