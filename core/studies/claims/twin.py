"""Audit of the twin's guarantees: coverage of the confidence set, and the law of failure runs."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.control import ControlModel
from core.network import find_routes
from core.scenario import Scenario
from core.simulation import Channel, Trace, reference, snapshot
from core.studies.claims.finding import Finding
from core.studies.claims.verdict import ClaimVerdict, always_verdict, probability_verdict
from core.twin import (
    Calibration,
    certify,
    failure_tolerance,
    route_class,
    route_scores,
    run_violation_probability,
    sound_onset,
)

Floats = NDArray[np.float64]

AUDIT_SEED = 5000
"""First seed of the audit: neither calibration (below 1000) nor evaluation (10000 and up)."""
COVERAGE_TRIALS = 400
TRACES = 16
"""Missions behind the coverage trials; what decides coverage is the channel, and each trial has its own."""
EXAMPLE_CHAIN = (0.01, 0.3, 0.6)
"""(μ₁, p₀₁, p₁₁) of D18: fine at the first opportunity, bad at every later one."""
NO_CERTIFICATE = "No candidate has a certificate at these settings."


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
        "coverage",
        "The twin's set covers the channel",
        "eq:dt-confidence-set",
        f"P(realised channel in the set) ≥ 1 − β = {1 - beta:g}",
        f"covered in {kept} of {trials} independent trials; "
        + (f"margins {min(finite):.1f} … {max(finite):.1f} dB" if finite else "every margin is infinite"),
        kept,
        trials,
        ClaimVerdict.VACUOUS if vacuous else probability_verdict(kept, trials, 1 - beta),
        calibration.notice(scenario),
    )


COVERAGE_STREAM = 103
"""Second word of the trials' random key; the channel of a trial draws from the streams of core.simulation.draws with the same seed."""
MEASURED_CYCLES = 10
"""Measurements before a coverage trial; older ones no longer tell the twin anything."""


def _coverage_trial(scenario: Scenario, calibration: Calibration, seed: int) -> tuple[float, float]:
    rng = np.random.default_rng([seed, COVERAGE_STREAM])
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
        routes.snr_db[one],
        np.where(rx >= 0, realised.snr_db[tx, rx], np.inf),
        routes.rayleigh[one],
        (rx >= 0) & realised.rayleigh[tx, rx],
        routes.hops[one],
    )
    cls = route_class(routes.hops[one], routes.rayleigh[one])
    return float(score[0]), float(calibration.margin_db(scenario.twin.beta, cls, np.zeros(1, dtype=np.bool_))[0])


def _from_cycle(trace: Trace, k: int) -> Trace:
    """The mission from cycle k on."""
    return dataclasses.replace(
        trace, positions=trace.positions[k:], velocity=trace.velocity[k:], phase=trace.phase[k:], gust=trace.gust[k:]
    )


def interaction_laws(scenario: Scenario, calibration: Calibration, seed: int) -> tuple[Finding, Finding]:
    """Union bound beside the exact law (D18) for every certified candidate: μ₁ of every opportunity, and of the first."""
    twin = scenario.twin
    topology = snapshot(scenario, seed).topology
    q = certify(scenario, topology, calibration, np.zeros(scenario.mission.uavs, dtype=np.int64))
    failure = _nominal_failure(q.ul_options.failure_nominal[q.actions.ul], q.dl_options.failure_nominal[q.actions.dl])
    p01 = calibration.p01(failure, twin.chain_confidence, twin.min_failures)
    ok = q.certified & np.isfinite(p01)

    def chains(*columns: NDArray[Any]) -> Floats:
        return np.unique(np.column_stack([c[ok] for c in columns]).astype(float).round(9), axis=0)

    return (
        union_bound_is_safe(scenario, chains(q.mu1, p01, q.p11, q.g)),
        first_opportunity_suffices(scenario, chains(failure, p01, q.p11)),
    )


def union_bound_is_safe(scenario: Scenario, chains: Floats) -> Finding:
    """Eq. (eq:markov-failure-tolerance) used as defined: μ₁ bounds every opportunity, so the chain is stationary at μ₁.

    Args:
        scenario: horizon and budget.
        chains: μ₁, p₀₁, p₁₁, g of the certificates, (n, 4).
    """
    H_T, delta = scenario.twin.H_T, scenario.twin.delta_T
    title, promise = "The union bound is safe", f"exact P(run of g failures within H_T = {H_T}) ≤ δ_T = {delta:g}"
    speaks = chains[chains[:, 3] <= H_T]
    worst, kept = 0.0, 0
    for mu1, _, p11, g in speaks:
        exact = run_violation_probability(mu1, sound_onset(mu1, p11), p11, int(g), H_T)
        worst, kept = max(worst, exact), kept + int(exact <= delta * (1 + 1e-9))
    empty = len(chains) - len(speaks)
    note = f"{empty} of {len(chains)} chains have g > H_T: true, but empty within the horizon (D19)." if empty else ""
    return Finding(
        "union-bound",
        title,
        "eq:markov-failure-tolerance",
        promise,
        f"largest exact probability {worst:.4f} over {len(speaks)} chains",
        0,
        0,
        always_verdict(kept, len(speaks)),
        note if len(chains) else NO_CERTIFICATE,
    )


def first_opportunity_suffices(scenario: Scenario, chains: Floats) -> Finding:
    """Eq. (eq:markov-failure-tolerance) "tightened" (D18): μ₁ is the failure predicted for the first opportunity alone.

    The later opportunities follow the calibrated chain, whose p₀₁ may be larger than that μ₁. (μ₁ = p₀₁ would be safe:
    a run begins at the first opportunity or after a success, so at most H_T·p₀₁ runs begin on average.)

    Args:
        scenario: horizon and budget.
        chains: μ₁ of the first opportunity, p₀₁, p₁₁ of the certified candidates, (n, 3).
    """
    H_T, delta = scenario.twin.H_T, scenario.twin.delta_T
    laws = [(exact, (m, p, q)) for m, p, q in chains.tolist() if (exact := _exact_law(m, p, q, H_T, delta)) is not None]
    broken = sum(exact > delta * (1 + 1e-9) for exact, _ in laws)
    worst, at = max(laws, default=(0.0, (0.0, 0.0, 0.0)))
    example = _exact_law(*EXAMPLE_CHAIN, H_T, delta)
    note = "The union bound needs P(Y_m = 1) ≤ μ₁ at every start m, not only the first (D18); the certificates here use that."
    if example is not None:
        note += " D18's example (μ₁, p₀₁, p₁₁) = ({:g}, {:g}, {:g}) has {:.3f} here.".format(*EXAMPLE_CHAIN, example)
    return Finding(
        "first-opportunity",
        "μ₁ of the first opportunity alone is enough",
        "eq:markov-failure-tolerance, D18",
        f"exact P(run of g failures within H_T = {H_T}) ≤ δ_T = {delta:g} when μ₁ is that of the first opportunity",
        f"largest {worst:.3f}, at (μ₁, p₀₁, p₁₁) = ({at[0]:.3g}, {at[1]:.3g}, {at[2]:.3g}); {broken} of {len(laws)} chains break it"
        if laws
        else "no chain to judge",
        0,
        0,
        always_verdict(len(laws) - broken, len(laws)),
        note if len(chains) else NO_CERTIFICATE,
    )


def _exact_law(mu1: float, p01: float, p11: float, H_T: int, delta: float) -> float | None:
    """Exact probability of a run of the g that the union bound gives; None where it gives none within the horizon."""
    g = failure_tolerance(mu1, p11, H_T, delta)
    return None if g is None or g > H_T else run_violation_probability(mu1, p01, p11, g, H_T)


def _nominal_failure(ul: Floats, dl: Floats) -> Floats:
    both: Floats = ul + dl * (1.0 - ul)
    return both
