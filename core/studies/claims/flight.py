"""Closed-loop missions under SAFE, kept as the arrays that the claims about flights are judged by."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.allocation import DOWNLINK, Mode
from core.control import ControlModel, LoopStates
from core.scenario import Scenario
from core.simulation import CycleRecord, Simulation, Trace, reference
from core.twin import Calibration

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
RUNS = 10
"""Missions flown; they are what is independent, so a handful would leave the interval to luck."""


@dataclass(frozen=True, eq=False)
class Service:
    """Who was served in K cycles of one mission, and with which promise, (K, N) each.

    Args:
        attempted: loops with slots.
        certified: of these, those admitted with a certificate.
        delivered: bidirectional successes.
        g: tolerance of the action in use, 0 without service [opportunities].
        alpha_bar: envelope ᾱ(q, c) of the action in use, nan without service [-].
    """

    attempted: Bools
    certified: Bools
    delivered: Bools
    g: Ints
    alpha_bar: Floats


@dataclass(frozen=True, eq=False)
class Motion:
    """What the controller knew at the start of each cycle, and what then reached the loops.

    Args:
        z: estimated errors, (K, N, H+1, 3) [m].
        u: velocity believed to be in force, (K, N, 3) [m/s].
        onboard: whether the onboard law has the loop until a command arrives (D12), (K, N).
        uplink: telemetry arrived, (K, N).
        arrival_s: when the command arrived in the cycle, inf = none, (K, N) [s].
        references: reference positions at cycle starts, (K+1, N, 3) [m].
    """

    z: Floats
    u: Floats
    onboard: Bools
    uplink: Bools
    arrival_s: Floats
    references: Floats

    @property
    def command(self) -> Bools:
        """Whose command arrived, (K, N)."""
        return np.isfinite(self.arrival_s)


@dataclass(frozen=True, eq=False)
class Flight:
    """One mission of K cycles.

    Args:
        service: who was served.
        motion: what the controller knew.
        V: V/V_max of the estimates at the start of each cycle, (K, N).
        V_true: V/V_max of the true errors at the end of each cycle, (K, N).
        states: what each decision was made on, K of them.
    """

    service: Service
    motion: Motion
    V: Floats
    V_true: Floats
    states: tuple[LoopStates, ...]

    @classmethod
    def of(cls, scenario: Scenario, seed: int, calibration: Calibration | None = None, *, calm: bool = False) -> Flight:
        """Fly a mission under SAFE.

        Args:
            scenario: the settings.
            seed: of the mission.
            calibration: of the twin; the scenario's own when None.
            calm: leave the gusts out of the mission.
        """
        trace = reference(scenario, seed)
        simulation = Simulation(scenario, "SAFE", seed, calibration, without_gusts(trace) if calm else trace)
        records = list(simulation)
        model = ControlModel.of(scenario)
        z, u = zip(*(_known(r) for r in records), strict=True)
        return cls(
            Service(
                attempted=_stack(r.served for r in records),
                certified=_stack(r.mode == Mode.CERTIFIED for r in records),
                delivered=_stack(r.delivered for r in records),
                g=_stack(_of_action(r, r.candidates.g, 0) for r in records),
                alpha_bar=_stack(_of_action(r, _envelope(r), np.nan) for r in records),
            ),
            Motion(
                z=np.array(z),
                u=np.array(u),
                onboard=_stack(_onboard(model, r) for r in records),
                uplink=_stack(r.uplink for r in records),
                arrival_s=_stack(_arrival_s(scenario, r) for r in records),
                references=trace.positions,
            ),
            V=_stack(r.v_estimated for r in records),
            V_true=_stack(r.v_normalised for r in records),
            states=tuple(r.states for r in records),
        )


def flights(
    scenario: Scenario,
    first_seed: int,
    calibration: Calibration,
    cancel: threading.Event,
    tick: Callable[[float], None],
    *,
    calm: bool = False,
) -> list[Flight]:
    """Closed-loop missions under SAFE on consecutive seeds; fewer when cancelled."""
    flown: list[Flight] = []
    for i in range(RUNS):
        if cancel.is_set():
            break
        flown.append(Flight.of(scenario, first_seed + i, calibration, calm=calm))
        tick((i + 1) / RUNS)
    return flown


def without_gusts(trace: Trace) -> Trace:
    """The same mission in still air."""
    return dataclasses.replace(trace, gust=np.zeros_like(trace.gust))


def _stack(rows: Iterable[NDArray[Any]]) -> NDArray[Any]:
    return np.array(list(rows))


def _known(record: CycleRecord) -> tuple[Floats, Floats]:
    """ẑ and û at the start of a cycle; a simulation always knows them."""
    z, u = record.states.z, record.states.u
    assert z is not None
    assert u is not None
    return z, u


def _of_action(record: CycleRecord, column: NDArray[Any], without: float) -> NDArray[Any]:
    """What a column of the candidates says of each loop's action, (N,)."""
    found = np.full(len(record.served), without, dtype=column.dtype)
    found[record.served] = column[record.choice[record.served]]
    return found


def _envelope(record: CycleRecord) -> Floats:
    assert record.allocation is not None, "SAFE gives its account"
    return record.allocation.terms.alpha_bar


def _onboard(model: ControlModel, record: CycleRecord) -> Bools:
    """Loops that obey the onboard law until a command arrives, by the rule of the closed loop (D12), (N,)."""
    states = record.states
    served_in_safe_mode = states.safe & record.served
    onboard: Bools = model.supervisor & (served_in_safe_mode | ~model.hold_admissible(states))
    return onboard


def _arrival_s(scenario: Scenario, record: CycleRecord) -> Floats:
    """When each command arrived: first downlink slot plus command delay, inf without one, (N,) [s]."""
    frame, down = record.frame, record.frame.direction == DOWNLINK
    first = np.full(len(record.served), np.iinfo(np.int64).max)
    np.minimum.at(first, frame.loop[down], frame.slot[down])
    return np.where(record.downlink, first * scenario.network.tau_slot_s + record.delay_ms * 1e-3, np.inf)
