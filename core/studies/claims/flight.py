"""Audit of the interaction interval in closed-loop missions: windows of attempts, each judged by one certificate."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.allocation import Mode
from core.scenario import Scenario
from core.simulation import CycleRecord, Simulation
from core.studies.claims.finding import CONFIDENCE, ClaimVerdict, Finding, probability_verdict
from core.twin.persistence import effective_trials

Bools = NDArray[np.bool_]
RUNS = 10
"""Missions flown; they are what is independent, so a handful would leave the interval to luck."""


@dataclass(frozen=True, eq=False)
class Flight:
    """What one mission says about the interaction interval.

    Args:
        attempted: loops with slots, (cycles, N).
        certified: of these, those admitted with a certificate, (cycles, N).
        delivered: bidirectional successes, (cycles, N).
        g: tolerance of the action in use, 0 without service, (cycles, N) [opportunities].
        drift_exceeded: certified loops with V⁺ > ᾱV, (cycles, N).
    """

    attempted: Bools
    certified: Bools
    delivered: Bools
    g: NDArray[np.int64]
    drift_exceeded: Bools

    @classmethod
    def of(cls, scenario: Scenario, seed: int) -> Flight:
        """Fly a mission under SAFE."""
        rows = [
            (r.served, r.mode == Mode.CERTIFIED, r.delivered, _tolerance(r), r.drift_exceeded)
            for r in Simulation(scenario, "SAFE", seed)
        ]
        return cls(*(np.array(column) for column in zip(*rows, strict=True)))


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


def flights(
    scenario: Scenario, first_seed: int, cancel: threading.Event, tick: Callable[[float], None]
) -> list[Flight]:
    """Closed-loop missions under SAFE on consecutive seeds; fewer when cancelled."""
    flown: list[Flight] = []
    for i in range(RUNS):
        if cancel.is_set():
            break
        flown.append(Flight.of(scenario, first_seed + i))
        tick((i + 1) / RUNS)
    return flown


def windows(flight: Flight, H_T: int) -> Iterator[Window]:
    """Complete windows of every loop on the opportunity clock (D19), one after the other without overlap."""
    for i in range(flight.attempted.shape[1]):
        attempts = np.flatnonzero(flight.attempted[:, i])
        certified, failed = flight.certified[attempts, i], ~flight.delivered[attempts, i]
        start = 0
        while start + H_T <= len(attempts):
            if not certified[start]:
                start += 1
                continue
            here = slice(start, start + H_T)
            yield Window(int(flight.g[attempts[start], i]), _longest_run(failed[here]), int(np.sum(~certified[here])))
            start += H_T


def interaction_in_flight(scenario: Scenario, flown: list[Flight]) -> Finding:
    """prop:finite-horizon-interaction-reliability in the closed loop: no run of g failures within H_T attempts.

    One trial per window; g is fixed at its first certified action. Windows of one mission share its shadowing, so the
    interval is Clopper–Pearson on the effective number of trials (Korn and Graubard 1998) with missions as clusters.
    """
    H_T, delta = scenario.twin.H_T, scenario.twin.delta_T
    by_mission = [list(windows(f, H_T)) for f in flown]
    speaks = [[w for w in found if w.g <= H_T] for found in by_mission]
    kept = np.array([[sum(w.kept for w in found)] for found in speaks], dtype=np.int64).reshape(-1, 1)
    trials = np.array([[len(found)] for found in speaks], dtype=np.int64).reshape(-1, 1)
    n, k = int(trials.sum()), int(kept.sum())
    effective = float(effective_trials(kept, trials, (1 + CONFIDENCE) / 2)[0]) if n else 0.0
    title, label = "The interaction interval is kept in flight", "prop:finite-horizon-interaction-reliability"
    promise = f"P(interval ≤ g·T_s over H_T = {H_T} attempts) ≥ 1 − δ_T = {1 - delta:g}"
    if n == 0:
        empty = sum(map(len, by_mission))
        note = (
            f"{empty} windows have g > H_T: true, but empty within the horizon (D19)."
            if empty
            else f"No loop makes {H_T} attempts from a certified one on; a longer mission or a smaller H_T would tell."
        )
        measured = f"no window of {H_T} attempts to judge in {len(flown)} missions under SAFE"
        return Finding("interaction", title, label, promise, measured, 0, 0, ClaimVerdict.VACUOUS, note)
    uncertified = sum(w.uncertified > 0 for found in speaks for w in found)
    exceeded = np.mean([f.drift_exceeded.sum() / max(int(f.certified.sum()), 1) for f in flown])
    return Finding(
        "interaction",
        title,
        label,
        promise,
        f"kept in {k} of {n} windows over {len(flown)} missions under SAFE",
        k,
        n,
        probability_verdict(k, n, 1 - delta, effective),
        f"g is that of a window's first certified action; the later attempts choose anew, and {uncertified} windows hold one "
        f"without a certificate. Windows of one mission hang together: the interval is that of {effective:.0f} effective trials "
        f"(Korn–Graubard over missions). In the same flights V⁺ > ᾱV in {exceeded:.1%} of certified cycles: reference motion and "
        "gusts are not in Φ (D20).",
        effective,
    )


def _tolerance(record: CycleRecord) -> NDArray[np.int64]:
    """g of each loop's action, 0 without service, (N,) [opportunities]."""
    g = np.zeros(len(record.served), dtype=np.int64)
    g[record.served] = record.candidates.g[record.choice[record.served]]
    return g


def _longest_run(failed: Bools) -> int:
    """Longest run of failures."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], failed.astype(np.int8), [0]])))
    return int((edges[1::2] - edges[::2]).max(initial=0))
