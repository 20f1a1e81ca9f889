"""Audit of the control guarantees: mode order, ᾱ ≥ 1, drift bound, monotonicity, the gate."""

from __future__ import annotations

import numpy as np

from core.control import ContractionFactors, ControlModel, paper_envelope
from core.scenario import Scenario
from core.studies.claims.finding import ClaimVerdict, Finding, always_verdict
from core.studies.claims.jump_system import Bools, Ints, JumpSystem, joint_law

TOLERANCE = 1e-9
"""Relative rounding allowed before an inequality counts as broken."""
DRIFT_CASES = 4000
PAIRS = 20_000


def mode_order(scenario: Scenario) -> Finding:
    """lem:mode-order for the X of this control setting (D6)."""
    return order_of(ControlModel.of(scenario).factors)


def order_of(library: dict[tuple[int, int], ContractionFactors]) -> Finding:
    """lem:mode-order: α₁₁ ≤ α₁₀ ≤ α₀₀ and α₁₁ ≤ α₀₁ ≤ α₀₀, for factors by delay indices (h_ul, h_dl)."""
    broken = [
        f"α{_sub(low)} = {f.raw[low]:.4f} > α{_sub(high)} = {f.raw[high]:.4f} at h = {h}"
        for h, f in library.items()
        for low, high in (((1, 1), (1, 0)), ((1, 0), (0, 0)), ((1, 1), (0, 1)), ((0, 1), (0, 0)))
        if f.raw[low] > f.raw[high] * (1 + TOLERANCE)
    ]
    if broken:
        note = f"{broken[-1]}; D6 raises the smaller factor."
    elif any(f.closure_changed for f in library.values()):
        note = "The four outcomes are in order; D6 still raised a run-length factor."
    else:
        note = "The closure of D6 changes nothing here."
    return Finding(
        "mode-order",
        "Losing a direction never helps",
        "lem:mode-order",
        "α₁₁ ≤ α₁₀ ≤ α₀₀ and α₁₁ ≤ α₀₁ ≤ α₀₀",
        ", ".join(f"α{_sub(o)} = {v:.4f}" for o, v in library[max(library)].raw.items()),
        0,
        0,
        ClaimVerdict.VIOLATED if broken else ClaimVerdict.HOLDS,
        note,
    )


def envelope_at_least_one(scenario: Scenario) -> Finding:
    """The sentence after lem:mode-order: ᾱ(q, c) ≥ 1 for every certificate and c (D7)."""
    model = ControlModel.of(scenario)
    rho = np.linspace(0.0, 1.0, 21)
    c = np.arange(model.H + 1)
    values = np.concatenate(
        [
            paper_envelope(f, rho[:, None, None], rho[None, :, None], c[None, None, :]).ravel()
            for f in model.factors.values()
        ]
    )
    kept = int(np.sum(values >= 1 - TOLERANCE))
    return Finding(
        "envelope",
        "The envelope never promises a fall",
        "eq:robust-alpha, D7",
        "ᾱ(q, c) ≥ 1 for every certificate and failure run",
        f"smallest printed ᾱ = {values.min():.4f} over {values.size} certificates × runs",
        0,
        0,
        always_verdict(kept, int(values.size)),
        "It follows from no property of X (D7), so nothing is clamped; where it holds, Φ ≤ 0 needs Ψ_Σ < 0 (D8).",
    )


def expected_drift(scenario: Scenario, formulation: str, rng: np.random.Generator) -> Finding:
    """E[ΔW] ≤ Φ, Eq. (eq:drift-bound), exactly on the jump system, for random states, certificates and joint laws."""
    system = JumpSystem.of(scenario.replace(formulation=formulation))
    model, n = system.model, DRIFT_CASES
    z = system.random_states(n, rng)
    tr_sigma = rng.uniform(model.sigma_min, model.sigma_max, n)
    c = rng.integers(0, model.H + 2, n)
    # certificates near 1 as well as poor ones; g > c_fail as the printed gate asks
    rho_ul, rho_dl = (1.0 - 10.0 ** rng.uniform(-4, 0, n) for _ in range(2))
    g = c + 1 + rng.integers(0, 4, n)
    # ρ are lower bounds: the true marginals may be anything above them
    better = rng.random(n) < 0.5
    true_ul, true_dl = (np.where(better, r + (1 - r) * rng.random(n), r) for r in (rho_ul, rho_dl))
    law = joint_law(true_ul, true_dl, rng.integers(0, 3, n) / 2)
    change = system.expected_change(z, tr_sigma, c, law)
    phi = model.drift(model.lyapunov(z), tr_sigma, c, rho_ul, rho_dl, g, system.h, system.h).phi
    W = model.W(model.lyapunov(z), tr_sigma)
    excess = (change - phi) / W
    kept = int(np.sum(excess <= TOLERANCE))
    worst = int(np.argmax(excess))
    at = float(model.lyapunov(z[worst]) / model.V_max)
    verdict = always_verdict(kept, n)
    if verdict is ClaimVerdict.HOLDS:
        note = f"smallest slack Φ − E[ΔW] = {-excess.max():.2e}·W."
    elif formulation == "paper":
        note = f"worst at V = {at:.1e}·V_max: the printed Φ omits the process noise X₀₀·tr Σ_proc (D9)."
    else:
        note = f"worst at V = {at:.1e}·V_max."
    return Finding(
        f"drift-{formulation}",
        f"Φ bounds the drift ({formulation})",
        "eq:drift-bound",
        "E[ΔW | ζ, q] ≤ Φ(ζ, q) on the jump system",
        f"kept in {kept} of {n} random states and certificates",
        kept,
        n,
        verdict,
        note,
    )


def drift_monotone(scenario: Scenario, formulation: str, rng: np.random.Generator) -> Finding:
    """prop:drift-monotonicity: a stronger certificate never has a larger Φ at the same state."""
    model = ControlModel.of(scenario.replace(formulation=formulation))
    n, h_max = PAIRS, model.h_max
    V = model.V_max * rng.uniform(0, 1, n)
    tr_sigma = rng.uniform(model.sigma_min, model.sigma_max, n)
    c = rng.integers(0, model.H + 1, n)
    rho_weak = [rng.random(n) for _ in range(2)]
    rho_strong = [np.where(rng.random(n) < 0.5, rho + (1 - rho) * rng.random(n), rho) for rho in rho_weak]
    g_weak = c + 1 + rng.integers(0, 6, n)
    g_strong = c + 1 + rng.integers(0, g_weak - c)
    h_weak = [rng.integers(0, h_max + 1, n) for _ in range(2)]
    h_strong = [rng.integers(0, h + 1) for h in h_weak]
    phi_weak = model.drift(V, tr_sigma, c, rho_weak[0], rho_weak[1], g_weak, h_weak[0], h_weak[1]).phi
    phi_strong = model.drift(V, tr_sigma, c, rho_strong[0], rho_strong[1], g_strong, h_strong[0], h_strong[1]).phi
    scale = model.W(V, tr_sigma)
    kept = int(np.sum(phi_strong <= phi_weak + TOLERANCE * scale))
    note = "" if kept == n else "the raw factors are not in the order the proof uses (D6); the closure restores it."
    return Finding(
        f"monotone-{formulation}",
        f"Stronger certificates drift less ({formulation})",
        "prop:drift-monotonicity",
        "q ⪰ q̃ implies Φ(ζ, q) ≤ Φ(ζ, q̃) while c < g",
        f"kept in {kept} of {n} ordered pairs",
        kept,
        n,
        always_verdict(kept, n),
        note,
    )


def gate_monotone(scenario: Scenario, formulation: str, rng: np.random.Generator) -> Finding:
    """prop:frontier-sufficiency, first half: what dominates an admitted certificate is admitted; the gate c < g (D11)."""
    model = ControlModel.of(scenario.replace(formulation=formulation))
    n = PAIRS
    V = model.V_max * rng.uniform(0, 1, n)
    tr_sigma = rng.uniform(model.sigma_min, model.sigma_max, n)
    c = rng.integers(0, 4, n)
    rho_ul, rho_dl = (1.0 - 10.0 ** rng.uniform(-4, -0.5, n) for _ in range(2))
    g_weak = 1 + rng.integers(0, 6, n)
    g_strong = 1 + rng.integers(0, g_weak)
    h = model.h_max

    def admitted(g: Ints) -> Bools:
        return model.admitted(model.drift(V, tr_sigma, c, rho_ul, rho_dl, g, h, h), c, g)

    weak = admitted(g_weak)
    kept, trials = int(np.sum(weak & admitted(g_strong))), int(weak.sum())
    verdict = always_verdict(kept, trials)
    note = "" if formulation == "paper" else "No gate: Φ is read at c* = max(c, g−1) (D11)."
    if verdict is ClaimVerdict.VIOLATED:
        note = "The gate c < g refuses the smaller g: at c = 1 it refuses g = 1 and admits g = 3 (D11)."
    elif verdict is ClaimVerdict.VACUOUS:
        note = "No certificate is admitted at any state tried."
    return Finding(
        f"gate-{formulation}",
        f"Admission respects the order ({formulation})",
        "prop:frontier-sufficiency, D11",
        "q ⪰ q* and q* admitted imply q admitted",
        f"kept in {kept} of {trials} admitted certificates",
        kept,
        trials,
        verdict,
        note,
    )


def _sub(outcome: tuple[int, int]) -> str:
    return "".join("₀₁"[bit] for bit in outcome)
