"""The closed loop: simulated seconds per second, growth with N, and the same loop in plain Python.

"plain Python" is the same code with the compiler switched off (NUMBA_DISABLE_JIT=1) in a process of its own; both fly
the same cycles of the same mission and must end with the same RMSE. Times are CPU time of the one thread used, best
of interleaved rounds, so that a busy machine does not count.

Run: python benchmarks/bench_simulation.py [--quick]
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

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


def missions(names: list[str]) -> None:
    """Whole missions at the defaults."""
    scenario = Scenario()
    best = dict.fromkeys(names, float("inf"))
    for name in names:
        simulate(scenario, name, 0)
    for seed in range(ROUNDS):
        for name in names:
            start = time.process_time()
            simulate(scenario, name, seed)
            best[name] = min(best[name], time.process_time() - start)
    flown = scenario.mission.duration_s
    print(f"one mission of {flown:g} s, N = {scenario.mission.uavs}")
    for name in names:
        print(f"  {name:<14}{best[name]:8.2f} s   {flown / best[name]:6.0f} simulated seconds per second")


def growth(sizes: tuple[int, ...]) -> None:
    """SAFE's cycle as the swarm grows, the frame growing with it up to what the period holds."""
    print("SAFE, one cycle")
    for n in sizes:
        slots = min(450, 160 * n // 50)
        scenario = Scenario().replace(**{"mission.uavs": n, "network.slots": slots})
        seconds = min(seconds_per_cycle(scenario, "SAFE", 20 if n < 1000 else 5)[0] for _ in range(ROUNDS))
        share = seconds / scenario.control.Ts
        print(f"  N = {n:<6} S = {slots:<5}{seconds * 1e3:8.1f} ms   {share:6.1%} of the control period")


def plain_python(cycles: int) -> None:
    """The ratio, and that both flew the same."""
    print(f"compiled against plain Python, N = 50, {cycles} cycles")
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
        same = "same RMSE" if abs(plain_rmse - rmse) < 1e-9 else f"RMSE DIFFERS: {plain_rmse} {rmse}"
        print(
            f"  {policy:<12}{compiled * 1e3:8.1f} ms {plain * 1e3:9.0f} ms   {plain / compiled:6.0f} times   ({same})"
        )


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--child"]:
        print(*seconds_per_cycle(Scenario(), arguments[1], int(arguments[2])))
        return
    quick = "--quick" in arguments
    missions(["SAFE", "VoI-Sched"] if quick else list(POLICIES))
    growth((50, 200) if quick else (50, 200, 1000))
    plain_python(1 if quick else 2)


if __name__ == "__main__":
    main(sys.argv[1:])
