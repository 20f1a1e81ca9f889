"""One full Algorithm 1 step (certify, then allocate, then pack the frame) against the control period.

Loop states are drawn once: error energies around the lag floor with a few large ones, staleness 0 to 6. S is the
default frame up to N = 50 and 227 slots (125 ms) above. "as printed" is the printed formulation, whose gate forbids
pre-pruning (D17). Times are CPU time of the one thread used, so that a busy machine does not count.

Run: python benchmarks/bench_algorithm1.py [N ...]      (default 50 200 1000)
"""

from __future__ import annotations

import sys

import numpy as np
from timing import best_ms

from core.allocation import allocate, pack_frame, warm_up
from core.control import ControlModel, LoopStates
from core.scenario import Scenario
from core.simulation import snapshot
from core.twin import certify, default_calibration


def states(model: ControlModel, n: int) -> LoopStates:
    rng = np.random.default_rng(7)
    c = rng.integers(0, 7, n)
    V = model.V_max * 0.07 * rng.lognormal(0.0, 0.7, n)
    return LoopStates(V, model.tr_meas + (1 + c) * model.tr_proc, c, np.minimum(c, rng.integers(0, 3, n)), c > 6)


def main(sizes: list[int]) -> None:
    warm_up()
    calibration = default_calibration()
    head = f"{'N':>5} {'S':>4} {'candidates':>11} {'frontier':>9} {'served':>7} {'certify':>9} {'allocate':>9} {'frame':>7}"
    print(f"{head} {'step ms':>9} {'of T_s':>8}")
    for formulation in ("repaired", "paper"):
        print("as printed" if formulation == "paper" else "repaired (default)")
        totals = []
        for n in sizes:
            slots = 160 if n <= 50 else 227
            scenario = Scenario().replace(**{"mission.uavs": n, "network.slots": slots, "formulation": formulation})
            model = ControlModel.of(scenario)
            s = states(model, n)
            topology = snapshot(scenario, seed=0).topology
            q = certify(scenario, topology, calibration, s.c_fail)
            a = allocate(scenario, model, q, s)
            certify_ms = best_ms(lambda: certify(scenario, topology, calibration, s.c_fail))  # noqa: B023
            allocate_ms = best_ms(lambda: allocate(scenario, model, q, s))  # noqa: B023
            frame_ms = best_ms(lambda: pack_frame(scenario, q, a.choice))  # noqa: B023
            step = certify_ms + allocate_ms + frame_ms
            totals.append(step)
            share = step / (scenario.control.Ts * 1e3)
            row = f"{n:>5} {slots:>4} {q.loop.size:>11} {int(a.frontier.sum()):>9} {int((a.choice >= 0).sum()):>7}"
            print(f"{row} {certify_ms:>9.2f} {allocate_ms:>9.2f} {frame_ms:>7.2f} {step:>9.2f} {share:>8.1%}")
        for (n, ms), (m, more) in zip(
            zip(sizes, totals, strict=True), list(zip(sizes, totals, strict=True))[1:], strict=False
        ):
            print(f"  from N = {n} to {m}: {m / n:.0f} × the loops, {more / ms:.1f} × the time")


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or [50, 200, 1000])
