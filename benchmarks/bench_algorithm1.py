"""One full Algorithm 1 step (certify, then allocate, then pack the frame) against the control period.

States, plan and links are those of a flight after a few cycles. S is the default frame up to N = 50 and 227 slots (125 ms) above.
"repaired" is the value before it was predicted (D23): the ratio says what the prediction costs, everything else being equal and
rounds interleaved. "as printed" is the printed formulation, whose gate forbids pre-pruning (D17). Times are CPU time of the one
thread used, so that a busy machine does not count.

Run: python benchmarks/bench_algorithm1.py [N ...]      (default 50 200 1000)
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from core.allocation import allocate, pack_frame, warm_up
from core.control import ControlModel
from core.scenario import FORMULATIONS, Scenario
from core.simulation import Simulation
from core.twin import certify

CYCLES = 8
ROUNDS = {50: 60, 200: 30, 1000: 9}


def interleaved_ms(runs: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Fewest milliseconds of processor time of each, taking turns."""
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.process_time()
            run()
            best[name] = min(best[name], (time.process_time() - start) * 1e3)
    return best


def main(sizes: list[int]) -> None:
    warm_up()
    print(
        f"{'N':>5} {'S':>4} {'formulation':>12} {'candidates':>11} {'served':>7} {'step ms':>9} {'of T_s':>8} {'of repaired':>12}"
    )
    for n in sizes:
        slots = 160 if n <= 50 else 227
        scenario = Scenario().replace(**{"mission.uavs": n, "network.slots": slots})
        flight = Simulation(scenario, "SAFE", 0)
        for _ in range(CYCLES):
            flight.step()
        states, plan = flight.states(), flight._view(flight.states()).plan
        runs, found = {}, {}
        for formulation in FORMULATIONS:
            s = scenario.replace(formulation=formulation)
            topology, model = flight._channel.predicted(s, flight._p_hat), ControlModel.of(s)

            def step(s=s, topology=topology, model=model, states=states, plan=plan, facts=flight.calibration):
                q = certify(s, topology, facts, states.c_fail)
                a = allocate(s, model, q, states, plan=plan)
                pack_frame(s, q, a.choice)
                return a

            runs[formulation], found[formulation] = step, step()
        printed = {"paper": runs.pop("paper")}  # apart: its many rows would leave the next one a cold cache
        ms = interleaved_ms(runs, ROUNDS.get(n, 9)) | interleaved_ms(printed, 9)
        for formulation, a in found.items():
            row = f"{n:>5} {slots:>4} {formulation:>12} {a.candidates.loop.size:>11} {int((a.choice >= 0).sum()):>7}"
            share = ms[formulation] / (scenario.control.Ts * 1e3)
            print(f"{row} {ms[formulation]:>9.2f} {share:>8.1%} {ms[formulation] / ms['repaired']:>11.2f}x")


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or [50, 200, 1000])
