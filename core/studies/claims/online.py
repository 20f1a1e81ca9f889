"""Audit of the confidence set that learns in flight (D26): is it missed as often as promised in the long run?"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from core.errors import ScenarioError
from core.scenario import Scenario, quantity_of
from core.simulation import Simulation
from core.studies.claims.finding import Finding
from core.studies.claims.verdict import ClaimVerdict, always_verdict
from core.twin import ROUTE_CLASSES, Calibration

CYCLES = 600
"""Of the mission that is flown: the promise is about long flights."""
KEY, TITLE, LABEL = "online-coverage", "A set that learns is missed as often as promised, in the long run", "D26"


def long_run_coverage(
    scenario: Scenario,
    calibration: Calibration,
    seed: int,
    cancel: threading.Event,
    tick: Callable[[float], None],
) -> Finding:
    r"""D26: over T cycles the measured misses of every class of route average β, within :math:`(1+\gamma)/(\gamma T)`.

    Args:
        scenario: the settings; flown with `twin.online_beta` for CYCLES cycles, or as many as a mission may have.
        calibration: of the twin.
        seed: of the mission.
        cancel: stops the flight.
        tick: told the share done.
    """
    longest = quantity_of("mission.duration_s").hi or np.inf
    changes = {"twin.online_beta": True, "mission.duration_s": min(CYCLES * scenario.control.Ts, longest)}
    beta, gamma = scenario.twin.beta, scenario.twin.online_gamma
    promise = f"|mean share of measured misses − β = {beta:g}| ≤ (1 + γ)/(γ·T) in every class of route"
    try:
        learning = scenario.replace(**changes)
    except ScenarioError as error:
        return Finding(KEY, TITLE, LABEL, promise, "not flown", 0, 0, ClaimVerdict.VACUOUS, str(error))
    simulation = Simulation(learning, "SAFE", seed, calibration)
    missed, counts = [], np.zeros((2, len(ROUTE_CLASSES)), dtype=np.int64)
    for record in simulation:
        missed.append(record.coverage.missed)
        counts += record.coverage.routes, record.coverage.covered
        tick(len(missed) / learning.cycles)
        if cancel.is_set():
            break
    table = np.array(missed)
    seen = np.isfinite(table).sum(axis=0)
    flown = np.flatnonzero(seen)
    mean = np.nanmean(table[:, flown], axis=0) if flown.size else np.empty(0)
    bound = (1.0 + gamma) / (gamma * seen[flown])
    kept = int((np.abs(mean - beta) <= bound).sum())
    worst = int(np.argmax(np.abs(mean - beta))) if flown.size else -1
    return Finding(
        KEY,
        TITLE,
        LABEL,
        promise,
        "; ".join(
            f"{ROUTE_CLASSES[c]}: {m:.4f} over {t} cycles" for c, m, t in zip(flown, mean, seen[flown], strict=True)
        )
        or "no route had a margin",
        kept,
        len(flown),
        always_verdict(kept, len(flown)),
        "A promise over a long flight, not about any one cycle."
        + (
            f" The furthest from β is {ROUTE_CLASSES[flown[worst]]}, by {abs(mean[worst] - beta):.4f} where "
            f"{bound[worst]:.4f} is allowed. Of the links as they really were, {counts[1].sum() / counts[0].sum():.4f} of the routes "
            f"stayed inside (1 − β = {1 - beta:g})."
            if flown.size
            else ""
        ),
    )
