"""One full Algorithm 1 step (certify, then allocate, then pack the frame) against the control period.

States, plan and links are those of a flight after a few cycles. S is the default frame up to N = 50 and 227 slots (125 ms) above.
"repaired" is the value before it was predicted (D23): the ratio says what the prediction costs, everything else being equal and
rounds interleaved. "as printed" is the printed formulation, whose gate forbids pre-pruning (D17). Times are CPU time of the one
thread used, so that a busy machine does not count.

Run: python benchmarks/bench_algorithm1.py [N ...]      (default 50 200 1000)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from results import Figure, publish
from timing import interleaved_ms

from core.allocation import allocate, pack_frame, warm_up
from core.control import ControlModel
from core.scenario import FORMULATIONS, Scenario
from core.simulation import Simulation
from core.twin import certify

CYCLES = 8
ROUNDS = {50: 60, 200: 30, 1000: 9}


def figures(sizes: list[int]) -> Iterator[Figure]:
    warm_up()
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
            topology, model = flight._channel.predicted_links(s, flight._p_hat), ControlModel.of(s)

            def step(s=s, topology=topology, model=model, states=states, plan=plan, facts=flight.calibration):
                q = certify(s, topology, facts, states.c_fail)
                a = allocate(s, model, q, states, plan=plan)
                pack_frame(s, q, a.choice)
                return a

            runs[formulation], found[formulation] = step, step()
        printed = {"paper": runs.pop("paper")}  # apart: its many rows would leave the next one a cold cache
        ms = interleaved_ms(runs, ROUNDS.get(n, 9)) | interleaved_ms(printed, 9)
        for formulation, a in found.items():
            size = f"N = {n}, S = {slots}, {a.candidates.loop.size:,} candidates"
            work = f"Algorithm 1, {formulation}"
            yield Figure(work, size, ms[formulation], "ms", "control period T_s", scenario.control.Ts * 1e3)
            if formulation != "repaired":
                yield Figure(work, size, ms[formulation], "ms", "the repaired value", ms["repaired"])


if __name__ == "__main__":
    publish(figures([int(n) for n in sys.argv[1:]] or [50, 200, 1000]))
