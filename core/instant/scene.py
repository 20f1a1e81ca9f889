"""What the twin predicts of every link at an instant: the flight's estimates under the radio of any scenario."""

from __future__ import annotations

import dataclasses
import functools
import threading

from core.instant.flight import Flight, Floats
from core.instant.key import FlightKey
from core.kept import remembered
from core.network import Topology
from core.scenario import Affects, Scenario, fields_affecting
from core.simulation import Channel, reference
from core.simulation.link_history import HISTORIES
from core.wanted import check, holding

_PLAIN = Scenario()
_NO_SLOTS = _PLAIN.replace(**{"network.slots": 0})
"""They shape no link, and none fit into every control period."""


@functools.lru_cache(maxsize=64)
def geometry(s: Scenario) -> Scenario:
    """The scenario with everything that does not shape the links at one value: the key of their cache."""
    return _only(s, _NO_SLOTS, Affects.LINKS)


@functools.lru_cache(maxsize=64)
def radio(s: Scenario) -> Scenario:
    """The scenario with everything that does not shape a certificate at its default: the key of the candidates."""
    return _only(s, _PLAIN, Affects.CERTIFICATES)


def _only(s: Scenario, plain: Scenario, effect: Affects) -> Scenario:
    return plain.replace(**{name: s.value(name) for name in fields_affecting(effect)})


WALK_S = 1.5e-8
"""What one cycle of one link takes to walk through, about: 7 ms for 1,000 UAVs [s]."""
Course = tuple[tuple[int, Scenario], ...]
"""Geometries that shaped the channel, each with the first cycle in which it did."""


def predicted_links(s: Scenario, flight: Flight, k: int) -> Topology:
    """Links that the twin predicts at the start of cycle k (eq:dt-state-map); the link budget shifts cached ones.

    Another geometry than the flown one counts from take-off on, or from the change that began the segment of cycle k.

    Args:
        s: radio, building and twin; its mission is the flight's.
        flight: whose estimated positions and whose luck with the channel.
        k: cycle.
    """
    k = flight.at(k)
    found = _links(_course(geometry(s), flight, k), flight.key, k)
    n, plain = s.network, _PLAIN.network
    shift = n.snr_offset_db - plain.snr_offset_db + n.tx_power_dbm - plain.tx_power_dbm
    return dataclasses.replace(found, snr_db=found.snr_db + shift)


def cycles_to_walk(s: Scenario, flight: Flight, k: int) -> int:
    """How many cycles of the links must be walked through before `predicted_links` knows them: what makes a what-if on the
    channel slow late in a long flight, some `WALK_S` for each pair of nodes and cycle.

    Args:
        s, flight, k: as for `predicted_links`.
    """
    k = flight.at(k)
    course = _course(geometry(s), flight, k)
    if _links.known(course, flight.key, k):
        return 0
    until = course[1][0] if len(course) > 1 else k  # where the scenario changed, nobody else's walk helps
    return k - HISTORIES.walked(course[0][1], flight.trace, flight.key.seed, min(k, until))


def _course(now: Scenario, flight: Flight, k: int) -> Course:
    """The geometries flown until the segment of cycle k, then the one asked for."""
    if not flight.key.changes:
        return ((0, now),)
    flown = [s for s in flight.segments if s.start <= k]
    return _merged([*((s.start, geometry(s.scenario)) for s in flown[:-1]), (flown[-1].start, now)])


def flown_course(flight: Flight) -> Course:
    """The geometries of the whole flight."""
    return _merged([(s.start, geometry(s.scenario)) for s in flight.segments])


def _merged(course: list[tuple[int, Scenario]]) -> Course:
    """Without changes that change nothing."""
    return tuple(x for n, x in enumerate(course) if n == 0 or course[n - 1][1] != x[1])


@remembered(most_bytes=128_000_000, most=32)
def _links(course: Course, key: FlightKey, k: int) -> Topology:
    estimates = Flight.keyed(key).estimates(k)
    return _walk(course, key.seed).predicted(k, estimates)


@functools.lru_cache(maxsize=4)
def _walk(course: Course, seed: int) -> Walk:
    return Walk(course, seed)


class Walk:
    """The channel of a scenario's mission, which nobody's decisions change: goes on from where it or a flight stands.

    Args:
        course: the geometries that shape it.
        seed: of the flight.
    """

    def __init__(self, course: Course, seed: int) -> None:
        self._course, self._seed = course, seed
        self._lock = threading.Lock()
        self._channel: Channel | None = None

    def predicted(self, k: int, estimates: Floats, scenario: Scenario | None = None) -> Topology:
        """Topology the twin predicts in cycle k.

        Args:
            k: cycle.
            estimates: positions, shape (N, 3) [m].
            scenario: with the link budget; one of its geometry with the default budget when None.
        """
        with holding(self._lock):
            first = self._course[0][1]
            channel = self._channel
            if channel is None or channel.k > k:
                channel = self._channel = Channel(first, reference(first, self._seed), self._seed)
            changed = self._course[1][0] if len(self._course) > 1 else k
            if channel.k < min(k, changed):
                channel.reach(first, min(k, changed))
            while channel.k < k:
                check()
                channel.advance(self._at(channel.k))
            return channel.predicted(scenario if scenario is not None else self._at(k), estimates)

    def _at(self, k: int) -> Scenario:
        return next(shape for start, shape in reversed(self._course) if start <= k)
