"""Which loop to look at first."""

from __future__ import annotations

import functools

from core.instant.flight import Flight
from core.instant.key import FlightKey


def interesting_loop(flight: Flight, cycle: int) -> int:
    """The loop that teaches most in this cycle: some actions refused, some dominated, served, many frontier points.

    It depends on the flight alone, so it stays put while sliders of channel, twin, controller or state move.
    """
    return _interesting(flight.key, flight.at(cycle))


@functools.lru_cache(maxsize=64)
def _interesting(key: FlightKey, cycle: int) -> int:
    here = Flight.keyed(key).instant(cycle)
    plain = {"network.patterns": ("ul-first",), "allocation.directional_pruning": False}
    here = here.replace(scenario=here.scenario.replace(**plain))
    q, found = here.candidates, here.allocation
    best, score = 0, (-1, False, -1)
    for i in range(len(here.states)):
        rows = slice(q.offsets[i], q.offsets[i + 1])
        frontier, admitted = int(found.frontier[rows].sum()), int(found.admitted[rows].sum())
        refused = rows.stop - rows.start - admitted
        mine = (int(refused > 0.05 * admitted) + int(admitted > frontier), bool(found.choice[i] >= 0), frontier)
        if mine > score:
            best, score = i, mine
    return best
