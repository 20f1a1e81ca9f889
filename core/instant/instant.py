"""One cycle of a flight (D25), and what another scenario or another state of one loop would make of it."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from core.allocation import Allocation, Benchmark, allocate, plan_cycles, solve_p1
from core.control import ControlModel, LoopStates, Plan
from core.errors import SafeExplorerError, ScenarioError
from core.instant.flight import Flight, FlightKey, Floats
from core.instant.scene import predicted_links, radio
from core.network import Topology
from core.scenario import Scenario
from core.simulation import needs_restart
from core.twin import Calibration, Candidates, calibration_for, certify


@dataclass(frozen=True, eq=False)
class Instant:
    """The start of one cycle of a flight: what the controller knows, what it may send, what the allocator makes of it.

    Args:
        flight: the run behind it.
        cycle: 0 … flight.cycles − 1.
        scenario: any that needs no other flight: same mission, control period, buffer depth and age of link measurements.
        focus: loop whose state the following replace, counted from 0; None = no loop.
        V: tracking-error energy [m²]; scales the flown ẑ, keeping its direction. None = as flown, here and below.
        tr_sigma: trace of the position covariance [m²].
        c, c_fail: staleness and failed attempts in a row [cycles].
        given: calibration of the twin; the one made for the scenario when None.
    """

    flight: Flight
    cycle: int
    scenario: Scenario
    focus: int | None = None
    V: float | None = None
    tr_sigma: float | None = None
    c: int | None = None
    c_fail: int | None = None
    given: Calibration | None = None

    def __post_init__(self) -> None:
        flown = self.flight.scenario
        if self.scenario is not flown and (fixed := needs_restart(flown, self.scenario)):
            raise ScenarioError(f"{', '.join(fixed)} cannot change within a flight; fly again with these settings.")
        if self.focus is None and any(x is not None for x in (self.V, self.tr_sigma, self.c, self.c_fail)):
            raise SafeExplorerError("A changed state belongs to a loop; say which one with focus.")
        if self.focus is not None and not 0 <= self.focus < flown.mission.uavs:
            raise SafeExplorerError(f"focus = {self.focus} must be a loop from 0 to {flown.mission.uavs - 1}.")

    def replace(self, **changes: Any) -> Instant:
        """The same instant with another scenario, or another state of the loop in focus."""
        return dataclasses.replace(self, **changes)

    @cached_property
    def model(self) -> ControlModel:
        """Control side of the scenario."""
        return ControlModel.of(self.scenario)

    @cached_property
    def calibration(self) -> Calibration:
        """Calibration of the twin."""
        return self.given if self.given is not None else calibration_for(self.scenario)

    @cached_property
    def flown(self) -> LoopStates:
        """States as flown; V is the scenario's."""
        return self.flight.states(self.cycle, self.scenario)

    @cached_property
    def states(self) -> LoopStates:
        """States with that of the loop in focus replaced."""
        flown, i = self.flown, self.focus
        if i is None:
            return flown
        changes: dict[str, Any] = {
            name: _with(getattr(flown, name), i, value)
            for name, value in (("tr_sigma", self.tr_sigma), ("c", self.c), ("c_fail", self.c_fail))
            if value is not None
        }
        if self.V is not None and flown.z is not None:
            changes |= {"V": _with(flown.V, i, self.V), "z": _with(flown.z, i, scaled(self.model, flown.z[i], self.V))}
        return dataclasses.replace(flown, **changes)

    @property
    def estimates(self) -> Floats:
        """Positions as the controller knows them, shape (N, 3) [m]."""
        return self.flight.estimates(self.cycle)

    @cached_property
    def plan(self) -> Plan:
        """References of this cycle and of those ahead that the scenario's allocator looks at (D23)."""
        return self.flight.plan(self.cycle, plan_cycles(self.scenario))

    @property
    def topology(self) -> Topology:
        """Links that the twin predicts."""
        return predicted_links(self.scenario, self.flight, self.cycle)

    @property
    def candidates(self) -> Candidates:
        """Actions of all loops that a policy sees, with their certificates."""
        return _certified(*self._certificates, None, False)

    def whole_set(self, loop: int | None = None) -> Candidates:
        """Every action of one loop, or of all, unpruned."""
        if loop is not None:
            return _certified(*self._certificates, loop, True)
        return certify(self.scenario, self.topology, self.calibration, self.states.c_fail, full=True)

    @property
    def _certificates(self) -> tuple[Scenario, FlightKey, int, tuple[bool, ...], Calibration]:
        failed = tuple((self.states.c_fail > 0).tolist())
        return radio(self.scenario), self.flight.key, self.cycle, failed, self.calibration

    def allocate(self, candidates: Candidates | None = None) -> Allocation:
        """What the allocator does with these candidates, those of all loops when None."""
        q = self.candidates if candidates is None else candidates
        return allocate(self.scenario, self.model, q, self.states, plan=self.plan)

    @cached_property
    def allocation(self) -> Allocation:
        """What the allocator does in this cycle."""
        return self.allocate()

    def benchmark(self) -> Benchmark:
        """P1 over the whole unpruned action set of all loops (eq:p1-benchmark); heavy."""
        return solve_p1(self.scenario, self.model, self.whole_set(), self.states, plan=self.plan)


def scaled(model: ControlModel, z: Floats, V: float) -> Floats:
    """The lifted error with energy V in the direction of another; a constant error where that one is zero.

    Args:
        model: whose V.
        z: shape (H+1, 3) [m].
        V: wanted [m²].
    """
    at = float(model.lyapunov(z))
    if at <= 0.0:
        z = np.zeros_like(z)
        z[:, 0] = 1.0
        at = float(model.lyapunov(z))
    return np.asarray(z * np.sqrt(V / at), dtype=np.float64)


def _with(values: Any, i: int, value: Any) -> Any:
    found = values.copy()
    found[i] = value
    return found


@functools.lru_cache(maxsize=64)
def _certified(
    s: Scenario, key: FlightKey, k: int, failed: tuple[bool, ...], facts: Calibration, loop: int | None, full: bool
) -> Candidates:
    links = predicted_links(s, Flight.keyed(key), k)
    c_fail = np.array(failed, dtype=np.int64)
    return certify(s, links, facts, c_fail, full=full, loops=None if loop is None else np.array([loop]))
