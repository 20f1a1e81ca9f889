"""Audit of Doob's maximal inequality: from the weakest certificate that is safe, and from one that stays safe for long."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.scenario import Scenario
from core.studies.claims.finding import Finding
from core.studies.claims.jump_system import Bools, Floats, JumpSystem, joint_law, worst_direction
from core.studies.claims.verdict import ClaimVerdict, probability_verdict, worst

PATHS, CYCLES = 2000, 80
SCOUTS = 200
"""Paths that tell how long a certificate stays safe, before the paths that are counted."""
MANY_CYCLES = 5.0
"""Certified cycles per path from which on the inequality is tested beyond the first steps."""
LEVELS = (1.1, 1.5, 2.0, 3.0)
G = 2
SHARES = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 1e-3, 1e-4)
"""V₀/V_max tried, far out first: there W wanders most."""
PROMISE, LABEL = "P(sup W > η) ≤ W₀/η while the certificate is safe", "eq:drift-bound (Doob)"


def doob_bound(scenario: Scenario, formulation: str, rng: np.random.Generator) -> Finding:
    """Doob's maximal inequality after Eq. (eq:drift-bound): P(sup W > η) ≤ W₀/η while every Φ ≤ 0.

    The paths start as far out as any certificate is safe, with the weakest one that is, in the direction in which a
    lost exchange hurts most: the hardest first step, after which the certificate is usually silent.
    """
    key, title = f"doob-{formulation}", f"W rarely climbs ({formulation})"
    system = JumpSystem.of(scenario.replace(formulation=formulation))
    start = _weakest_safe_start(system)
    if start is None:
        return Finding(
            key,
            title,
            LABEL,
            PROMISE,
            "no state to start from",
            0,
            0,
            ClaimVerdict.VACUOUS,
            "Φ > 0 at every state and certificate tried.",
        )
    return _finding(key, title, start, *climb(system, *start, PATHS, rng))


def doob_bound_for_long(scenario: Scenario, formulation: str, rng: np.random.Generator) -> Finding:
    """The same inequality with the weakest certificate that stays safe over many cycles."""
    key, title = f"doob-long-{formulation}", f"W rarely climbs over many cycles ({formulation})"
    system = JumpSystem.of(scenario.replace(formulation=formulation))
    longest = 0.0
    for share in SHARES:
        for rho in np.linspace(0.9, 1.0, 21):
            lasts = climb(system, share, rho, SCOUTS, rng)[1]
            if lasts >= MANY_CYCLES:
                start = share, float(rho)
                return _finding(key, title, start, *climb(system, *start, PATHS, rng))
            longest = max(longest, lasts)
    return Finding(
        key,
        title,
        LABEL,
        PROMISE,
        f"no certificate tried stays safe for more than {longest:.1f} cycles per path",
        0,
        0,
        ClaimVerdict.VACUOUS,
        "Where ᾱ ≥ 1, Φ ≤ 0 needs Ψ_Σ < 0 (D8), and the first telemetry uses that up.",
    )


def climb(system: JumpSystem, share: float, rho: float, n: int, rng: np.random.Generator) -> tuple[Floats, float]:
    """Highest W/W₀ of n paths from V₀ = share·V_max, (n,), and certified cycles per path.

    A path stops where Φ > 0: the certificate is silent there, and a stopped supermartingale is still one.
    """
    model = system.model
    z = worst_direction(model.X, system.runs[0])[None, :, None] * rng.normal(size=(n, 1, 3))
    z *= np.sqrt(share * model.V_max / model.lyapunov(z))[:, None, None]
    tr_sigma, c = np.full(n, model.sigma_max), np.zeros(n, dtype=np.int64)
    W0 = model.W(model.lyapunov(z), tr_sigma)
    highest, running, certified = W0, np.ones(n, dtype=np.bool_), 0
    law = joint_law(np.full(n, rho), np.full(n, rho), np.full(n, 0.5))
    for _ in range(CYCLES):
        running &= model.drift(model.lyapunov(z), tr_sigma, c, rho, rho, G, system.h, system.h).phi <= 0
        if not running.any():
            break
        certified += int(running.sum())
        step = system.step(z, tr_sigma, c, law, rng)
        z, tr_sigma, c = (_keep(running, new, old) for new, old in zip(step, (z, tr_sigma, c), strict=True))
        highest = np.maximum(highest, model.W(model.lyapunov(z), tr_sigma))
    return highest / W0, certified / n


def _finding(key: str, title: str, start: tuple[float, float], highest: Floats, certified: float) -> Finding:
    n = len(highest)
    kept = {level: int(np.sum(highest <= level)) for level in LEVELS}
    verdicts = [probability_verdict(k, n, 1 - 1 / level) for level, k in kept.items()]
    # the level whose measured probability comes nearest to its bound
    shown = max(LEVELS, key=lambda level: (1 - kept[level] / n) * level)
    return Finding(
        key,
        title,
        LABEL,
        PROMISE,
        "; ".join(f"P(sup W > {level:g} W₀) = {1 - k / n:.3f} against {1 / level:.3f}" for level, k in kept.items()),
        kept[shown],
        n,
        worst(verdicts),
        f"from V₀ = {start[0]:g}·V_max with ρ = {start[1]:.3f}, g = {G}: {certified:.1f} certified cycles per path; "
        f"the interval is that of η = {shown:g} W₀.",
    )


def _weakest_safe_start(system: JumpSystem) -> tuple[float, float] | None:
    """Largest V₀/V_max at which some ρ is admitted, and the smallest such ρ; None when there is none."""
    model, rho = system.model, np.linspace(0.0, 1.0, 1001)
    for share in SHARES:
        phi = model.drift(share * model.V_max, model.sigma_max, 0, rho, rho, G, system.h, system.h).phi
        if (phi <= 0).any():
            return share, float(rho[np.argmax(phi <= 0)])
    return None


def _keep(running: Bools, new: NDArray[Any], old: NDArray[Any]) -> NDArray[Any]:
    return np.where(running.reshape(-1, *[1] * (new.ndim - 1)), new, old)
