"""Audit of the interaction interval in closed-loop missions: windows of attempts, each judged by one certificate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.scenario import Scenario
from core.studies.claims.finding import Finding
from core.studies.claims.flight import Bools, Service
from core.studies.claims.intervals import over_missions
from core.studies.claims.verdict import ClaimVerdict, probability_verdict


@dataclass(frozen=True)
class Window:
    """H_T attempts of one loop, beginning with a certified one.

    Args:
        g: tolerance of the first action; it judges the whole window [opportunities].
        longest: longest run of failed attempts in the window [opportunities].
        uncertified: attempts of the window without a certificate.
    """

    g: int
    longest: int
    uncertified: int

    @property
    def kept(self) -> bool:
        """(longest run + 1)·T_s ≤ g·T_s, the interval of D19."""
        return self.longest < self.g


def windows(service: Service, H_T: int) -> Iterator[Window]:
    """Complete windows of every loop on the opportunity clock (D19), one after the other without overlap."""
    for i in range(service.attempted.shape[1]):
        attempts = np.flatnonzero(service.attempted[:, i])
        certified, failed = service.certified[attempts, i], ~service.delivered[attempts, i]
        start = 0
        while start + H_T <= len(attempts):
            if not certified[start]:
                start += 1
                continue
            here = slice(start, start + H_T)
            yield Window(int(service.g[attempts[start], i]), _longest_run(failed[here]), int(np.sum(~certified[here])))
            start += H_T


def interaction_in_flight(scenario: Scenario, missions: list[Service]) -> Finding:
    """prop:finite-horizon-interaction-reliability in the closed loop: no run of g failures within H_T attempts.

    One trial per window; g is fixed at its first certified action. Windows of one mission share its shadowing, so the
    interval is Clopper–Pearson on the effective number of trials (Korn and Graubard 1998) with missions as clusters.
    """
    H_T, delta = scenario.twin.H_T, scenario.twin.delta_T
    by_mission = [list(windows(service, H_T)) for service in missions]
    speaks = [[w for w in found if w.g <= H_T] for found in by_mission]
    kept, trials, effective = over_missions([sum(w.kept for w in found) for found in speaks], [*map(len, speaks)])
    title, label = "The interaction interval is kept in flight", "prop:finite-horizon-interaction-reliability"
    promise = f"P(interval ≤ g·T_s over H_T = {H_T} attempts) ≥ 1 − δ_T = {1 - delta:g}"
    if trials == 0:
        empty = sum(map(len, by_mission))
        note = (
            f"{empty} windows have g > H_T: true, but empty within the horizon (D19)."
            if empty
            else f"No loop makes {H_T} attempts from a certified one on; a longer mission or a smaller H_T would tell."
        )
        measured = f"no window of {H_T} attempts to judge in {len(missions)} missions under SAFE"
        return Finding("interaction", title, label, promise, measured, 0, 0, ClaimVerdict.VACUOUS, note)
    uncertified = sum(w.uncertified > 0 for found in speaks for w in found)
    return Finding(
        "interaction",
        title,
        label,
        promise,
        f"kept in {kept} of {trials} windows over {len(missions)} missions under SAFE",
        kept,
        trials,
        probability_verdict(kept, trials, 1 - delta, effective),
        f"g is that of a window's first certified action; the later attempts choose anew, and {uncertified} windows hold one "
        f"without a certificate. Windows of one mission hang together: the interval is that of {effective:.0f} effective trials "
        "(Korn–Graubard over missions).",
        effective,
    )


def _longest_run(failed: Bools) -> int:
    """Longest run of failures."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], failed.astype(np.int8), [0]])))
    return int((edges[1::2] - edges[::2]).max(initial=0))
