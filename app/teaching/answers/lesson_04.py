"""Lesson 04: the drift test and the Φ = 0 boundary."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from app.teaching.coding import function
from app.teaching.exercise import Exercise, Trap, add
from app.teaching.matching import number, set_of
from core.control import ControlModel, DriftTerms
from core.scenario import preset

SWARM = preset("teaching-swarm")
STATE = {"V_ratio": 0.3, "tr_sigma": 1.4, "c": 1}
"""State of exercises 04.2 and 04.3: V/V_max, tr Σ [m²], staleness."""


def drift(V: float, tr_sigma: float, alpha_bar: float, rho_ul: float, h_ul: int, model: ControlModel) -> float:
    """What exercise 04.1 asks for."""
    delta = model.tr_meas + (h_ul - 1) * model.tr_proc - tr_sigma
    psi = model.tr_proc + (delta if delta >= 0 else rho_ul * delta)
    return (alpha_bar - 1) * V + model.lam * psi + model.noise_term


def _always_certified(
    V: float, tr_sigma: float, alpha_bar: float, rho_ul: float, h_ul: int, model: ControlModel
) -> float:
    delta = model.tr_meas + (h_ul - 1) * model.tr_proc - tr_sigma
    return (alpha_bar - 1) * V + model.lam * (model.tr_proc + rho_ul * delta) + model.noise_term


def _without_noise(V: float, tr_sigma: float, alpha_bar: float, rho_ul: float, h_ul: int, model: ControlModel) -> float:
    return drift(V, tr_sigma, alpha_bar, rho_ul, h_ul, model) - model.noise_term


def _without_weight(
    V: float, tr_sigma: float, alpha_bar: float, rho_ul: float, h_ul: int, model: ControlModel
) -> float:
    rest = (alpha_bar - 1) * V + model.noise_term
    return rest + (drift(V, tr_sigma, alpha_bar, rho_ul, h_ul, model) - rest) / model.lam


def _without_minus_one(
    V: float, tr_sigma: float, alpha_bar: float, rho_ul: float, h_ul: int, model: ControlModel
) -> float:
    return drift(V, tr_sigma, alpha_bar + 1, rho_ul, h_ul, model)


@functools.cache
def _states() -> Sequence[tuple[Any, ...]]:
    draw, model, cases = np.random.default_rng(404), ControlModel.of(SWARM), []
    for i in range(24):
        low = model.sigma_min if i % 3 else 0.5 * model.sigma_min
        high = model.sigma_max if i % 3 else model.sigma_min
        V, alpha = float(draw.uniform(0.0, 1.0) * model.V_max), float(draw.uniform(0.7, 1.4))
        cases.append((V, float(draw.uniform(low, high)), alpha, float(draw.uniform(0.5, 1.0)), i % 2, model))
    return cases


def _terms(rho: float, g: int, formulation: str = "repaired") -> tuple[DriftTerms, float]:
    m = ControlModel.of(SWARM.replace(formulation=formulation))
    return m.drift(STATE["V_ratio"] * m.V_max, STATE["tr_sigma"], STATE["c"], rho, rho, g), m.V_max


def threshold(g: int) -> float:
    """Smallest ρ in steps of 0.001 that is admitted in the exercises' state."""
    return min((r for r in np.arange(1001) / 1000 if _terms(float(r), g)[0].phi <= 0.0), default=1.001)


def _largest_term() -> float:
    terms, unit = _terms(0.85, 2)
    return max(float(terms.v_term), float(terms.sigma_term), terms.noise_term) / unit


def _phi(rho: float) -> float:
    terms, unit = _terms(rho, 2)
    return float(terms.phi) / unit


def _admitted_by_gate(formulation: str) -> list[int]:
    m = ControlModel.of(SWARM.replace(formulation=formulation))
    g = np.array([1, 2, 3])
    terms = m.drift(1e-4 * m.V_max, STATE["tr_sigma"], 1, 0.99, 0.99, g)
    return [int(index) for index in g[m.admitted(terms, 1, g)]]


add(
    Exercise(
        "04.1",
        function(
            "drift(V, tr_sigma, alpha_bar, rho_ul, h_ul, model)",
            "Φ in m²: the action may be used if it is ≤ 0",
            _states,
        ),
        lambda: drift,
        hints=(
            "Three terms: energy, uncertainty, noise. The middle one has two cases.",
            "Δ = tr_meas + h_ul·tr_proc − tr_sigma − tr_proc; Ψ = tr_proc + Δ where Δ ≥ 0, tr_proc + ρ_ul·Δ where Δ < 0; "
            "Φ = (ᾱ − 1)·V + λ·Ψ + noise.",
            "psi = model.tr_proc + max(delta, rho_ul * delta), and then (alpha_bar - 1) * V + model.lam * psi + model.noise_term.",
        ),
        praise="This is the drift test: negative, and in expectation the exchange takes energy away.",
        traps=(
            Trap(
                lambda: _always_certified,
                "Where a refresh would not help (Δ ≥ 0) it counts in full, not with ρ_ul: the worst case of a bound.",
            ),
            Trap(lambda: _without_noise, "The process noise is missing (D9): model.noise_term."),
            Trap(lambda: _without_weight, "Uncertainty counts with its weight λ_Σ: model.lam."),
            Trap(lambda: _without_minus_one, "Φ is a change: (ᾱ − 1)·V, not ᾱ·V."),
        ),
        trains="writing the drift test",
    ),
    Exercise(
        "04.2",
        number(rel=0.0, absolute=0.0004),
        lambda: threshold(2),
        hints=(
            "Let ρ grow and look where Φ changes its sign.",
            "model.drift(0.3 * model.V_max, 1.4, 1, rho, rho, 2).phi takes an array: rho = np.arange(1001) / 1000.",
            "rho[model.drift(0.3 * model.V_max, 1.4, 1, rho, rho, 2).phi <= 0].min().",
        ),
        praise="That is one point of the black line of the boundary figure.",
        traps=(
            Trap(lambda: threshold(2) - 0.001, "There Φ is still positive, if only just: one step more."),
            Trap(lambda: threshold(4), "That is the threshold at g = 4: a staler certificate must be more reliable."),
        ),
        trains="reading a boundary as a root",
    ),
    Exercise(
        "04.3",
        number(rel=0.01),
        _largest_term,
        hints=(
            "Φ is a sum of three; the largest of them is to blame.",
            "terms = model.drift(0.3 * model.V_max, 1.4, 1, 0.85, 0.85, 2) has v_term, sigma_term and noise_term.",
            "max(terms.v_term, terms.sigma_term, terms.noise_term) / model.V_max.",
        ),
        praise="It is the energy term: the error is large and the link too weak, so failing would cost more than succeeding gains.",
        traps=(
            Trap(lambda: _phi(0.85), "That is Φ, the sum; the largest of its terms is asked for."),
            Trap(lambda: _largest_term() * ControlModel.of(SWARM).V_max, "That is in m²; divide by V_max."),
        ),
        trains="naming the reason of a refusal",
    ),
    Exercise(
        "04.4",
        set_of("values of g"),
        lambda: _admitted_by_gate("paper"),
        hints=(
            "Two conditions must hold at once; the first holds for all three.",
            "The printed gate asks for c_fail < g; one attempt has failed, so c_fail = 1.",
            "Keep those of 1, 2, 3 that are larger than 1.",
        ),
        praise="It refuses the best certificate (g = 1) and admits worse ones: D11 drops the gate and evaluates Φ at c* = max(c, g−1).",
        traps=(Trap(lambda: _admitted_by_gate("repaired"), "That is the repaired formulation, which has no gate."),),
        trains="spotting a condition that is not monotone",
    ),
)
