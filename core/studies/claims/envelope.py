"""Audit of the envelope in flight: is V⁺ at most ᾱV on average where a certificate says so (D9, D20)?"""

from __future__ import annotations

import numpy as np

from core.control import ControlModel
from core.scenario import Scenario
from core.simulation import Phase
from core.studies.claims.finding import Finding
from core.studies.claims.flight import Flight, Floats
from core.studies.claims.intervals import CONFIDENCE, Mean, mean_over_missions
from core.studies.claims.verdict import ClaimVerdict, ceiling_verdict

LABEL = "eq:drift-bound, D9, D20"
PROMISE = "E[V⁺] ≤ ᾱV (+ noise) in every phase of the mission, V of the estimates, certified loops"


def envelope_in_flight(scenario: Scenario, flown: list[Flight], *, calm: bool) -> Finding:
    """The V part of Eq. (eq:drift-bound) in the closed loop, where the reference moves and gusts blow.

    Φ certifies the homogeneous error system, so nothing promises this in flight; the audit says how far off it is.
    The phase is part of the plan, so a bound on the expectation has to hold in each; the intervals share the error
    probability (Bonferroni).

    Args:
        scenario: gives the noise term.
        flown: the missions.
        calm: whether they were flown without gusts.
    """
    noise = ControlModel.of(scenario).noise_term / ControlModel.of(scenario).V_max
    excess = [_excess(f) - noise for f in flown]
    certified = [f.service.certified[:-1] for f in flown]
    key, title = "drift-flight" + "-calm" * calm, "ᾱV bounds the mean of V⁺ in flight" + " (no gusts)" * calm
    whole = mean_over_missions([x[c] for x, c in zip(excess, certified, strict=True)])
    confidence = 1 - (1 - CONFIDENCE) / len(Phase)
    phases: dict[Phase, Mean] = {}
    for phase in Phase:
        inside = [x[c & (f.phase[:-1] == phase)] for x, c, f in zip(excess, certified, flown, strict=True)]
        mean = mean_over_missions(inside, confidence)
        if np.isfinite(mean.low):
            phases[phase] = mean
    if not phases:
        nothing = f"no certified cycle in {len(flown)} missions under SAFE"
        return Finding(key, title, LABEL, PROMISE, nothing, 0, 0, ClaimVerdict.VACUOUS)
    above = mean_over_missions([(x[c] > -noise).astype(float) for x, c in zip(excess, certified, strict=True)])
    by_phase = "; ".join(f"{p.name.lower()} {m.value:+.2%} [{m.low:+.2%}, {m.high:+.2%}]" for p, m in phases.items())
    cycles = sum(int(c.sum()) for c in certified)
    return Finding(
        key,
        title,
        LABEL,
        PROMISE,
        f"V⁺ − ᾱV is {whole.value:+.2%} of V_max on average over {cycles} certified cycles of {len(flown)} missions "
        f"({by_phase}); V⁺ > ᾱV in {above.value:.1%} [{above.low:.1%}, {above.high:.1%}] of them",
        0,
        0,
        ceiling_verdict(list(phases.values())),
        "Φ certifies the homogeneous error system: the motion of the reference"
        + (" is not in it (D20)." if calm else " and gusts are not in it (D20).")
        + " It carries a loop that is nearer than the lag v/k back to it, whatever ᾱ says.",
        bounds=(whole.low, whole.high),
    )


def _excess(flight: Flight) -> Floats:
    """V⁺ − ᾱV of every cycle but the last, nan without service, (K−1, N) [V_max]."""
    excess: Floats = flight.V[1:] - flight.service.alpha_bar[:-1] * flight.V[:-1]
    return excess
