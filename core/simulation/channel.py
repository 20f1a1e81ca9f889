"""The radio channel of one run: what the twin predicts and what really happens, the same for every policy."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.network import Links, Shadowing, Topology, draw_los, links_at
from core.network.pairs import pair_row
from core.scenario import Scenario
from core.simulation import draws
from core.simulation.link_history import HISTORIES, LinkMotion, LinkState, history_fields
from core.simulation.mission import reference
from core.simulation.replay import Replay, ReplayedLinks
from core.simulation.trace import Trace
from core.twin import predicted_links
from core.wanted import check


def los_of_run(scenario: Scenario, trace: Trace, seed: int) -> NDArray[np.bool_]:
    """Line-of-sight class of every link, drawn at the mission's start and fixed within the run, (N+1, N+1)."""
    rng = np.random.default_rng([int(seed), draws.LINE_OF_SIGHT])
    los: NDArray[np.bool_] = draw_los(scenario, trace.positions[0], rng)
    return los


class Channel:
    """Line-of-sight classes fixed within a run, and shadowing that follows the *reference* displacement.

    Both depend on (scenario, trace, seed) alone, never on what a policy did. So do the twin's link-quality measurements
    (D21): beacons in the part of the period that the frame leaves free. Runs of the same mission share what they walk
    through, as long as the scenario does not change on the way.

    Args:
        scenario: network fields.
        trace: mission whose references move the links.
        seed: seed of the run.
    """

    def __init__(self, scenario: Scenario, trace: Trace, seed: int) -> None:
        self._replay = Replay.of(scenario)
        drawn = los_of_run(scenario, trace, seed)
        self.los = drawn if self._replay is None else self._replay.line_of_sight(drawn)
        self._motion = LinkMotion(trace, int(seed), self.los, scenario.twin.link_age_cycles, self._replay)
        self._fields = history_fields(scenario)
        self._history = HISTORIES.of(scenario, trace, int(seed))
        found = self._history.at(0) if self._history is not None else None
        self._state = found if found is not None else self._kept(self._motion.start(scenario))

    def __deepcopy__(self, memo: dict[int, Any]) -> Channel:
        """A channel that goes on from here by itself; states never change, so that all of them are shared."""
        other = copy.copy(self)
        other._motion = self._motion.copy()
        return other

    def _kept(self, state: LinkState) -> LinkState:
        if self._history is not None:
            self._history.keep(state)
        return state

    @property
    def k(self) -> int:
        """Cycle the shadowing belongs to."""
        return self._state.k

    def shadowing(self, scenario: Scenario) -> Shadowing:
        """Shadowing of every link in this cycle."""
        return Shadowing(self._state.units[-1], self._motion.spread_db(scenario, self.k))

    def advance(self, scenario: Scenario) -> None:
        """Move on to the next cycle."""
        if history_fields(scenario) != self._fields:
            self._history = None
        found = self._history.at(self.k + 1) if self._history is not None else None
        self._state = found if found is not None else self._kept(self._motion.next(scenario, self._state))

    def reach(self, scenario: Scenario, k: int) -> None:
        """Go on to cycle k, or back to it, from the nearest cycle before it that a run of the mission has been through.

        Args:
            scenario: the one that the channel was made with.
            k: cycle.
        """
        found = self._history.before(k) if self._history is not None else None
        if found is not None and not found.k < self.k <= k:
            self._state = found
        elif self.k > k:
            self._state = self._motion.start(scenario)
        while self.k < k:
            check()
            self.advance(scenario)

    def link_quality(self, scenario: Scenario) -> Shadowing | None:
        """Shadowing the twin expects now from all its measurements (D21); None = switched off.

        The newest are `twin.link_age_cycles` old (as set when the run began; in the first cycles, from take-off), and
        all count for less the further the UAVs were to move since.
        """
        if not scenario.twin.link_quality:
            return None
        since = range(self._state.measured, self.k)
        mean = self._state.links.expected(self._motion.correlation(scenario, k) for k in since)
        return Shadowing(mean, self._motion.spread_db(scenario, self.k))

    def measurement_error_db(
        self, scenario: Scenario, tx: NDArray[np.int64], rx: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Errors of this cycle's measurements of some links (D21), in the shape of tx and rx [dB]."""
        first, second = np.minimum(tx, rx), np.maximum(tx, rx)
        errors = self._motion.errors_db(scenario, self.k)
        return np.asarray(errors[pair_row(first, len(self.los)) + second], dtype=np.float64)

    def predicted(self, scenario: Scenario, estimates: NDArray[np.float64]) -> Topology:
        """Topology the twin predicts from estimated positions and measured links (eq:dt-state-map)."""
        return self.predicted_links(scenario, estimates).all()

    def predicted_links(self, scenario: Scenario, estimates: NDArray[np.float64]) -> Links:
        """The links of `predicted`, none worked out yet."""
        return predicted_links(scenario, estimates, self.los, self.link_quality(scenario))

    def realised(self, scenario: Scenario, positions: NDArray[np.float64]) -> Topology:
        """Topology at the true positions with this cycle's shadowing, (N, 3) [m]."""
        return self.realised_links(scenario, positions).all()

    def realised_links(self, scenario: Scenario, positions: NDArray[np.float64]) -> Links | ReplayedLinks:
        """The links of `realised`, none worked out yet; recorded ones where the scenario's link trace has any (D27)."""
        links = links_at(scenario, positions, self.los, self.shadowing(scenario))
        return links if self._replay is None else self._replay.realised(scenario, links, self.k)


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
    channel.reach(scenario, cycle % (trace.cycles + 1))
    positions = trace.positions[channel.k]
    return Snapshot(positions=positions, topology=channel.predicted(scenario, positions), los=channel.los)
