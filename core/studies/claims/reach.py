"""Audit of the reach certificate (D24) in closed-loop missions: does a loop stay inside until it is reached?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.scenario import Scenario
from core.studies.claims.finding import Finding
from core.studies.claims.flight import Flight, Floats, Service
from core.studies.claims.intervals import over_missions
from core.studies.claims.verdict import ClaimVerdict, probability_verdict

HARD = 0.5
"""Largest true V/V_max of a failed cycle below which the corridor was never in danger."""
TITLE, LABEL = "A loop certified by reach stays in its corridor", "D24"


@dataclass(frozen=True)
class Wait:
    """From a certified attempt of a loop to its first success, as long as it is served in every cycle.

    Args:
        g: tolerance of the first action [opportunities].
        failures: failed attempts in a row, at most H_T.
        left_after: failures after which the true V was beyond V_max for the first time; None = never.
        served: it kept being served until the success (or H_T attempts); else the wait is judged as far as it goes.
        highest: largest true V/V_max at the end of a failed cycle, 0 without a failure [-].
    """

    g: int
    failures: int
    left_after: int | None
    served: bool
    highest: float

    @property
    def kept(self) -> bool:
        """The loop was inside until its first success, however many attempts that took."""
        return self.left_after is None

    @property
    def kept_within_tolerance(self) -> bool:
        """The loop was inside as long as no more than the g − 1 failures of the certificate had happened."""
        return self.left_after is None or self.left_after > self.g - 1


def waits(service: Service, V_true: Floats, H_T: int) -> Iterator[Wait]:
    """Every wait of one mission; after a cycle without service the next certified attempt promises anew.

    Args:
        service: who was served in the mission.
        V_true: V/V_max of the true errors at the end of each cycle, (K, N).
        H_T: horizon of the certificate [opportunities].
    """
    K, N = service.attempted.shape
    for i in range(N):
        k = 0
        while k < K:
            if not service.certified[k, i]:
                k += 1
                continue
            start, g, left = k, int(service.g[k, i]), None
            while k < K and k - start < H_T and service.attempted[k, i] and not service.delivered[k, i]:
                k += 1
                if left is None and V_true[k - 1, i] > 1.0:
                    left = k - start
            reached = k < K and k - start < H_T and bool(service.attempted[k, i] and service.delivered[k, i])
            served = reached or k - start >= H_T
            yield Wait(g, k - start, left, served, float(V_true[start:k, i].max(initial=0.0)))
            k += int(reached)


def stays_inside(scenario: Scenario, flown: list[Flight]) -> Finding:
    """D24: with probability at least 1 − δ_T the true V stays within V_max until a certified loop is reached.

    One trial per wait; the interval is Clopper–Pearson on the effective number of trials with missions as clusters.

    Args:
        scenario: horizon and budget.
        flown: missions flown with `allocation.admission = "reach"`.
    """
    H_T, delta = scenario.twin.H_T, scenario.twin.delta_T
    by_mission = [list(waits(f.service, f.V_true, H_T)) for f in flown]
    speaks = [[w for w in found if w.g <= H_T] for found in by_mission]
    kept, trials, effective = over_missions([sum(w.kept for w in found) for found in speaks], [*map(len, speaks)])
    promise = f"P(true V ≤ V_max until the first success, while served) ≥ 1 − δ_T = {1 - delta:g}"
    if trials == 0:
        measured = f"no certified attempt in {len(flown)} missions under SAFE with admission by reach"
        empty = sum(map(len, by_mission))
        note = f"{empty} waits have g > H_T: true, but empty within the horizon (D19)." if empty else ""
        return Finding("reach", TITLE, LABEL, promise, measured, 0, 0, ClaimVerdict.VACUOUS, note)
    failed = [w for found in speaks for w in found if w.failures]
    allowed = sum(not w.kept_within_tolerance for w in failed)
    highest = max((w.highest for w in failed), default=0.0)
    outside = sum(int((f.V_true > 1.0).sum()) for f in flown)
    cycles = sum(f.V_true.size for f in flown)
    return Finding(
        "reach",
        TITLE,
        LABEL,
        promise,
        f"inside in {kept} of {trials} waits over {len(flown)} missions under SAFE with admission by reach; {len(failed)} "
        f"of them saw a failure, {allowed} left within the g − 1 failures the certificate allows",
        kept,
        trials,
        probability_verdict(kept, trials, 1 - delta, effective),
        f"The largest true V after a failure was {highest:.2f}·V_max, gusts included"
        + (": these missions hardly test the promise. " if highest < HARD else ". ")
        + f"In {sum(not w.served for w in failed)} waits the loop was not served again at once and the promise "
        f"ends there; in all of these missions, served or not, V was beyond V_max in {outside} of {cycles} loop-cycles. "
        f"Waits of one mission hang together: {effective:.0f} effective trials (Korn–Graubard over missions).",
        effective,
    )
