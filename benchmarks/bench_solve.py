"""Curves over one quantity against the slow way: a whole instant for every value, made by `instant.replace` and read by `on`.

Run: python benchmarks/bench_solve.py
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

from results import Figure, publish
from timing import best_ms

from core.errors import SafeExplorerError
from core.instant import Flight, Focus, Solution, Variable
from core.instant import instant as instants
from core.scenario import Scenario

CYCLE, LOOP = 60, 16
NAMES = (
    "network.snr_offset_db",
    "twin.beta",
    "twin.delta_T",
    "twin.H_T",
    "network.slots",
    "v_ratio",
    "sigma_share",
    "c",
)


def brute(focus: Focus, name: str, solution: Solution) -> Callable[[], None]:
    """The same values the slow way, without what an earlier round has left in the cache."""
    variable, key = Variable(name, focus.instant, focus.loop), focus.held.key if focus.held is not None else ""

    def work() -> None:
        instants._certified.cache_clear()
        for x in solution.curves.x:
            try:
                there = variable.at(float(x)).on(focus.loop, key)
                _ = there.counts, there.held, there.chosen
            except SafeExplorerError:
                continue

    return work


def figures() -> Iterator[Figure]:
    for uavs in (50, 200):
        scenario = Scenario().replace(**{"mission.uavs": uavs})
        focus = Flight.of(scenario, "SAFE", 0).instant(CYCLE if uavs == 50 else 5).on(LOOP)
        for name in NAMES if uavs == 50 else NAMES[:2]:
            solution = focus.solve(name)
            size = f"N = {uavs}, {len(solution.curves.x)} values"
            ours, slow = best_ms(functools.partial(focus.solve, name), 3), best_ms(brute(focus, name, solution), 2)
            yield Figure(f"solve for {name}", size, ours / 1e3, "s", "an instant per value", slow / 1e3)


if __name__ == "__main__":
    publish(figures())
