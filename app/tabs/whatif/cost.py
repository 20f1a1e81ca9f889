"""How long a study will take: measured by flying the first cycles of some of its runs, corrected by the studies that ran."""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass

from core.scenario import Scenario
from core.simulation import Simulation
from core.studies import Study
from core.studies.policies import policy_to_fly

SEED = 0
"""Of the runs that are timed; they leave nothing behind."""
LOOK_S = 0.15
"""How long one run is flown at most to see how fast it goes [s]."""
LOOKS = 8
"""Runs that are looked at."""
LONG_S = 10.0
"""A shorter study says more about the start of a process than about its runs [s]."""


@dataclass
class Pace:
    """How long runs of this server's studies took, in comparison with what their first cycles had said."""

    factor: float = 1.0

    def learn(self, expected_s: float, took_s: float) -> None:
        """Take what a study of this server took into account, half as much as all that was known before."""
        if expected_s >= LONG_S:
            self.factor = (2.0 * self.factor + took_s / expected_s) / 3.0


PACE = Pace()
"""Of this server process."""


def expected_s(study: Study, workers: int, done: int = 0) -> float:
    """About how long the runs of a study take that are not done yet [s].

    Args:
        study: what is asked for.
        workers: processes that fly; 0 = one.
        done: runs that are on disk.
    """
    cells = list(study.cells())
    ends = [cells[0], cells[-1]] if len(cells) > 1 else cells
    looks = [(study.scenario_of(cell), policy) for policy in study.policies for cell in ends][:LOOKS]
    each = sum(run_s(scenario, policy) for scenario, policy in looks) / len(looks)
    return (study.size - done) * each / max(workers, 1)


@functools.lru_cache(maxsize=64)
def run_s(scenario: Scenario, policy: str) -> float:
    """About how long one run takes on this machine, from its first cycles [s]."""
    simulation = Simulation(scenario, policy_to_fly(policy), SEED)
    simulation.step()  # what is made once is not counted for every cycle
    cycles = simulation.trace.cycles
    start, flown = time.perf_counter(), 0
    while flown < cycles - 1 and (flown == 0 or time.perf_counter() - start < LOOK_S):
        simulation.step()
        flown += 1
    return (time.perf_counter() - start) / max(flown, 1) * cycles
