"""How the shadowing of a mission and the twin's knowledge of it go from cycle to cycle, walked once for all who ask."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.network import (
    Shadowing,
    measured_shadowing_db,
    shadowing_correlation,
    shadowing_spread_db,
    start_shadowing,
    step_shadowing,
)
from core.network.normals import Stream, stream_of
from core.network.pairs import PairTable, pair_count
from core.scenario import Scenario
from core.simulation import draws
from core.simulation.link_walk import Measurement, walk_links
from core.simulation.replay import Replay, at_default_power
from core.simulation.trace import Trace
from core.twin import LinkEstimate

MAX_HISTORY_BYTES = 64_000_000
"""Memory of one mission's states; beyond it every second one is dropped, and cycles between are walked again."""
MAX_BYTES = 128_000_000
"""Memory of all missions' states together; the mission asked for last is kept whatever it takes."""


@dataclass(frozen=True, eq=False)
class LinkState:
    """Shadowing of every link in one cycle, and what the twin has learnt of it (D21); never changed once made.

    Attributes:
        k: cycle.
        units: unit-variance shadowing, oldest first, this cycle last; as many as measurements are old, (P,) each.
        measured: cycle of the newest measurements.
        links: the twin's estimate after them.
    """

    k: int
    units: tuple[NDArray[np.float64], ...]
    measured: int
    links: LinkEstimate

    @property
    def nbytes(self) -> int:
        """Memory, as if no other cycle shared any of it."""
        return (len(self.units) + 2) * self.units[0].nbytes


class LinkMotion:
    """What moves the links of a run, beside its scenario.

    Args:
        trace: whose references move the UAVs.
        seed: of the run.
        los: line-of-sight class of every link, (N+1, N+1).
        age: of the newest measurements once the run is older [cycles].
        replay: recorded links, which are measured in place of the model's; None without any.
    """

    def __init__(self, trace: Trace, seed: int, los: NDArray[np.bool_], age: int, replay: Replay | None = None) -> None:
        self.trace, self.seed, self.los, self.age, self.replay = trace, seed, los, age, replay
        self._tables: dict[Hashable, PairTable] = {}

    def copy(self) -> LinkMotion:
        """The same for another run: tables made on the way are for one thread at a time."""
        return LinkMotion(self.trace, self.seed, self.los, self.age, self.replay)

    def correlation(self, scenario: Scenario, k: int) -> PairTable:
        """Correlation of every link's shadowing between cycles k and k + 1."""
        net = scenario.network
        key = (k, net.shadow_corr_los_m, net.shadow_corr_nlos_m)
        before, after = self.trace.positions[k : k + 2]
        return self._once(key, lambda: shadowing_correlation(scenario, before, after, self.los))

    def spread_db(self, scenario: Scenario, k: int) -> PairTable:
        """Spread of every link's shadowing in cycle k [dB]."""
        key = (k, scenario.network.gcs_z_m, scenario.network.shadow_scale)
        return self._once(key, lambda: shadowing_spread_db(scenario, self.trace.positions[k], self.los))

    def _once(self, key: Hashable, table: Callable[[], PairTable]) -> PairTable:
        """A table made before, while its cycle is not long past."""
        found = self._tables.get(key)
        if found is None:
            if len(self._tables) > 4 * (self.age + 1):
                self._tables.clear()
            found = self._tables[key] = table()
        return found

    def start(self, scenario: Scenario) -> LinkState:
        """The state at take-off."""
        unit = start_shadowing(len(self.los), self._rng(draws.SHADOWING, 0))
        links = LinkEstimate.unknown(len(self.los)).measured(*self._seen(scenario, unit, 0))
        return LinkState(0, (unit,), 0, links)

    def next(self, scenario: Scenario, state: LinkState) -> LinkState:
        """The state one cycle later."""
        k = state.k + 1
        r = self.correlation(scenario, state.k)
        kept = state.units[-self.age :]
        measured = k - len(kept)
        innovations = self._rng(draws.SHADOWING, k)
        if measured > state.measured and (drawn := self._streams(innovations, measured)) is not None:
            since, spread = self.correlation(scenario, state.measured), self.spread_db(scenario, measured)
            seen = Measurement(kept[0], since, spread, float(scenario.twin.link_noise_db))
            known = state.links.mean, state.links.variance
            unit, *learnt = walk_links(state.units[-1], r, drawn[0], seen, drawn[1], known)
            return LinkState(k, (*kept, unit), measured, LinkEstimate(*learnt))
        unit, links = step_shadowing(state.units[-1], r, innovations), state.links
        if measured > state.measured:
            links = links.followed(self.correlation(scenario, state.measured), *self._seen(scenario, kept[0], measured))
        return LinkState(k, (*kept, unit), measured, links)

    def _streams(self, innovations: np.random.Generator, measured: int) -> tuple[Stream, Stream] | None:
        """Where the numbers of both kinds begin; None where they cannot be drawn side by side."""
        first, second = stream_of(innovations), stream_of(self._rng(draws.LINK_QUALITY, measured))
        return (first, second) if self.replay is None and first is not None and second is not None else None

    def _seen(
        self, scenario: Scenario, unit: NDArray[np.float64], k: int
    ) -> tuple[NDArray[np.float64], PairTable, float]:
        """The measurements of cycle k, (P,) [dB], the spread there, and their error [dB]."""
        noise_db, spread = scenario.twin.link_noise_db, self.spread_db(scenario, k)
        rng = self._rng(draws.LINK_QUALITY, k)
        if self.replay is None:
            return measured_shadowing_db(Shadowing(unit, spread), noise_db, rng), spread, noise_db
        instead = self.replay.shadowing_db(scenario, self.trace.positions[k], self.los, k)
        return measured_shadowing_db(Shadowing(unit, spread), noise_db, rng, instead), spread, noise_db

    def errors_db(self, scenario: Scenario, k: int) -> NDArray[np.float64]:
        """Errors of the measurements of cycle k, (P,) [dB]."""
        nodes = len(self.los)
        silent = Shadowing(np.zeros(pair_count(nodes)), PairTable.constant(nodes, 0.0))
        return measured_shadowing_db(silent, scenario.twin.link_noise_db, self._rng(draws.LINK_QUALITY, k))

    def _rng(self, stream: int, k: int) -> np.random.Generator:
        """A generator of its own for every cycle, so that the draws depend on (seed, stream, cycle) alone."""
        return np.random.default_rng([self.seed, stream, k])


class LinkHistory:
    """States of one mission that somebody has been through: all while they fit, then every second, fourth, … cycle."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._lock = threading.Lock()
        self._states: dict[int, LinkState] = {}
        self._stride = 1
        self._newest = 0

    def at(self, k: int) -> LinkState | None:
        """The state in cycle k, if it is kept."""
        return self._states.get(k)

    def before(self, k: int) -> LinkState | None:
        """The latest kept state up to cycle k."""
        with self._lock:
            return self._states.get(max((found for found in self._states if found <= k), default=-1))

    def keep(self, state: LinkState) -> None:
        """Remember a state."""
        with self._lock:
            if self._newest % self._stride:
                self._states.pop(self._newest, None)
            self._states[state.k], self._newest = state, state.k
            while len(self._states) > 2 and self.nbytes > MAX_HISTORY_BYTES:
                self._stride *= 2
                self._states = {k: s for k, s in self._states.items() if k % self._stride == 0 or k == state.k}

    @property
    def nbytes(self) -> int:
        """Memory in use."""
        return len(self._states) * max((s.nbytes for s in (self._states.get(self._newest),) if s), default=0)


class _Histories:
    """The histories of this process, least recently used ones dropped when they take more than `MAX_BYTES` together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, LinkHistory] = OrderedDict()

    def of(self, scenario: Scenario, trace: Trace, seed: int) -> LinkHistory | None:
        """The history of a mission; None where its trace may still change."""
        if trace.positions.flags.writeable:
            return None
        # the history holds its trace, so that no other one can have this id while it is kept
        key = (history_fields(scenario), id(trace), seed)
        with self._lock:
            history = self._kept.setdefault(key, LinkHistory(trace))
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and sum(w.nbytes for w in self._kept.values()) > MAX_BYTES:
                self._kept.popitem(last=False)
        return history

    def walked(self, scenario: Scenario, trace: Trace, seed: int, k: int) -> int:
        """The latest cycle up to k whose state is kept; 0 where none is."""
        with self._lock:
            history = self._kept.get((history_fields(scenario), id(trace), seed))
        found = history.before(k) if history is not None else None
        return found.k if found is not None else 0

    def clear(self) -> None:
        """Forget everything; what is asked for next is walked from take-off."""
        with self._lock:
            self._kept.clear()


HISTORIES = _Histories()


def history_fields(scenario: Scenario) -> tuple[Hashable, ...]:
    """All of a scenario that moves the shadowing or what the twin learns of it, beside the mission.

    With recorded links the whole radio: what they tell of the shadowing is what the model leaves over.
    """
    net, twin = scenario.network, scenario.twin
    shadowing = net.shadow_scale, net.shadow_corr_los_m, net.shadow_corr_nlos_m
    moves = (*net.gcs, *shadowing, twin.link_noise_db, twin.link_age_cycles)
    return (*moves, at_default_power(scenario).network, scenario.mission) if net.link_trace else moves
