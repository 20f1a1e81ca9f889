"""Audit of the twin's guarantees: coverage of the confidence set, and the interaction interval."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core.control import ControlModel
from core.network import find_routes
from core.scenario import Scenario
from core.simulation import Channel, Run, Trace, reference, simulate, snapshot
from core.studies.claims.finding import ClaimVerdict, Finding, always_verdict, probability_verdict
from core.twin import (
    Calibration,
    certify,
    failure_tolerance,
    route_class,
    route_scores,
    run_violation_probability,
    union_bound_holds,
)

AUDIT_SEED = 5000
"""First seed of the audit: neither calibration (below 1000) nor evaluation (10000 and up)."""
COVERAGE_TRIALS = 400
TRACES = 16
"""Missions behind the coverage trials; what decides coverage is the channel, and each trial has its own."""
RUNS = 3
EXAMPLE_CHAIN = (0.01, 0.3, 0.6)
"""(μ₁, p₀₁, p₁₁) of D18: fine at the first opportunity, bad at every later one."""


def coverage(
    scenario: Scenario, calibration: Calibration, cancel: threading.Event, tick: Callable[[float], None]
) -> Finding:
    """Eq. (eq:dt-confidence-set): the realised channel lies in the set with probability at least 1 − β.

    Every trial has a channel, a cycle, a loop and a route of its own, so that trials are independent.
    """
    kept = trials = 0
    margins: list[float] = []
    for i in range(COVERAGE_TRIALS):
        if cancel.is_set():
            break
        score, margin = _coverage_trial(scenario, calibration, AUDIT_SEED + i)
        kept, trials = kept + int(score <= margin), trials + 1
        margins.append(margin)
        tick((i + 1) / COVERAGE_TRIALS)
    beta = scenario.twin.beta
    finite = [m for m in margins if np.isfinite(m)]
    vacuous = not finite
    return Finding(
        "coverage", "The twin's set covers the channel", "eq:dt-confidence-set",
        f"P(realised channel in the set) ≥ 1 − β = {1 - beta:g}",
        f"covered in {kept} of {trials} independent trials; "
        + (f"margins {min(finite):.1f} … {max(finite):.1f} dB" if finite else "every margin is infinite"),
        kept, trials, ClaimVerdict.VACUOUS if vacuous else probability_verdict(kept, trials, 1 - beta),
        calibration.notice(scenario),
    )  # fmt: skip


MEASURED_CYCLES = 10
"""Measurements before a coverage trial; older ones no longer tell the twin anything."""


def _coverage_trial(scenario: Scenario, calibration: Calibration, seed: int) -> tuple[float, float]:
    rng = np.random.default_rng([seed, 7])
    trace = reference(scenario, AUDIT_SEED + seed % TRACES)
    k = int(rng.integers(0, trace.cycles))
    # the twin has measured links for a while, the newest some cycles ago (D21): the channel has to have lived that long
    start = max(0, k - scenario.twin.link_age_cycles - MEASURED_CYCLES)
    channel = Channel(scenario, _from_cycle(trace, start), seed)
    for _ in range(k - start):
        channel.advance(scenario)
    control = scenario.control
    lag = 0.0 if control.feed_forward else trace.velocity[k] / ControlModel.of(scenario).k
    p = trace.positions[k] - lag
    # the estimate is as uncertain as it is one to four cycles after telemetry
    age = rng.integers(1, 5, size=(len(p), 1))
    p_hat = p + np.sqrt(control.sigma_meas_m**2 + age * control.sigma_proc_m**2) * rng.normal(size=p.shape)
    realised = channel.realised(scenario, p)
    routes = find_routes(scenario, channel.predicted(scenario, p_hat))[int(rng.integers(2))]
    row = int(rng.integers(routes.hops.size)) if routes.hops.size else -1
    if row < 0:
        return (-np.inf, np.inf)
    one = slice(row, row + 1)
    tx, rx = routes.nodes[one, :-1], routes.nodes[one, 1:]
    score = route_scores(
        routes.snr_db[one], np.where(rx >= 0, realised.snr_db[tx, rx], np.inf), routes.rayleigh[one],
        (rx >= 0) & realised.rayleigh[tx, rx], routes.hops[one],
    )  # fmt: skip
    cls = route_class(routes.hops[one], routes.rayleigh[one])
    return float(score[0]), float(calibration.margin_db(scenario.twin.beta, cls, np.zeros(1, dtype=np.bool_))[0])


def _from_cycle(trace: Trace, k: int) -> Trace:
    """The mission from cycle k on."""
    return dataclasses.replace(
        trace, positions=trace.positions[k:], velocity=trace.velocity[k:], phase=trace.phase[k:], gust=trace.gust[k:]
    )


def flights(scenario: Scenario, cancel: threading.Event, tick: Callable[[float], None]) -> list[Run]:
    """A few closed-loop missions under SAFE on the audit's seeds."""
    runs = []
    for i in range(RUNS):
        if cancel.is_set():
            break
        runs.append(simulate(scenario, "SAFE", AUDIT_SEED + i))
        tick((i + 1) / RUNS)
    return runs


def interaction_in_flight(scenario: Scenario, runs: list[Run]) -> Finding:
    """prop:finite-horizon-interaction-reliability in the closed loop: no run of g failed attempts within H_T attempts.

    One trial per loop and mission: its first H_T attempts (the opportunity clock of D19).
    """
    H_T, delta = scenario.twin.H_T, scenario.twin.delta_T
    kept = trials = 0
    for run in runs:
        for i in range(run.served.shape[1]):
            attempts = np.flatnonzero(run.served[:, i])[:H_T]
            if attempts.size == 0:
                continue
            trials += 1
            kept += int(not run.bound_exceeded[attempts, i].any())
    exceeded = float(np.mean([r.summary()["drift_exceeded_share"] for r in runs])) if runs else np.nan
    return Finding(
        "interaction", "The interaction interval is kept in flight", "prop:finite-horizon-interaction-reliability",
        f"P(interval ≤ g·T_s over H_T = {H_T} attempts) ≥ 1 − δ_T = {1 - delta:g}",
        f"kept by {kept} of {trials} loops over {len(runs)} missions under SAFE", kept, trials,
        probability_verdict(kept, trials, 1 - delta),
        f"In the same flights V⁺ > ᾱV in {exceeded:.1%} of certified cycles: reference motion and gusts are not in Φ (D20)."
        if trials else "",
    )  # fmt: skip


def interaction_laws(scenario: Scenario, calibration: Calibration, seed: int) -> tuple[Finding, Finding]:
    """Union bound beside the exact law (D18), for every certified candidate: with μ₁ as defined, and "tightened".

    Sound use: μ₁ bounds every opportunity, so the chain is stationary at μ₁. Tightened: μ₁ is only the first
    opportunity's failure probability after a success, p₀₁.
    """
    twin = scenario.twin
    topology = snapshot(scenario, seed).topology
    q = certify(scenario, topology, calibration, np.zeros(scenario.mission.uavs, dtype=np.int64))
    failure = _nominal_failure(q.ul_options.failure_nominal[q.actions.ul], q.dl_options.failure_nominal[q.actions.dl])
    p01 = calibration.p01(failure, twin.chain_confidence, twin.min_failures)
    ok = q.certified & np.isfinite(p01)
    chains = np.unique(np.column_stack([q.mu1[ok], p01[ok], q.p11[ok], q.g[ok]]).round(9), axis=0)
    sound = _sound_law(scenario, chains)
    return sound, _tightened_law(scenario, chains)


def _sound_law(scenario: Scenario, chains: NDArray[np.float64]) -> Finding:
    H_T, delta = scenario.twin.H_T, scenario.twin.delta_T
    title, promise = "The union bound is safe", f"exact P(run of g failures within H_T = {H_T}) ≤ δ_T = {delta:g}"
    speaks = chains[chains[:, 3] <= H_T] if len(chains) else chains
    worst, kept = 0.0, 0
    for mu1, _, p11, g in speaks:
        onset = 1.0 if mu1 >= 1.0 else min(1.0, mu1 * (1 - p11) / (1 - mu1))
        exact = run_violation_probability(mu1, onset, p11, int(g), H_T)
        worst, kept = max(worst, exact), kept + int(exact <= delta * (1 + 1e-9))
    empty = len(chains) - len(speaks)
    note = f"{empty} of {len(chains)} chains have g > H_T: true, but empty within the horizon (D19)." if empty else ""
    if not len(chains):
        note = "No candidate has a certificate at these settings."
    return Finding(
        "union-bound", title, "eq:markov-failure-tolerance", promise,
        f"largest exact probability {worst:.4f} over {len(speaks)} chains", 0, 0, always_verdict(kept, len(speaks)), note,
    )  # fmt: skip


def _tightened_law(scenario: Scenario, chains: NDArray[np.float64]) -> Finding:
    H_T, delta = scenario.twin.H_T, scenario.twin.delta_T
    tight = [(p01, p01, p11) for p01, p11 in {(c[1], c[2]) for c in chains}]
    broken, worst, at = 0, 0.0, EXAMPLE_CHAIN
    for mu1, p01, p11 in [EXAMPLE_CHAIN, *tight]:
        g = failure_tolerance(mu1, p11, H_T, delta)
        if g is None or g > H_T:
            continue
        exact = run_violation_probability(mu1, p01, p11, g, H_T)
        if exact > delta:
            broken += 1
        if exact > worst:
            worst, at = exact, (mu1, p01, p11)
    sound = union_bound_holds(*EXAMPLE_CHAIN, H_T)
    return Finding(
        "first-opportunity", "μ₁ of the first opportunity alone is enough", "eq:markov-failure-tolerance, D18",
        f"exact P(run of g failures) ≤ δ_T = {delta:g} when μ₁ is tightened to the first opportunity",
        f"{worst:.3f} for (μ₁, p₀₁, p₁₁) = ({at[0]:.3g}, {at[1]:.3g}, {at[2]:.3g}); {broken} of {1 + len(tight)} chains break it",
        0, 0, ClaimVerdict.VIOLATED if broken else ClaimVerdict.HOLDS,
        "The union bound needs P(Y_m = 1) ≤ μ₁ at every start m, not only the first (D18); the certificates here use that."
        if not sound else "",
    )  # fmt: skip


def _nominal_failure(ul: NDArray[np.float64], dl: NDArray[np.float64]) -> NDArray[np.float64]:
    both: NDArray[np.float64] = ul + dl * (1.0 - ul)
    return both
