"""What every loop did in every cycle beside what the metrics need: its action, the certificate, what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.simulation.record import CycleRecord

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LoopLog:
    """Arrays by cycle and loop; of a loop without slots the action's numbers are 0, its routes −1, its energies nan.

    Args:
        V: Lyapunov value of the estimated errors at the start, (cycles, N) [m²].
        ul_nodes, dl_nodes: nodes of the routes in travel order, padded −1; node 0 is the ground station, i + 1 the UAV
            of loop i, (cycles, N, 4).
        blocklength: of uplink and downlink, (cycles, N, 2) [complex symbols].
        retransmissions: limit per hop of uplink and downlink, (cycles, N, 2).
        pattern: position in SLOT_PATTERNS, (cycles, N).
        slots: (cycles, N).
        rho_ul, rho_dl, g, D_ul, D_dl, T_cert: certificate of the action, (cycles, N) [-, -, attempts, s, s, s].
        phi: drift bound Φ of the action in the policy's formulation, (cycles, N) [m²].
        U: value of the action, nan for policies without an allocator, (cycles, N) [m²].
        delay_ms: command delay, nan where no command arrived, (cycles, N) [ms].
        phase: core.simulation.Phase, (cycles, N).
        gust: velocity disturbance averaged over the cycle, (cycles, N, 3) [m/s].
        estimates: controller-side positions at the end, (cycles, N, 3) [m].
    """

    V: Floats
    ul_nodes: NDArray[np.int16]
    dl_nodes: NDArray[np.int16]
    blocklength: NDArray[np.int16]
    retransmissions: NDArray[np.int8]
    pattern: NDArray[np.int8]
    slots: NDArray[np.int16]
    rho_ul: Floats
    rho_dl: Floats
    g: NDArray[np.int32]
    D_ul: Floats
    D_dl: Floats
    T_cert: Floats
    phi: Floats
    U: Floats
    delay_ms: Floats
    phase: NDArray[np.int8]
    gust: Floats
    estimates: Floats

    @classmethod
    def of(cls, records: Sequence[CycleRecord]) -> LoopLog:
        """Collect the cycles of one run."""
        cycles, N = len(records), len(records[0].choice)
        columns: dict[str, NDArray[Any]] = {
            "ul_nodes": np.full((cycles, N, 4), -1, np.int16),
            "dl_nodes": np.full((cycles, N, 4), -1, np.int16),
            "blocklength": np.zeros((cycles, N, 2), np.int16),
            "retransmissions": np.zeros((cycles, N, 2), np.int8),
            "pattern": np.zeros((cycles, N), np.int8),
            "slots": np.zeros((cycles, N), np.int16),
            "g": np.zeros((cycles, N), np.int32),
            "U": np.full((cycles, N), np.nan),
            **{name: np.zeros((cycles, N)) for name in ("rho_ul", "rho_dl", "D_ul", "D_dl", "T_cert")},
        }
        for k, record in enumerate(records):
            c, at = record.candidates, np.flatnonzero(record.served)
            rows = record.choice[at]
            ul, dl = c.actions.ul[rows], c.actions.dl[rows]
            columns["ul_nodes"][k, at] = c.ul_routes.nodes[c.ul_options.route[ul]]
            columns["dl_nodes"][k, at] = c.dl_routes.nodes[c.dl_options.route[dl]]
            for side, (options, of) in enumerate(((c.ul_options, ul), (c.dl_options, dl))):
                columns["blocklength"][k, at, side] = options.n[of]
                columns["retransmissions"][k, at, side] = options.n_re[of]
            columns["pattern"][k, at] = c.actions.pattern[rows]
            for name in ("slots", "rho_ul", "rho_dl", "g", "D_ul", "D_dl", "T_cert"):
                columns[name][k, at] = getattr(c, name)[rows]
            if record.allocation is not None:
                columns["U"][k, at] = record.allocation.U[rows]
        for name in ("phi", "delay_ms", "phase", "gust", "estimates"):
            columns[name] = np.array([getattr(r, name) for r in records])
        return cls(V=np.array([r.states.V for r in records]), **columns)
