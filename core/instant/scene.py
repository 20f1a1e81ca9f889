"""What the twin predicts of every link at an instant: the flight's estimates under the radio of any scenario."""

from __future__ import annotations

import dataclasses
import functools
import threading

from core.instant.flight import Flight, FlightKey, Floats
from core.network import Topology
from core.scenario import Affects, Scenario, fields_affecting
from core.simulation import Channel, reference

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


def predicted_links(s: Scenario, flight: Flight, k: int) -> Topology:
    """Links that the twin predicts at the start of cycle k (eq:dt-state-map); the link budget shifts cached ones.

    Args:
        s: radio, building and twin; its mission is the flight's.
        flight: whose estimated positions and whose luck with the channel.
        k: cycle.
    """
    found = _links(geometry(s), flight.key, flight.at(k))
    n, plain = s.network, _PLAIN.network
    shift = n.snr_offset_db - plain.snr_offset_db + n.tx_power_dbm - plain.tx_power_dbm
    return dataclasses.replace(found, snr_db=found.snr_db + shift)


@functools.lru_cache(maxsize=32)
def _links(s: Scenario, key: FlightKey, k: int) -> Topology:
    estimates = Flight.keyed(key).estimates(k)
    return _walk(s, key.seed).predicted(k, estimates)


@functools.lru_cache(maxsize=4)
def _walk(s: Scenario, seed: int) -> _Walk:
    return _Walk(s, seed)


class _Walk:
    """The channel of a scenario's mission, which nobody's decisions change: goes on from where it stands, or anew."""

    def __init__(self, scenario: Scenario, seed: int) -> None:
        self._scenario, self._seed = scenario, seed
        self._lock = threading.Lock()
        self._channel: Channel | None = None

    def predicted(self, k: int, estimates: Floats) -> Topology:
        """Topology the twin predicts in cycle k."""
        with self._lock:
            channel = self._channel
            if channel is None or channel.k > k:
                channel = Channel(self._scenario, reference(self._scenario, self._seed), self._seed)
            while channel.k < k:
                channel.advance(self._scenario)
            self._channel = channel
            return channel.predicted(self._scenario, estimates)
