"""What one control cycle did, for streaming views and for collecting a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.allocation import Allocation, Frame
from core.control import LoopStates
from core.simulation.coverage import Coverage
from core.twin import Candidates

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CycleRecord:
    """One cycle k of a run. Arrays over loops; "start" is instant k·T_s, "end" is (k+1)·T_s.

    Args:
        k: cycle.
        states: controller-side states the decision was made on.
        candidates: actions that were on offer.
        choice: chosen row of the candidates, −1 = no slots, (N,).
        allocation: the allocator's account, None for policies without one.
        frame: the packed TDMA frame.
        fate: core.simulation.Fate of each attempt of the frame, (E,).
        slots_used: slots of the frame in use.
        served: slots allocated, (N,).
        mode: core.allocation.Mode of each loop, (N,).
        uplink, downlink, delivered: telemetry arrived, command arrived, both, (N,).
        delay_ms: command delay of delivered commands, nan otherwise, (N,) [ms].
        positions, estimates, references: true, estimated and reference positions at the end, (N, 3) [m].
        phase: mission phase during the cycle, (N,).
        gust: velocity disturbance averaged over the cycle, (N, 3) [m/s].
        rmse: RMSE(k+1), Eq. (eq:rmse) [m].
        v_normalised: V/V_max of the true errors at the end, (N,).
        v_estimated: V/V_max of the estimated errors at the start, (N,).
        drift_exceeded: certified loops whose controller-side V at the end exceeds ᾱ·V, (N,).
        phi: drift bound Φ of the action of each loop, in the policy's formulation; nan without slots, (N,) [m²].
        bound_exceeded: certified loops whose failed attempts in a row reached their g, (N,).
        stale_hold: loops flying a held command older than H cycles, outside the lifted state, (N,).
        nearest_m: distance to the nearest other UAV at the end, (N,) [m].
        coverage: of the confidence set, by class of route.
        alpha: level at which the margins of each class were read: β, or what the flight has learnt (D26), (6,) [-].
    """

    k: int
    states: LoopStates
    candidates: Candidates
    choice: Ints
    allocation: Allocation | None
    frame: Frame
    fate: NDArray[np.int8]
    slots_used: int
    served: Bools
    mode: NDArray[np.int8]
    uplink: Bools
    downlink: Bools
    delivered: Bools
    delay_ms: Floats
    positions: Floats
    estimates: Floats
    references: Floats
    phase: NDArray[np.int8]
    gust: Floats
    rmse: float
    v_normalised: Floats
    v_estimated: Floats
    phi: Floats
    drift_exceeded: Bools
    bound_exceeded: Bools
    stale_hold: Bools
    nearest_m: Floats
    coverage: Coverage
    alpha: Floats

    def routes(self) -> list[tuple[int, list[int], list[int]]]:
        """(loop, uplink nodes, downlink nodes) of every served loop; node 0 is the ground station."""
        c = self.candidates
        found = []
        for i in np.flatnonzero(self.served):
            row = self.choice[i]
            up = c.ul_routes.nodes[c.ul_options.route[c.actions.ul[row]]]
            down = c.dl_routes.nodes[c.dl_options.route[c.actions.dl[row]]]
            found.append((int(i), up[up >= 0].tolist(), down[down >= 0].tolist()))
        return found
