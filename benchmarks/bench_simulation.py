"""The closed loop: simulated seconds per second, growth with N, and the same loop in plain Python.

"plain Python" is the same code with the compiler switched off (NUMBA_DISABLE_JIT=1) in a process of its own; both fly
the same cycles of the same mission and must end with the same RMSE. Times are CPU time of the one thread used, best
of interleaved rounds, so that a busy machine does not count.

Run: python benchmarks/bench_simulation.py [--quick]
"""

from __future__ import annotations

import functools
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Iterator

from results import Figure, publish
from timing import interleaved_ms

from core.scenario import Scenario
from core.simulation import POLICIES, Simulation, simulate

ROUNDS = 3


def seconds_per_cycle(scenario: Scenario, policy: str, cycles: int, warm_up: int = 2) -> tuple[float, float]:
    """CPU seconds per cycle after the first ones, and the RMSE at the end."""
    simulation = Simulation(scenario, policy, 0)
    for _ in range(warm_up):
        simulation.step()
    start = time.process_time()
    for _ in range(cycles):
        rmse = simulation.step().rmse
    return (time.process_time() - start) / cycles, rmse


def missions(names: list[str]) -> Iterator[Figure]:
    """Whole missions at the defaults."""
    scenario = Scenario()
    for name in names:
        simulate(scenario, name, 0)
    seeds = {name: itertools.count() for name in names}
    runs = {name: functools.partial(lambda name: simulate(scenario, name, next(seeds[name])), name) for name in names}
    flown = scenario.mission.duration_s
    for name, ms in interleaved_ms(runs, ROUNDS).items():
        yield Figure(f"mission, {name}", f"N = {scenario.mission.uavs}, {flown:g} s", ms / 1e3, "s", "real time", flown)


def growth(sizes: tuple[int, ...]) -> Iterator[Figure]:
    """SAFE's cycle as the swarm grows, the frame growing with it up to what the period holds."""
    for n in sizes:
        slots = min(450, 160 * n // 50)
        scenario = Scenario().replace(**{"mission.uavs": n, "network.slots": slots})
        seconds = min(seconds_per_cycle(scenario, "SAFE", 20 if n < 1000 else 5)[0] for _ in range(ROUNDS))
        period = scenario.control.Ts * 1e3
        yield Figure("one cycle, SAFE", f"N = {n}, S = {slots}", seconds * 1e3, "ms", "control period T_s", period)


def plain_python(cycles: int) -> Iterator[Figure]:
    """The ratio, and that both flew the same."""
    for policy in ("SAFE", "VoI-Sched"):
        compiled, rmse = min(seconds_per_cycle(Scenario(), policy, cycles) for _ in range(ROUNDS))
        child = subprocess.run(
            [sys.executable, __file__, "--child", policy, str(cycles)],
            env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"},
            capture_output=True,
            text=True,
            check=True,
        )
        plain, plain_rmse = map(float, child.stdout.split())
        if abs(plain_rmse - rmse) > 1e-9:
            raise SystemExit(f"RMSE differs: {plain_rmse} in plain Python, {rmse} compiled")
        yield Figure(f"one cycle, {policy}", "N = 50", compiled * 1e3, "ms", "the compiler switched off", plain * 1e3)


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--child"]:
        print(*seconds_per_cycle(Scenario(), arguments[1], int(arguments[2])))
        return
    quick = "--quick" in arguments
    publish(missions(["SAFE", "VoI-Sched"] if quick else list(POLICIES)))
    publish(growth((50, 200) if quick else (50, 200, 1000)))
    publish(plain_python(1 if quick else 2))


if __name__ == "__main__":
    main(sys.argv[1:])
