"""Write down the links of a run, so that they can be replayed (D27)."""

from __future__ import annotations

import numpy as np

from core.files.links import LinkTrace
from core.network import link_budget_db
from core.simulation.loop import Simulation
from core.simulation.run import Run


def fly_and_record(simulation: Simulation) -> tuple[Run, LinkTrace]:
    """Fly a simulation to its end; returns the run and all its links.

    Replayed with the same scenario, policy, seed and calibration, the trace gives the same run bit for bit: SNR, shadowing and
    line of sight are all in it, in digits that are exact.
    """
    scenario, records, found = simulation.scenario, [], []
    while not simulation.done:
        k = simulation.k
        topology, shadowing = simulation.links()
        i, j = np.triu_indices(topology.size, 1)
        found.append(
            (
                np.full(len(i), k),
                i,
                j,
                topology.snr_db[i, j],
                shadowing.unit * shadowing.spread.pairs(),
                topology.los[i, j],
            )
        )
        records.append(simulation.step())
    cycle, tx, rx, snr_db, shadow_db, los = (np.concatenate(x) for x in zip(*found, strict=True))
    trace = LinkTrace(
        cycle * scenario.control.Ts, tx, rx, snr_db,
        budget_db=np.full(len(cycle), link_budget_db(scenario)), shadow_db=shadow_db, los=los.astype(np.float64),
    )  # fmt: skip
    return Run.of(scenario, simulation.policy.name, simulation.seed, records), trace
