"""A run flown as far as anybody has looked, what each of its cycles began with, and what came of it."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.control import ControlModel, LoopStates, Plan
from core.errors import SafeExplorerError
from core.instant.cost import CYCLE_TIMES
from core.instant.history import History, SentFrame, exchanges
from core.instant.key import FlightKey, Segment
from core.instant.log import FLAGS, FlightLog
from core.kept import Kept
from core.scenario import Scenario
from core.simulation import METRICS, Policy, Run, Simulation, seen_by
from core.simulation.mission import reference
from core.simulation.restart import refuse_restart
from core.simulation.trace import Trace
from core.twin import Calibration, Exchange, OnlineBeta
from core.wanted import holding

if TYPE_CHECKING:
    from core.instant.instant import Instant

Floats = NDArray[np.float64]

MAX_BYTES = 200_000_000
"""Memory that the flights kept by a process may take together; the newest is kept whatever it takes."""


class Flight:
    """One mission under one policy, flown lazily: `states(k)` flies to cycle k, a later cycle goes on from there.

    Several threads may ask at once. `Flight.of` shares flights within a process.

    Args:
        key: scenario at take-off, policy, seed, calibration of the twin, changes on the way.
        log: what is known of it already; nothing when None.
        simulation: a run of it that has not got further than the log; made when needed when None.
    """

    def __init__(self, key: FlightKey, log: FlightLog | None = None, simulation: Simulation | None = None) -> None:
        self.key = key
        self.trace: Trace = reference(key.scenario, key.seed)
        self._lock = threading.Lock()
        self._simulation = simulation
        self._log = log if log is not None else FlightLog(self.trace.cycles, self.trace.positions.shape[1])
        if log is None:
            self._log.begin(self._running())

    @classmethod
    def of(cls, scenario: Scenario, policy: str | type[Policy] = "SAFE", seed: int = 0) -> Flight:
        """The flight of a scenario, kept for whoever asks next.

        Args:
            scenario: at take-off; see `core.instant.takeoff` for the one that no slider changes.
            policy: registered name, or a Policy class.
            seed: trial; fixes mission, channel, noise and the luck of every packet attempt.
        """
        return cls.keyed(FlightKey.of(scenario, policy, seed))

    @staticmethod
    def keyed(key: FlightKey) -> Flight:
        """The flight of a key, flown again if it was dropped meanwhile."""
        return _flights.get(key, lambda: Flight(key))

    @staticmethod
    def known(key: FlightKey) -> Flight | None:
        """The flight of a key if it is at hand; None when it would have to be made."""
        return _flights.at_hand(key)

    @property
    def scenario(self) -> Scenario:
        """Scenario at take-off."""
        return self.key.scenario

    @property
    def cycles(self) -> int:
        """Cycles of the mission."""
        return self.trace.cycles

    @property
    def flown(self) -> int:
        """The last cycle whose start is known."""
        return self._log.begun - 1

    @property
    def ended(self) -> int:
        """How many cycles are over."""
        return self._log.ended

    @property
    def nbytes(self) -> int:
        """Memory in use, roughly: the recorded cycles, and what a run that may go on keeps of its links for itself."""
        links = 2 * 8 * (self.trace.positions.shape[1] + 1) ** 2 if self._simulation is not None else 0
        return self._log.nbytes + links

    def at(self, k: int) -> int:
        """The cycle that an instant at k shows: k itself, or the last one when the mission ends before it."""
        return min(max(int(k), 0), self.cycles - 1)

    def reach(self, k: int) -> None:
        """Fly on until cycle k begins; the last cycle is flown to its end.

        Once nobody waits any more (`core.wanted`) the flight stops where it is, and goes on from there later.
        """
        # who looks at the last cycle gets its end too, so that the run with its link matrices can go
        target = self.at(k) if self.at(k) < self.cycles - 1 else self.cycles
        while self.ended < target:
            # for one cycle only: who asks for an early cycle need not wait for who asks for a late one
            with holding(self._lock):
                if self.ended < target:
                    self._fly_one()

    def cycles_to(self, k: int) -> int:
        """How many cycles would have to be flown until cycle k begins; a branch may have to fly its past again."""
        target, running = self.at(k) if self.at(k) < self.cycles - 1 else self.cycles, self._simulation
        if self.ended >= target:
            return 0
        return target - (running.k if running is not None else 0)

    def _fly_one(self) -> None:
        """Fly one cycle; one that a branch knows already is flown again and not recorded."""
        simulation, log = self._running(), self._log
        for change in self.key.changes:
            if change.cycle == simulation.k:
                simulation.change(change.scenario, change.calibration)
        started = time.perf_counter()
        record = simulation.step()
        CYCLE_TIMES.learn(self.trace.positions.shape[1], time.perf_counter() - started)
        if record.k == log.ended:
            log.end(record)
            if not simulation.done:
                log.begin(simulation)
        if simulation.done:
            self._simulation = None

    def _running(self) -> Simulation:
        if self._simulation is None:
            self._simulation = Simulation(self.key.scenario, self.key.policy, self.key.seed, self.key.calibration)
        return self._simulation

    def changed(self, cycle: int, scenario: Scenario) -> Flight:
        """The flight that is the same up to a cycle and has another scenario from its start on; this one stays.

        Args:
            cycle: 0 … cycles − 1; changes that this flight has from there on are left out.
            scenario: a field that no run in flight can follow is refused.
        """
        if not 0 <= cycle < self.cycles:
            raise SafeExplorerError(f"There is no cycle {cycle}; the mission has the cycles 0 to {self.cycles - 1}.")
        refuse_restart(self.scenario, scenario)
        key = self.key.changed(cycle, scenario)
        ControlModel.of(scenario)  # refused here, in words, and not by the thread that flies
        return _flights.get(key, lambda: self._branch(key, cycle))

    def _branch(self, key: FlightKey, cycle: int) -> Flight:
        with self._lock:
            log, running = self._log.until(cycle), self._simulation
            if running is None or running.k != log.ended:
                return Flight(key, log)  # flies its past again once it is to go on
            try:
                return Flight(key, log, running.copy())
            except TypeError:  # a policy that holds what cannot be copied
                return Flight(key, log)

    def scenario_at(self, k: int) -> Scenario:
        """Scenario in force in cycle k."""
        return self.key.at(self.at(k))

    def calibration_at(self, k: int) -> Calibration:
        """Calibration of the twin in cycle k."""
        changes = (c.calibration for c in reversed(self.key.changes) if c.cycle <= self.at(k))
        return next(changes, self.key.calibration)

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The mission split where the scenario changes."""
        starts = sorted({0, *(c.cycle for c in self.key.changes)})
        ends = [*starts[1:], self.cycles]
        return tuple(Segment(a, b, self.key.at(a)) for a, b in zip(starts, ends, strict=True))

    def estimates(self, k: int) -> Floats:
        """Positions as the controller knew them at the start of cycle k, shape (N, 3) [m]."""
        self.reach(k)
        found: Floats = self._rows("estimates")[self.at(k)].copy()
        return found

    def positions(self, k: int) -> NDArray[np.float32]:
        """True positions at the start of cycle k, shape (N, 3) [m]."""
        k = self.at(k)
        self.reach(k)
        found: NDArray[np.float32] = self._rows("positions")[k - 1].copy() if k > 0 else self._log.takeoff.copy()
        return found

    def states(self, k: int, scenario: Scenario | None = None) -> LoopStates:
        """Controller-side states at the start of cycle k, before its telemetry.

        Args:
            k: cycle.
            scenario: whose V; the flown one when None. Its control.H must be the flight's.
        """
        k = self.at(k)
        self.reach(k)
        V, z = self._energy(k, scenario if scenario is not None else self.scenario_at(k))
        c, c_fail = (self._rows(name)[k].astype(np.int64) for name in ("c", "c_fail"))
        tr_sigma, safe, u = (self._rows(name)[k].copy() for name in ("tr_sigma", "safe", "u"))
        return LoopStates(V, tr_sigma, c, c_fail, safe, z, u)

    def _rows(self, name: str) -> NDArray[Any]:
        return self._log.columns[name]

    def _energy(self, k: int, scenario: Scenario) -> tuple[Floats, Floats]:
        """V [m²] and ẑ: the errors ê_k … ê_{k−H}, (N, H+1, 3) [m]; before take-off every error equals the first one."""
        past, estimates = [max(k - h, 0) for h in range(self.scenario.control.H + 1)], self._rows("estimates")
        z = np.stack([estimates[j] - self.trace.positions[j] for j in past], axis=1)
        return ControlModel.of(scenario).lyapunov(z), z

    def online(self, k: int) -> OnlineBeta:
        """What the twin had learnt about β at the start of cycle k (D26)."""
        self.reach(k)
        return OnlineBeta(self._log.online[self.at(k)].copy())

    def plan(self, k: int, cycles: int) -> Plan:
        """References of cycle k and the cycles after it."""
        return Plan.ahead(self.trace.positions, self.at(k), cycles)

    def instant(self, k: int) -> Instant:
        """The instant at cycle k as the policy saw it; `Instant.replace` then asks what if."""
        from core.instant.instant import Instant

        return Instant(self, self.at(k), self.seen_at(k))

    @property
    def seen(self) -> Scenario:
        """The scenario as the policy saw it at take-off."""
        return seen_by(self.key.policy, self.scenario)

    def seen_at(self, k: int) -> Scenario:
        """The scenario as the policy saw it in cycle k."""
        return seen_by(self.key.policy, self.scenario_at(k))

    def history(self) -> History:
        """What happened in the cycles that are over."""
        return History.of(self._log, self.trace)

    def frame(self, k: int) -> SentFrame:
        """The frame of cycle k as it was sent: every reserved attempt and what became of it."""
        k = self._over(k)
        return SentFrame.of(self._log.frames[k], self.scenario_at(k), self.trace.positions.shape[1])

    def exchanges(self, k: int) -> dict[int, Exchange]:
        """What the policy sent in cycle k, by served loop."""
        return exchanges(self._log.sent[self._over(k)])

    def _over(self, k: int) -> int:
        k = self.at(k)
        self.reach(k + 1)
        return k

    def run(self, start: int = 0, end: int | None = None) -> Run:
        """The cycles start … end − 1 that are over as a run, without a log; what only pictures need is in single precision."""
        log, rows = self._log, slice(*slice(start, end).indices(self.ended)[:2])
        names = ("v_normalised", "nearest_m", "mode", "positions", "tr_sigma", "c", "c_fail")
        columns: dict[str, Any] = {name: log.columns[name][rows] for name in names}
        columns |= {name: log.flag(name)[rows] for name in FLAGS}
        columns["v_estimated"] = np.empty(columns["mode"].shape)
        for row, k in enumerate(range(rows.start, rows.stop)):
            scenario = self.scenario_at(k)
            columns["v_estimated"][row] = self._energy(k, scenario)[0] / ControlModel.of(scenario).V_max
        return Run(
            scenario=self.scenario_at(max(rows.stop - 1, 0)),
            policy=self.key.policy.name,
            seed=self.key.seed,
            rmse=log.rmse[rows],
            command_delay_ms=np.concatenate([np.empty(0), *log.delays[rows]]),
            slots_used=log.slots_used[rows].astype(np.int64),
            references=self.trace.positions[1:][rows],
            routes=log.routes[rows],
            covered=log.covered[rows],
            **columns,
        )

    def summary(self, names: Sequence[str] | None = None, start: int = 0, end: int | None = None) -> dict[str, float]:
        """Metrics of the cycles start … end − 1 that are over, as `core.simulation.Run.summary` of the whole mission.

        Args:
            names: out of METRICS; all when None. One that reads the log of a run needs `core.simulation.simulate`.
            start, end: all that are over when left out.
        """
        run = self.run(start, end)
        if len(run.rmse) == 0:
            return dict.fromkeys(METRICS if names is None else names, float("nan"))
        return {name: METRICS[name].of(run) for name in (METRICS if names is None else names)}


class _Flights(Kept[FlightKey, Flight]):
    """The flights of this process."""

    def __init__(self) -> None:
        super().__init__(lambda: MAX_BYTES)
        # a flight that was dropped while a page still shows it is not flown again
        self._alive: weakref.WeakValueDictionary[FlightKey, Flight] = weakref.WeakValueDictionary()

    def at_hand(self, key: FlightKey) -> Flight | None:
        return self._alive.get(key)

    def _used(self, key: FlightKey) -> Flight | None:
        found = super()._used(key)
        if found is None and (found := self._alive.get(key)) is not None:
            self._keep(key, found)
        return found

    def _keep(self, key: FlightKey, value: Flight) -> Flight:
        self._alive[key] = value
        return super()._keep(key, value)


_flights = _Flights()
