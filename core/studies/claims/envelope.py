"""Audit of the envelope in flight: is V⁺ at most ᾱV on average where a certificate says so (D9, D20)?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.control import ControlModel
from core.scenario import Scenario
from core.studies.claims.finding import Finding
from core.studies.claims.flight import Flight, Floats
from core.studies.claims.intervals import CONFIDENCE, Mean, mean_over_missions
from core.studies.claims.prediction import predicted_path
from core.studies.claims.verdict import ClaimVerdict, ceiling_verdict

LABEL = "eq:drift-bound, D9, D20"
PROMISE = "E[V⁺ | V] ≤ ᾱV + noise of certified loops, whatever their V (of the estimates)"
QUARTERS = ("lowest", "second", "third", "highest")


@dataclass(frozen=True, eq=False)
class Excess:
    """V⁺ over its envelope in the n certified cycles of one mission, all in shares of V_max.

    Args:
        V: at the start of the cycle, (n,).
        above: V⁺ > ᾱV, (n,).
        flown: V⁺ − ᾱV − X₀₀·tr Σ_proc, (n,).
        silent: the same with the V⁺ that the estimates would have without the news of telemetry (D23), (n,).
    """

    V: Floats
    above: NDArray[np.bool_]
    flown: Floats
    silent: Floats

    @classmethod
    def of(cls, scenario: Scenario, flight: Flight) -> Excess:
        """Of every cycle but the last."""
        model, certified = ControlModel.of(scenario), flight.service.certified[:-1]
        bound = flight.service.alpha_bar[:-1] * flight.V[:-1]
        noise = model.noise_term / model.V_max
        silent = [predicted_path(model, flight.motion, k, 1).V[:, 0] / model.V_max for k in range(len(bound))]
        over = flight.V[1:] - bound
        silent_over = np.reshape(silent, bound.shape) - bound
        return cls(
            V=flight.V[:-1][certified],
            above=(over > 0)[certified],
            flown=(over - noise)[certified],
            silent=silent_over[certified],
        )


def envelope_in_flight(scenario: Scenario, flown: list[Flight], *, calm: bool) -> Finding:
    """The V part of Eq. (eq:drift-bound) in the closed loop, where the reference moves and gusts blow.

    Φ certifies the homogeneous error system, so nothing promises this in flight; the audit says how far off it is. The
    bound is one on the expectation at each state, so it is judged in every quarter of V (Bonferroni).

    Args:
        scenario: control side.
        flown: the missions.
        calm: whether they were flown without gusts.
    """
    key, title = "drift-flight" + "-calm" * calm, "ᾱV bounds the mean of V⁺ in flight" + " (no gusts)" * calm
    missions = [Excess.of(scenario, f) for f in flown]
    cycles = sum(len(m.V) for m in missions)
    edges = np.quantile(np.concatenate([m.V for m in missions]), [0.25, 0.5, 0.75]) if cycles else np.zeros(3)
    quarters = [np.searchsorted(edges, m.V, side="right") for m in missions]

    def mean(column: str, quarter: int) -> Mean:
        inside = [getattr(m, column)[q == quarter] for m, q in zip(missions, quarters, strict=True)]
        return mean_over_missions(inside, 1 - (1 - CONFIDENCE) / len(QUARTERS))

    judged = {i: found for i in range(len(QUARTERS)) if np.isfinite((found := mean("flown", i)).low)}
    if not judged:
        nothing = f"no certified cycle to judge in {len(flown)} missions under SAFE"
        return Finding(key, title, LABEL, PROMISE, nothing, 0, 0, ClaimVerdict.VACUOUS)
    whole = mean_over_missions([m.flown for m in missions])
    above = mean_over_missions([m.above.astype(float) for m in missions])
    by_quarter = "; ".join(f"{QUARTERS[i]} quarter of V {_text(found)}" for i, found in judged.items())
    highest = max(judged, key=lambda i: judged[i].value)
    return Finding(
        key,
        title,
        LABEL,
        PROMISE,
        f"V⁺ > ᾱV in {above.value:.1%} [{above.low:.1%}, {above.high:.1%}] of {cycles} certified cycles of {len(flown)} "
        f"missions under SAFE; the mean excess is {whole.value:+.2%} of V_max ({by_quarter})",
        0,
        0,
        ceiling_verdict(list(judged.values())),
        "Φ certifies the homogeneous error system, without the motion of the reference, gusts (D20) and the noise of "
        f"telemetry. With neither that noise nor gusts in this cycle the {QUARTERS[highest]} quarter has "
        f"{_text(mean('silent', highest))}: the reference carries a loop that is nearer than the lag v/k back to it, whatever ᾱ says.",
        bounds=(whole.low, whole.high),
    )


def _text(mean: Mean) -> str:
    return f"{mean.value:+.2%} [{mean.low:+.2%}, {mean.high:+.2%}]"
