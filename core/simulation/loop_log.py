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
        served = np.array([r.served for r in records])
        sent = [_sent(r, r.choice[r.served]) for r in records]
        columns: dict[str, NDArray[Any]] = {}
        for name, (kind, empty) in _ACTION.items():
            values = np.concatenate([s[name] for s in sent])
            columns[name] = np.full((*served.shape, *values.shape[1:]), empty, dtype=kind)
            columns[name][served] = values  # row by row, as the records list them
        for name in ("phi", "delay_ms", "phase", "gust", "estimates"):
            columns[name] = np.array([getattr(r, name) for r in records])
        return cls(V=np.array([r.states.V for r in records]), **columns)


_ACTION: dict[str, tuple[type[np.generic], float]] = {
    "ul_nodes": (np.int16, -1),
    "dl_nodes": (np.int16, -1),
    "blocklength": (np.int16, 0),
    "retransmissions": (np.int8, 0),
    "pattern": (np.int8, 0),
    "slots": (np.int16, 0),
    "rho_ul": (np.float64, 0.0),
    "rho_dl": (np.float64, 0.0),
    "g": (np.int32, 0),
    "D_ul": (np.float64, 0.0),
    "D_dl": (np.float64, 0.0),
    "T_cert": (np.float64, 0.0),
    "U": (np.float64, np.nan),
}
"""Arrays about the action: type, and what stands where there is none."""


def _sent(record: CycleRecord, rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """The actions of the served loops of one cycle, rows of its candidates."""
    c = record.candidates
    ul, dl = c.actions.ul[rows], c.actions.dl[rows]
    return {
        "ul_nodes": c.ul_routes.nodes[c.ul_options.route[ul]],
        "dl_nodes": c.dl_routes.nodes[c.dl_options.route[dl]],
        "blocklength": np.column_stack([c.ul_options.n[ul], c.dl_options.n[dl]]),
        "retransmissions": np.column_stack([c.ul_options.n_re[ul], c.dl_options.n_re[dl]]),
        "pattern": c.actions.pattern[rows],
        "slots": c.slots[rows],
        "rho_ul": c.rho_ul[rows],
        "rho_dl": c.rho_dl[rows],
        "g": c.g[rows],
        "D_ul": c.D_ul[rows],
        "D_dl": c.D_dl[rows],
        "T_cert": c.T_cert[rows],
        "U": record.allocation.U[rows] if record.allocation is not None else np.full(len(rows), np.nan),
    }
