"""One cycle of a flight (D25), and what another scenario or another state of one loop would make of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.allocation import (
    Allocation,
    Appraisal,
    Benchmark,
    Frame,
    NextSlot,
    allocate,
    appraise,
    next_slot,
    pack_frame,
    plan_cycles,
    solve_p1,
)
from core.control import ControlModel, LoopStates, Plan
from core.errors import SafeExplorerError, ScenarioError
from core.instant.flight import Flight, Floats
from core.instant.focus import Focus
from core.instant.key import FlightKey
from core.instant.offer import Offer
from core.instant.paths import Paths, paths
from core.instant.rivals import PolicyFrame, other_policies
from core.instant.scene import predicted_links, radio
from core.kept import remembered
from core.lazy import cached_property
from core.network import Topology
from core.scenario import Scenario, quantity_of
from core.simulation import needs_restart
from core.twin import Calibration, Candidates, calibration_for, certify

P1_ACTIONS = 1_000_000
"""Actions of P1 looked at together, which bounds its memory."""
BEYOND = 60
"""Slots beyond the frame for which the value curve is worth drawing."""


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
        return _certified(*self._certificates, None, False, None)

    def whole_set(self, loop: int | range, frame: int | None = None) -> Candidates:
        """Every action of one loop, or of some, unpruned.

        Args:
            loop: one, whose actions are kept for the next who asks, or a range of them.
            frame: most slots of an action of one loop; those of the scenario's frame when None [slots].
        """
        if isinstance(loop, int):
            return _certified(*self._certificates, loop, True, frame)
        q, facts, failed = self.candidates, self.calibration, self.states.c_fail
        routes, learnt, loops = (q.ul_routes, q.dl_routes), self.flight.online(self.cycle), np.array(loop)
        return certify(
            self.scenario, self.topology, facts, failed, full=True, loops=loops, routes=routes, online=learnt
        )

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
        """P1 over the whole unpruned action set of all loops (eq:p1-benchmark); heavy, so of some loops at a time."""
        n, N = self.scenario.network, self.scenario.mission.uavs
        options = n.routes_per_direction * len(n.blocklengths) * len(n.retransmissions)
        at_once = max(P1_ACTIONS // (options**2 * len(n.patterns)), 1)
        parts = (self.whole_set(range(first, min(first + at_once, N))) for first in range(0, N, at_once))
        return solve_p1(self.scenario, self.model, parts, self.states, plan=self.plan)

    @cached_property
    def frame(self) -> Frame:
        """The packed frame of the allocation."""
        return pack_frame(self.scenario, self.candidates, self.allocation.choice)

    @property
    def notice(self) -> str:
        """Empty, or why the twin's promises do not hold for this scenario."""
        return self.calibration.notice(self.scenario)

    @property
    def longest(self) -> int:
        """The longest frame that a scenario may ask for and that fits into a control period [slots]."""
        fits = int(self.scenario.control.Ts / self.scenario.network.tau_slot_s + 1e-9)
        most = quantity_of("network.slots").hi
        return max(self.scenario.network.slots, fits if most is None else min(fits, int(most)))

    @cached_property
    def beyond(self) -> Appraisal:
        """The candidates of all loops with those that only a longer frame would hold, at today's states and values."""
        here, q, S = self.allocation, self.candidates, self.scenario.network.slots
        gap = self.scenario.network.processing_gap_slots
        dearest = q.ul_options.slots.max(initial=0) + q.dl_options.slots.max(initial=0) + gap
        if dearest <= S:  # no action was left out for its cost
            return Appraisal.own(here)
        return appraise(here, _certified(*self._certificates, None, False, self.longest))

    @cached_property
    def curve(self) -> Floats:
        """F_N(b) for b = 0 … S + BEYOND, at most `longest` (eq:p2-dp-recurrence), values as in the frame of S [m²].

        The allocation spends S − reserve of it: `allocation.value` is the curve there, not at S (D13).
        """
        return self.beyond.program(min(self.allocation.budget + BEYOND, self.longest)).curve

    @cached_property
    def next_useful(self) -> NextSlot | None:
        """The shortest longer frame that would be worth more, and who gains most; None when none up to `longest` would."""
        return next_slot(self.allocation, self.beyond, self.longest)

    def on(self, loop: int, action: str = "") -> Focus:
        """One loop in focus.

        Args:
            loop: counted from 0.
            action: key of the action to hold on to; "" follows the allocator.
        """
        N = self.scenario.mission.uavs
        if not 0 <= loop < N:
            raise SafeExplorerError(f"There is no UAV {loop + 1}: the swarm has {N}, choose one from 1 to {N}.")
        if loop not in self._offers:
            self._offers[loop] = Offer(self.allocation, loop, self.whole_set(loop))
        return Focus(self, loop, self._offers[loop], action)

    @cached_property
    def _offers(self) -> dict[int, Offer]:
        return {}

    def other_policies(self, names: Sequence[str] | None = None) -> tuple[PolicyFrame, ...]:
        """What each registered policy would send now; see `core.instant.rivals.other_policies`."""
        return other_policies(self, names)

    def paths(self, loop: int) -> Paths:
        """Where one loop is headed with and without the exchange (D23)."""
        return paths(self.allocation, loop)


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


@remembered(most_bytes=256_000_000, most=64)
def _certified(
    s: Scenario,
    key: FlightKey,
    k: int,
    failed: tuple[bool, ...],
    facts: Calibration,
    loop: int | None,
    full: bool,
    frame: int | None,
) -> Candidates:
    flight = Flight.keyed(key)
    links, learnt = predicted_links(s, flight, k), flight.online(k)
    c_fail = np.array(failed, dtype=np.int64)
    if loop is None and frame is None:
        return certify(s, links, facts, c_fail, full=full, online=learnt)
    all_loops = _certified(s, key, k, failed, facts, None, False, None)  # which has found the routes
    routes = all_loops.ul_routes, all_loops.dl_routes
    loops = None if loop is None else np.array([loop])
    return certify(s, links, facts, c_fail, full=full, loops=loops, frame=frame, routes=routes, online=learnt)
