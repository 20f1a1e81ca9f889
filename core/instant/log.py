"""What a flight keeps of every cycle: what the controller knew when it began, and what came of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.simulation import CycleRecord, Simulation
from core.twin import ROUTE_CLASSES

_START: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {
    "estimates": (np.float64, (3,)),
    "u": (np.float64, (3,)),
    "tr_sigma": (np.float64, ()),
    "c": (np.int32, ()),
    "c_fail": (np.int32, ()),
    "safe": (np.bool_, ()),
}
"""At the start of a cycle, exactly: decisions depend on it. ê and ẑ follow from the estimates of this and earlier cycles."""

_END: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {
    "positions": (np.float32, (3,)),
    "v_normalised": (np.float32, ()),
    "nearest_m": (np.float32, ()),
    "mode": (np.int8, ()),
    "flags": (np.uint8, ()),
}
"""At the end of a cycle, for pictures and summaries only."""

FLAGS = ("served", "uplink", "downlink", "drift_exceeded", "bound_exceeded", "stale_hold")
"""Bits of `flags`, the first is the lowest."""

ATTEMPT = np.dtype(
    [
        ("slot", np.int16),
        ("length", np.int16),
        ("loop", np.int16),
        ("direction", np.int8),
        ("hop", np.int8),
        ("attempt", np.int8),
        ("tx", np.int16),
        ("rx", np.int16),
        ("fate", np.int8),
    ]
)
"""One reserved attempt of a frame, columns as in `core.allocation.Frame`, and its `core.simulation.Fate`."""

SENT = np.dtype(
    [
        ("loop", np.int16),
        ("ul", np.int16, 4),
        ("dl", np.int16, 4),
        ("n", np.int16, 2),
        ("n_re", np.int8, 2),
        ("pattern", np.int8),
    ]
)
"""The action of a served loop, as in `core.twin.Exchange`; routes padded −1."""


class FlightLog:
    """One row per cycle. A row is complete before it counts, and never changes then: reading needs no lock.

    Args:
        cycles: of the mission.
        uavs: N.
    """

    def __init__(self, cycles: int, uavs: int) -> None:
        self.begun = 0
        """Cycles whose start is known."""
        self.ended = 0
        """Cycles whose end is known."""
        shapes = {name: ((cycles, uavs, *shape), kind) for name, (kind, shape) in (_START | _END).items()}
        self.columns: dict[str, NDArray[Any]] = {name: np.empty(shape, kind) for name, (shape, kind) in shapes.items()}
        self.takeoff = np.empty((uavs, 3), dtype=np.float32)
        """True positions at the start of the mission [m]."""
        self.rmse = np.empty(cycles)
        self.slots_used = np.empty(cycles, dtype=np.int32)
        self.online = np.zeros((cycles, len(ROUTE_CLASSES)))
        """What the twin had learnt about β at the start of each cycle, as in `core.twin.OnlineBeta`."""
        self.routes, self.covered = np.zeros((2, cycles, len(ROUTE_CLASSES)), dtype=np.int32)
        """Candidate routes with a margin, and those that kept within it, by class of route."""
        self.delays: list[NDArray[np.float64]] = []
        """Command delays of the commands that arrived in each cycle, loops in order [ms]."""
        self.frames: list[NDArray[Any]] = []
        """Attempts of each cycle, rows of ATTEMPT."""
        self.sent: list[NDArray[Any]] = []
        """Actions of each cycle, rows of SENT."""

    def begin(self, simulation: Simulation) -> None:
        """Keep the start of the simulation's next cycle."""
        states = simulation.states()
        if self.begun == 0:
            self.takeoff[:] = simulation._p
        for name in ("u", "tr_sigma", "c", "c_fail", "safe"):
            self.columns[name][self.begun] = getattr(states, name)
        self.columns["estimates"][self.begun] = simulation._p_hat
        self.online[self.begun] = simulation.online.shift
        self.begun += 1

    def end(self, record: CycleRecord) -> None:
        """Keep what a cycle did."""
        k = self.ended
        for name in ("positions", "v_normalised", "nearest_m", "mode"):
            self.columns[name][k] = getattr(record, name)
        self.columns["flags"][k] = sum(getattr(record, name).astype(np.uint8) << bit for bit, name in enumerate(FLAGS))
        self.rmse[k], self.slots_used[k] = record.rmse, record.slots_used
        self.routes[k], self.covered[k] = record.coverage.routes, record.coverage.covered
        self.delays.append(record.delay_ms[record.downlink])
        self.frames.append(_attempts(record))
        self.sent.append(_sent(record))
        self.ended += 1

    def until(self, cycle: int) -> FlightLog:
        """A log of its own with the start of every cycle up to this one, and the end of those before it."""
        columns = self.columns
        found = FlightLog(*columns["mode"].shape)
        found.begun, found.ended = min(self.begun, cycle + 1), min(self.ended, cycle)
        for names, rows in ((_START, found.begun), (_END, found.ended)):
            for name in names:
                found.columns[name][:rows] = columns[name][:rows]
        found.online[: found.begun] = self.online[: found.begun]
        found.takeoff, rows = self.takeoff, found.ended
        found.routes[:rows], found.covered[:rows] = self.routes[:rows], self.covered[:rows]
        found.rmse[:rows], found.slots_used[:rows] = self.rmse[:rows], self.slots_used[:rows]
        found.delays, found.frames, found.sent = self.delays[:rows], self.frames[:rows], self.sent[:rows]
        return found

    def flag(self, name: str) -> NDArray[np.bool_]:
        """One of FLAGS by ended cycle and loop, (ended, N)."""
        found: NDArray[np.bool_] = (self.columns["flags"][: self.ended] >> FLAGS.index(name)) & 1 == 1
        return found

    @property
    def nbytes(self) -> int:
        """Memory of the rows in use."""
        fixed = sum(self.begun * self.columns[name][:1].nbytes for name in _START)
        fixed += sum(self.ended * self.columns[name][:1].nbytes for name in _END)
        ragged = sum(x.nbytes for kept in (self.delays, self.frames, self.sent) for x in kept)
        by_cycle = (self.rmse, self.slots_used, self.online, self.routes, self.covered)
        return fixed + ragged + self.ended * sum(rows[:1].nbytes for rows in by_cycle)


def _attempts(record: CycleRecord) -> NDArray[Any]:
    found = np.empty(len(record.fate), dtype=ATTEMPT)
    for name in ATTEMPT.names or ():
        found[name] = record.fate if name == "fate" else getattr(record.frame, name)
    return found


def _sent(record: CycleRecord) -> NDArray[Any]:
    loops = np.flatnonzero(record.served)
    c, rows = record.candidates, record.choice[loops]
    found = np.empty(len(loops), dtype=SENT)
    found["loop"], found["pattern"] = loops, c.actions.pattern[rows]
    for side, name, options, routes, at in (
        (0, "ul", c.ul_options, c.ul_routes, c.actions.ul[rows]),
        (1, "dl", c.dl_options, c.dl_routes, c.actions.dl[rows]),
    ):
        found[name] = routes.nodes[options.route[at]]
        found["n"][:, side], found["n_re"][:, side] = options.n[at], options.n_re[at]
    return found
