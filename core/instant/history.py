"""The cycles of a flight that are over, as arrays; and one of them slot by slot."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.allocation import Frame
from core.instant.log import FlightLog
from core.lazy import cached_property
from core.scenario import SLOT_PATTERNS, Scenario
from core.simulation import Fate
from core.simulation.trace import Trace
from core.twin import Exchange

Bools = NDArray[np.bool_]
Singles = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class History:
    """What happened so far, K cycles that are over. Read-only views: a later history is longer, never different.

    Args:
        rmse: RMSE at the end of each cycle, (K,) [m].
        slots_used: (K,) [slots].
        v_normalised: V/V_max of the true errors at the end, (K, N).
        positions: true positions at the end, (K, N, 3) [m].
        nearest_m: distance to the nearest other UAV at the end, (K, N) [m].
        mode: core.allocation.Mode, (K, N).
        phase: core.simulation.Phase, (K, N).
        gust: whether a gust pushes the UAV, (K, N).
        command_delay_ms: delays of the commands that arrived, cycle by cycle, (D,) [ms].
        delay_cycle: cycle of each of them, (D,).
        served, uplink, downlink: slots allocated, telemetry arrived, command arrived, (K, N).
        routes, covered: candidate routes with a margin, and those whose links stayed within it, by class of route, (K, 6).
        online: α − β that the twin had learnt at the start, by class of route (D26), (K, 6).
    """

    rmse: NDArray[np.float64]
    slots_used: NDArray[np.int32]
    v_normalised: Singles
    positions: Singles
    nearest_m: Singles
    mode: NDArray[np.int8]
    phase: NDArray[np.int8]
    gust: Bools
    command_delay_ms: NDArray[np.float64]
    delay_cycle: NDArray[np.int64]
    served: Bools
    uplink: Bools
    downlink: Bools
    routes: NDArray[np.int32]
    covered: NDArray[np.int32]
    online: NDArray[np.float64]

    @cached_property
    def delivered(self) -> Bools:
        """Bidirectional successes, (K, N)."""
        return self.uplink & self.downlink

    @property
    def cycles(self) -> int:
        """K."""
        return len(self.rmse)

    def between(self, start: int, end: int) -> History:
        """The cycles start … end − 1 of it; `delay_cycle` still counts from take-off."""
        delays = slice(*np.searchsorted(self.delay_cycle, (start, end)))
        ragged = {name: getattr(self, name)[delays] for name in ("command_delay_ms", "delay_cycle")}
        rows = {f.name: getattr(self, f.name)[start:end] for f in fields(self) if f.name not in ragged}
        return History(**rows, **ragged)

    @classmethod
    def of(cls, log: FlightLog, trace: Trace) -> History:
        """The history of a log."""
        K = log.ended
        delays = log.delays[:K]
        names = ("v_normalised", "positions", "nearest_m", "mode")
        columns: dict[str, Any] = {name: _shown(log.columns[name][:K]) for name in names}
        columns |= {name: log.flag(name)[:K] for name in ("served", "uplink", "downlink")}
        return cls(
            rmse=_shown(log.rmse[:K]),
            slots_used=_shown(log.slots_used[:K]),
            routes=_shown(log.routes[:K]),
            covered=_shown(log.covered[:K]),
            online=_shown(log.online[:K]),
            phase=trace.phase[:K],
            gust=np.any(trace.gust[:K] != 0.0, axis=2),
            command_delay_ms=np.concatenate([np.empty(0), *delays]),
            delay_cycle=np.repeat(np.arange(K), [len(d) for d in delays]),
            **columns,
        )


@dataclass(frozen=True, eq=False)
class SentFrame(Frame):
    """A frame that was sent: every reserved attempt with its fate.

    Attributes:
        fate: core.simulation.Fate of each attempt, shape (E,).
    """

    fate: NDArray[np.int8]

    @classmethod
    def of(cls, attempts: NDArray[Any], scenario: Scenario, uavs: int) -> SentFrame:
        """From rows of `core.instant.log.ATTEMPT`.

        Args:
            attempts: in transmission order, (E,).
            scenario: in force in that cycle.
            uavs: N.
        """
        columns = {n: attempts[n].astype(np.int64) for n in attempts.dtype.names or () if n != "fate"}
        start = np.full(uavs, -1, dtype=np.int64)
        loops, first = np.unique(columns["loop"], return_index=True)
        start[loops] = columns["slot"][first]  # attempts are in order, so the first one of a loop begins its action
        network = scenario.network
        return cls(
            slots=network.slots,
            tau_slot_s=network.tau_slot_s,
            guard_s=network.guard_ms * 1e-3,
            start=start,
            fate=attempts["fate"].copy(),
            **columns,
        )

    def during(self, slot: int) -> Bools:
        """Which attempts are on the air in a slot, shape (E,); a silent one is not."""
        silent: Bools = (self.fate == Fate.NOT_NEEDED) | (self.fate == Fate.NOTHING_TO_SEND)
        on_air: Bools = (self.slot <= slot) & (slot < self.slot + self.length) & ~silent
        return on_air

    def before(self, slot: int) -> Bools:
        """Which attempts are over when a slot begins, shape (E,)."""
        over: Bools = self.slot + self.length <= slot
        return over


def exchanges(sent: NDArray[Any]) -> dict[int, Exchange]:
    """The action of every served loop, from rows of `core.instant.log.SENT`."""
    found = {}
    for row in sent:
        ul, dl = (tuple(node for node in row[way].tolist() if node >= 0) for way in ("ul", "dl"))
        (n_ul, n_dl), (again_ul, again_dl) = row["n"].tolist(), row["n_re"].tolist()
        pattern = SLOT_PATTERNS[int(row["pattern"])]
        found[int(row["loop"])] = Exchange(ul, dl, (n_ul, n_dl), (again_ul, again_dl), pattern)
    return found


def _shown(values: NDArray[Any]) -> NDArray[Any]:
    view = values.view()
    view.flags.writeable = False
    return view
