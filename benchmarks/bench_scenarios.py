"""Random valid scenarios through every stage of the chain: the slowest of each, and the longest wait of one who stops.

Each scenario is flown to cycle 60 (or to the end of its mission) and looked at there. "longest wait" is the most processor time between
two questions whether the work is still wanted: a closed page's work ends that much later at most.

Run: PYTHONPATH=tests/support python benchmarks/bench_scenarios.py [COUNT]      (default 200)
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Any

from random_scenarios import random_scenarios
from results import Figure, publish

from core.control import ControlModel
from core.errors import SafeExplorerError
from core.instant import Flight, Instant, takeoff
from core.scenario import Scenario
from core.simulation import reference, snapshot
from core.simulation.link_history import HISTORIES
from core.wanted import while_wanted

CYCLE, SEED = 60, 1
SLOW_S = 2.0
"""Work of more than this must have been announced before it starts."""


def stages(s: Scenario) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every stage of one scenario, each after those that it needs."""
    k = min(CYCLE, s.cycles - 1)
    yield "control side", lambda: ControlModel.of(s)
    yield "trace", lambda: reference(s, SEED)
    yield "snapshot at cycle 100", lambda: snapshot(s, SEED, 100)
    HISTORIES.clear()
    flight = Flight.of(takeoff(s), "SAFE", SEED)
    yield f"flight to cycle {CYCLE}", lambda: flight.reach(k)
    here = Instant(flight, flight.at(k), s)
    yield "links", lambda: here.topology
    yield "candidates", lambda: here.candidates
    yield "allocation", lambda: here.allocation
    yield "focus", lambda: str(here.on(0).why)
    yield "value of slots", lambda: (here.curve, here.next_useful)
    yield "printed formulas", lambda: here.other_policies(["SAFE-paper"])
    yield "P1", here.benchmark


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Processor seconds of some work, and the longest time in it in which nobody could have stopped it."""
    asked = [time.thread_time()]

    def wanted() -> bool:
        asked.append(time.thread_time())
        return True

    with while_wanted(wanted):
        work()
    wanted()
    return asked[-1] - asked[0], max(b - a for a, b in pairwise(asked))


def figures(count: int) -> Iterator[Figure]:
    taken: dict[str, list[tuple[float, float]]] = {}
    for s in islice(random_scenarios(), count):
        try:
            for name, work in stages(s):
                taken.setdefault(name, []).append(timed(work))
        except SafeExplorerError:  # said in words: no certificate, too many actions
            continue
    for name, found in taken.items():
        size = f"{len(found)} random scenarios"
        yield Figure(f"{name}, slowest", size, max(t for t, _ in found) * 1e3, "ms", "announced beyond", SLOW_S * 1e3)
        yield Figure(f"{name}, longest wait", size, max(w for _, w in found) * 1e3, "ms", "allowed", 200.0)


def main() -> None:
    small = Scenario().replace(**{"mission.uavs": 6, "mission.duration_s": 16.0})
    for _, work in stages(small):
        work()  # compiles
    publish(figures(int(sys.argv[1]) if len(sys.argv) > 1 else 200))


if __name__ == "__main__":
    main()
