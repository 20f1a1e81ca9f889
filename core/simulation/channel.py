"""The radio channel of one run: what the twin predicts and what really happens, the same for every policy."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.network import (
    Topology,
    draw_los,
    measured_shadowing_db,
    shadowing_correlation,
    shadowing_db,
    shadowing_spread_db,
    start_shadowing,
    step_shadowing,
    topology,
)
from core.scenario import Scenario
from core.simulation import draws
from core.simulation.mission import Trace, reference
from core.twin import LinkEstimate, predict


def los_of_run(scenario: Scenario, trace: Trace, seed: int) -> NDArray[np.bool_]:
    """Line-of-sight class of every link, drawn at the mission's start and fixed within the run, (N+1, N+1)."""
    rng = np.random.default_rng([int(seed), draws.LINE_OF_SIGHT])
    los: NDArray[np.bool_] = draw_los(scenario, trace.positions[0], rng)
    return los


class Channel:
    """Line-of-sight classes fixed within a run, and shadowing that follows the *reference* displacement.

    Both depend on (scenario, trace, seed) alone, never on what a policy did. Cycles are visited in order. So do the
    twin's link-quality measurements (D21): beacons in the part of the period that the frame leaves free.

    Args:
        scenario: network fields.
        trace: mission whose references move the links.
        seed: seed of the run.
    """

    def __init__(self, scenario: Scenario, trace: Trace, seed: int) -> None:
        self._trace = trace
        self._seed = int(seed)
        self._k = 0
        self.los = los_of_run(scenario, trace, seed)
        self._unit = start_shadowing(trace.positions.shape[1] + 1, self._rng())
        self._past = deque([self._unit], maxlen=scenario.twin.link_age_cycles + 1)
        self._measured = 0
        self._links = self._measure(scenario, LinkEstimate.unknown(len(self._unit)))

    def _rng(self) -> np.random.Generator:
        """A generator of its own for every cycle, so that the innovations depend on (seed, cycle) alone."""
        return np.random.default_rng([self._seed, draws.SHADOWING, self._k])

    @property
    def k(self) -> int:
        """Cycle the shadowing belongs to."""
        return self._k

    def shadowing_db(self, scenario: Scenario) -> NDArray[np.float64]:
        """Shadowing of every link in this cycle, symmetric, (N+1, N+1) [dB]."""
        return shadowing_db(scenario, self._unit, self._trace.positions[self._k], self.los)

    def advance(self, scenario: Scenario) -> None:
        """Move on to the next cycle."""
        self._k += 1
        before, after = self._trace.positions[self._k - 1 : self._k + 1]
        self._unit = step_shadowing(scenario, self._unit, before, after, self.los, self._rng())
        self._past.append(self._unit)
        if self._k - (len(self._past) - 1) > self._measured:
            links = self._links.moved(self._correlation(scenario, self._measured))
            self._measured += 1
            self._links = self._measure(scenario, links)

    def _measure(self, scenario: Scenario, links: LinkEstimate) -> LinkEstimate:
        """The twin's estimate after the measurements of cycle `_measured`."""
        rng = np.random.default_rng([self._seed, draws.LINK_QUALITY, self._measured])
        at, noise_db = self._trace.positions[self._measured], scenario.twin.link_noise_db
        measured = measured_shadowing_db(scenario, self._past[0], at, self.los, noise_db, rng)
        return links.measured(measured, shadowing_spread_db(scenario, at, self.los), noise_db)

    def _correlation(self, scenario: Scenario, k: int) -> NDArray[np.float64]:
        before, after = self._trace.positions[k : k + 2]
        return shadowing_correlation(scenario, before, after, self.los)

    def link_quality_db(self, scenario: Scenario) -> NDArray[np.float64] | None:
        """Shadowing the twin expects now from all its measurements (D21), (N+1, N+1) [dB]; None = switched off.

        The newest are `twin.link_age_cycles` old (as set when the run began; in the first cycles, from take-off), and
        all count for less the further the UAVs were to move since.
        """
        if not scenario.twin.link_quality:
            return None
        links = self._links
        for k in range(self._measured, self._k):
            links = links.moved(self._correlation(scenario, k))
        return links.mean * shadowing_spread_db(scenario, self._trace.positions[self._k], self.los)

    def predicted(self, scenario: Scenario, estimates: NDArray[np.float64]) -> Topology:
        """Topology the twin predicts from estimated positions and measured links (eq:dt-state-map)."""
        return predict(scenario, estimates, self.los, self.link_quality_db(scenario))

    def realised(self, scenario: Scenario, positions: NDArray[np.float64]) -> Topology:
        """Topology at the true positions with this cycle's shadowing, (N, 3) [m]."""
        return topology(scenario, positions, self.los, self.shadowing_db(scenario))


@dataclass(frozen=True)
class Snapshot:
    """One instant of the mission with the swarm on its references, for the views that look at a single cycle.

    Args:
        positions: (N, 3) [m].
        topology: what the twin predicts there.
        los: line-of-sight classes, (N+1, N+1).
    """

    positions: NDArray[np.float64]
    topology: Topology
    los: NDArray[np.bool_]


def snapshot(scenario: Scenario, seed: int = 0, cycle: int = 40) -> Snapshot:
    """The predicted topology at the reference positions of one cycle (wrapped into the mission)."""
    trace = reference(scenario, seed)
    channel = Channel(scenario, trace, seed)
    while channel.k < cycle % (trace.cycles + 1):
        channel.advance(scenario)
    positions = trace.positions[channel.k]
    return Snapshot(positions=positions, topology=channel.predicted(scenario, positions), los=channel.los)
