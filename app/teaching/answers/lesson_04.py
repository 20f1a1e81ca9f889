"""Lesson 04: the drift test and the Φ = 0 boundary."""

from __future__ import annotations

import numpy as np

from app.teaching.exercise import Exercise, Trap, add
from app.teaching.matching import number, set_of, word
from core.control import ControlModel, DriftTerm
from core.scenario import preset

SWARM = preset("teaching-swarm")
STATE = {"V_ratio": 0.3, "tr_sigma": 1.4, "c": 1}
"""State of exercises 04.1 to 04.3: V/V_max, tr Σ [m²], staleness."""
TERM_WORDS = {DriftTerm.V: "energy", DriftTerm.SIGMA: "uncertainty", DriftTerm.NOISE: "noise"}


def _phi(rho: float, g: int, formulation: str = "repaired") -> float:
    m = ControlModel.of(SWARM.replace(formulation=formulation))
    terms = m.drift(STATE["V_ratio"] * m.V_max, STATE["tr_sigma"], STATE["c"], rho, rho, g)
    return float(terms.phi) / m.V_max


def _threshold(g: int) -> float:
    return min((r for r in np.arange(1001) / 1000 if _phi(float(r), g) <= 0.0), default=1.001)


def _refusing_term() -> str:
    m = ControlModel.of(SWARM)
    term = m.drift(STATE["V_ratio"] * m.V_max, STATE["tr_sigma"], STATE["c"], 0.85, 0.85, 2).refused_by(())
    return TERM_WORDS[term] if term is not None else "none"


def _admitted_by_gate(formulation: str) -> list[int]:
    m = ControlModel.of(SWARM.replace(formulation=formulation))
    g = np.array([1, 2, 3])
    terms = m.drift(1e-4 * m.V_max, STATE["tr_sigma"], 1, 0.99, 0.99, g)
    return g[m.admitted(terms, 1, g)].tolist()


add(
    Exercise(
        "04.1",
        number(rel=0.01),
        lambda: _phi(0.95, 2),
        hint="model.drift(0.3 * model.V_max, 1.4, 1, 0.95, 0.95, 2).phi divided by model.V_max.",
        praise="Negative: in expectation this exchange takes energy away, so it may be used.",
        traps=(
            Trap(lambda: _phi(0.95, 2) * ControlModel.of(SWARM).V_max, "That is Φ in m²; divide by V_max."),
            Trap(
                lambda: _phi(0.95, 2, "paper"),
                "That is the printed formula; use the scenario's own (repaired) formulation.",
            ),
        ),
        trains="evaluating the drift bound",
    ),
    Exercise(
        "04.2",
        number(rel=0.0, absolute=0.0004),
        lambda: _threshold(2),
        hint="Evaluate Φ for ρ_ul = ρ_dl = 0, 0.001, …, 1 at g = 2 and take the first with Φ ≤ 0.",
        praise="That is one point of the black line of the boundary figure.",
        traps=(
            Trap(lambda: _threshold(2) - 0.001, "There Φ is still positive, if only just: one step more."),
            Trap(lambda: _threshold(4), "That is the threshold at g = 4: a staler certificate must be more reliable."),
        ),
        trains="reading a boundary as a root",
    ),
    Exercise(
        "04.3",
        word("energy", "uncertainty", "noise"),
        _refusing_term,
        hint="Compare v_term, sigma_term and noise_term of the drift; the largest positive one refuses.",
        praise="The error is large and the link too weak: failing would cost more than succeeding gains.",
        trains="naming the reason of a refusal",
    ),
    Exercise(
        "04.4",
        set_of("values of g"),
        lambda: _admitted_by_gate("paper"),
        hint="The printed gate asks for c_fail < g; one attempt has failed, so c_fail = 1.",
        praise="It refuses the *best* certificate (g = 1) and admits worse ones: D11 drops the gate and evaluates Φ at c* = max(c, g−1).",
        traps=(Trap(lambda: _admitted_by_gate("repaired"), "That is the repaired formulation, which has no gate."),),
        trains="spotting a condition that is not monotone",
    ),
)
