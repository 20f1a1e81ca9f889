"""The audit: every guarantee beside its measurement, at one scenario, with progress and cancel."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import numpy as np

from core.scenario import Scenario
from core.studies.claims import (
    allocation,
    arrival,
    control,
    doob,
    envelope,
    flight,
    interaction,
    online,
    prediction,
    reach,
    twin,
)
from core.studies.claims.finding import Finding
from core.twin import Calibration, calibration_for

Tick = Callable[[float], None]
Check = Callable[[Scenario, str, np.random.Generator], Finding]


def audit(
    scenario: Scenario,
    *,
    seed: int = twin.AUDIT_SEED,
    calibration: Calibration | None = None,
    cancel: threading.Event | None = None,
    on_progress: Callable[[float, str], None] = lambda _share, _what: None,
) -> Iterator[Finding]:
    """Findings one by one, the cheap ones first; stops early, between two findings, when cancelled.

    Args:
        scenario: the settings to audit.
        seed: of the random states and of the snapshot.
        calibration: of the twin; the one made for the scenario, or else the default one, when None.
        cancel: set it from another thread to stop.
        on_progress: told the share done and what is being measured.
    """
    cancel = cancel or threading.Event()
    facts = calibration if calibration is not None else calibration_for(scenario)
    steps = list(_steps(scenario, facts, seed, cancel))
    for i, (what, step) in enumerate(steps):
        if cancel.is_set():
            return

        def tick(share: float, i: int = i, what: str = what) -> None:
            on_progress((i + share) / len(steps), what)

        tick(0.0)
        findings = step(tick)
        if not cancel.is_set():  # a measurement cut short is no measurement
            yield from findings
    on_progress(1.0, "done")


def _steps(
    scenario: Scenario, facts: Calibration, seed: int, cancel: threading.Event
) -> Iterator[tuple[str, Callable[[Tick], list[Finding]]]]:
    def rng(key: int) -> np.random.Generator:
        return np.random.default_rng([seed, key])

    def allocations(tick: Tick) -> list[Finding]:
        found = allocation.instances(scenario, facts, seed, rng(6), tick)
        return [
            allocation.frontier_preserves(found),
            allocation.online_set_suffices(found),
            allocation.program_is_exact(found),
        ]

    def missions(tick: Tick) -> list[Finding]:
        flown = flight.flights(scenario, seed, facts, cancel, tick)
        return [
            interaction.interaction_in_flight(scenario, [f.service for f in flown]),
            envelope.envelope_in_flight(scenario, flown, calm=False),
            *predictions(flown, calm=False),
            arrival.ends_bound_the_arrival(scenario, flown),
        ]

    def calm_missions(tick: Tick) -> list[Finding]:
        flown = flight.flights(scenario, seed, facts, cancel, tick, calm=True)
        return [envelope.envelope_in_flight(scenario, flown, calm=True), *predictions(flown, calm=True)]

    def predictions(flown: list[flight.Flight], *, calm: bool) -> list[Finding]:
        ahead = {1, scenario.allocation.lookahead_cycles}
        return [prediction.prediction_is_unbiased(scenario, flown, j, calm=calm) for j in sorted(ahead)]

    def reach_missions(tick: Tick) -> list[Finding]:
        certified = scenario.replace(**{"allocation.admission": "reach"})
        return [reach.stays_inside(certified, flight.flights(certified, seed, facts, cancel, tick))]

    def checked(check: Check, form: str, key: int) -> Callable[[Tick], list[Finding]]:
        return lambda _: [check(scenario, form, rng(key))]

    yield "mode order", lambda _: [control.mode_order(scenario)]
    yield "envelope", lambda _: [control.envelope_at_least_one(scenario)]
    checks: dict[Check, int] = {  # with the key of its random stream, so that a new check moves no other
        control.expected_drift: 0,
        doob.doob_bound: 1,
        doob.doob_bound_for_long: 4,
        control.drift_monotone: 2,
        control.gate_monotone: 3,
    }
    for check, key in checks.items():
        for form in control.DRIFT_FORMULATIONS:
            yield f"{check.__name__.replace('_', ' ')}, {form}", checked(check, form, key)
    yield "failure chains", lambda _: list(twin.interaction_laws(scenario, facts, seed))
    yield "frontier and dynamic program", allocations
    yield "twin coverage", lambda tick: [twin.coverage(scenario, facts, cancel, tick)]
    yield "coverage that learns", lambda tick: [online.long_run_coverage(scenario, facts, seed, cancel, tick)]
    yield "closed-loop missions", missions
    yield "missions without gusts", calm_missions
    yield "missions with admission by reach", reach_missions
