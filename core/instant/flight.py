"""A run flown as far as anybody has looked, and what each of its cycles began with."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.control import ControlModel, LoopStates, Plan
from core.errors import SafeExplorerError
from core.scenario import Scenario
from core.simulation import Policy, Simulation, seen_by
from core.simulation.mission import Trace
from core.simulation.policy import policy_class
from core.twin import Calibration, calibration_for

if TYPE_CHECKING:
    from core.instant.instant import Instant

Floats = NDArray[np.float64]

MAX_BYTES = 200_000_000
"""Memory that the flights kept by a process may take together; the newest is kept whatever it takes."""


class Superseded(SafeExplorerError):
    """Nobody waits for this cycle any more."""


class FlightKey(NamedTuple):
    """All that decides a flight."""

    scenario: Scenario
    policy: type[Policy]
    seed: int
    calibration: Calibration


@dataclass(frozen=True, eq=False)
class _Start:
    """What the controller knew when one cycle began; ê and ẑ follow from the estimates of this and earlier cycles."""

    estimates: Floats
    u: Floats
    tr_sigma: Floats
    c: NDArray[np.int32]
    c_fail: NDArray[np.int32]
    safe: NDArray[np.bool_]

    @property
    def nbytes(self) -> int:
        return sum(a.nbytes for a in (self.estimates, self.u, self.tr_sigma, self.c, self.c_fail, self.safe))


class Flight:
    """One mission under one policy, flown lazily: `states(k)` flies to cycle k, a later cycle goes on from there.

    Several threads may ask at once. `Flight.of` shares flights within a process.

    Args:
        key: scenario at take-off, policy, seed, calibration of the twin.
    """

    def __init__(self, key: FlightKey) -> None:
        self.key = key
        self._simulation: Simulation | None = Simulation(key.scenario, key.policy, key.seed, key.calibration)
        self.trace: Trace = self._simulation.trace
        self._lock = threading.Lock()
        self._starts = [_start(self._simulation)]

    @classmethod
    def of(cls, scenario: Scenario, policy: str | type[Policy] = "SAFE", seed: int = 0) -> Flight:
        """The flight of a scenario, kept for whoever asks next.

        Args:
            scenario: at take-off; see `core.instant.takeoff` for the one that no slider changes.
            policy: registered name, or a Policy class.
            seed: trial; fixes mission, channel, noise and the luck of every packet attempt.
        """
        return cls.keyed(FlightKey(scenario, policy_class(policy), int(seed), calibration_for(scenario)))

    @staticmethod
    def keyed(key: FlightKey) -> Flight:
        """The flight of a key, flown again if it was dropped meanwhile."""
        return _flights.get(key)

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
        """The last cycle reached so far."""
        return len(self._starts) - 1

    @property
    def nbytes(self) -> int:
        """Memory in use, roughly: the recorded cycles, and the link matrices of a run that may go on."""
        links = 8 * 8 * (self.trace.positions.shape[1] + 1) ** 2 if self._simulation is not None else 0
        return len(self._starts) * self._starts[0].nbytes + links

    def at(self, k: int) -> int:
        """The cycle that an instant at k shows: k itself, or the last one when the mission ends before it."""
        return min(max(int(k), 0), self.cycles - 1)

    def reach(self, k: int, wanted: Callable[[], bool] = lambda: True) -> None:
        """Fly on until cycle k begins.

        Args:
            k: cycle.
            wanted: asked before every cycle; once it says no the flight stops where it is and Superseded is raised.
        """
        k = self.at(k)
        while self.flown < k:
            if not wanted():
                raise Superseded(f"Cycle {k} is no longer wanted.")
            # for one cycle only: who asks for an early cycle need not wait for who asks for a late one
            with self._lock:
                if self.flown < k and self._simulation is not None:
                    self._simulation.step()
                    self._starts.append(_start(self._simulation))
                    if self.flown == self.cycles - 1:
                        self._simulation = None

    def estimates(self, k: int) -> Floats:
        """Positions as the controller knew them at the start of cycle k, shape (N, 3) [m]."""
        self.reach(k)
        return self._starts[self.at(k)].estimates.copy()

    def states(self, k: int, scenario: Scenario | None = None) -> LoopStates:
        """Controller-side states at the start of cycle k, before its telemetry.

        Args:
            k: cycle.
            scenario: whose V; the flown one when None. Its control.H must be the flight's.
        """
        k = self.at(k)
        self.reach(k)
        s, start = scenario if scenario is not None else self.scenario, self._starts[k]
        z = self._z(k)
        V = ControlModel.of(s).lyapunov(z)
        c, c_fail = start.c.astype(np.int64), start.c_fail.astype(np.int64)
        return LoopStates(V, start.tr_sigma.copy(), c, c_fail, start.safe.copy(), z, start.u.copy())

    def _z(self, k: int) -> Floats:
        """ẑ: the errors ê_k … ê_{k−H}; before take-off every error equals the first one, shape (N, H+1, 3) [m]."""
        past = [max(k - h, 0) for h in range(self.scenario.control.H + 1)]
        return np.stack([self._starts[j].estimates - self.trace.positions[j] for j in past], axis=1)

    def plan(self, k: int, cycles: int) -> Plan:
        """References of cycle k and the cycles after it."""
        return Plan.ahead(self.trace.positions, self.at(k), cycles)

    def instant(self, k: int) -> Instant:
        """The instant at cycle k as the policy saw it; `Instant.replace` then asks what if."""
        from core.instant.instant import Instant

        return Instant(self, self.at(k), self.seen)

    @property
    def seen(self) -> Scenario:
        """The scenario as the policy saw it."""
        return seen_by(self.key.policy, self.scenario)


def _start(simulation: Simulation) -> _Start:
    states = simulation.states()
    assert states.u is not None
    c, c_fail = states.c.astype(np.int32), states.c_fail.astype(np.int32)
    return _Start(simulation._p_hat, states.u, states.tr_sigma, c, c_fail, states.safe)


class _Flights:
    """The flights of this process, least recently used ones dropped when they take more than `MAX_BYTES` together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[FlightKey, Flight] = OrderedDict()

    def get(self, key: FlightKey) -> Flight:
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                found = self._kept[key] = Flight(key)
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and sum(f.nbytes for f in self._kept.values()) > MAX_BYTES:
                self._kept.popitem(last=False)
        return found

    def __len__(self) -> int:
        return len(self._kept)


_flights = _Flights()
