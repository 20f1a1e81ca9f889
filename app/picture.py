"""Everything tabs 1 to 3 show, computed once per change from plain inputs; knows nothing of panel or bokeh."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from app.actions import Action, LoopActions
from app.share_links import query_of
from app.state import State
from core.allocation import Allocation, Benchmark, Frame, next_slot, pack_frame
from core.control import ControlModel, LoopStates
from core.instant import Flight, Instant, interesting_loop, takeoff
from core.scenario import Scenario
from core.twin import Calibration, Candidates, calibration_for, default_calibration

BEYOND = 60
"""Slots beyond the budget for which the value curve is drawn."""


@dataclass(frozen=True)
class Inputs:
    """What a picture depends on: scenario, instant, calibration of the twin, and what replaces the focused loop's flown state."""

    scenario: Scenario
    v_ratio: float | None
    sigma_share: float | None
    c: int | None
    c_fail: int | None
    focus: int
    cycle: int
    seed: int
    action: str = ""
    downlink: str = "equal"
    calibration: Calibration = field(default_factory=default_calibration)
    link: str = field(default="", compare=False)

    @classmethod
    def of(cls, state: State) -> Inputs:
        """The inputs of a session's state."""
        scenario = state.scenario
        return cls(
            scenario,
            state.v_ratio,
            state.sigma_share,
            state.c,
            state.c_fail,
            state.focus,
            state.cycle,
            state.seed,
            state.action,
            state.downlink,
            calibration_for(scenario),
            query_of(state, tab=False),
        )


@dataclass(frozen=True)
class LoopState:
    """Controller-side state of the focused loop; `c_for_drift` is what the formulation calls c (D11)."""

    V: float
    tr_sigma: float
    c: int
    c_fail: int
    c_for_drift: int


@dataclass(frozen=True)
class NextUseful:
    """`core.allocation.next_slot` in the dashboard's words."""

    slots: int
    who: str
    gain: float


@dataclass(frozen=True, eq=False)
class Picture:
    """One consistent answer: every number of it belongs to the same inputs."""

    inputs: Inputs
    instant: Instant
    model: ControlModel
    candidates: Candidates
    states: LoopStates
    allocation: Allocation
    frame: Frame
    focus: int
    focus_is_ours: bool
    loop: LoopState
    actions: LoopActions

    @cached_property
    def flown(self) -> dict[str, float]:
        """What the flight itself says of the focused loop, by the name of the control that would replace it."""
        m, flown, i = self.model, self.instant.flown, self.focus
        return {
            "v_ratio": float(flown.V[i] / m.V_max),
            "sigma_share": float((flown.tr_sigma[i] - m.sigma_min) / (m.sigma_max - m.sigma_min)),
            "c": int(flown.c[i]),
            "c_fail": int(flown.c_fail[i]),
        }

    @cached_property
    def action(self) -> Action:
        """The focused action: the one asked for, else the one the allocator chose, else the best one."""
        return self.actions.pick(self.inputs.action, self._chosen_key)

    @cached_property
    def _chosen_key(self) -> str:
        index = int(self.allocation.choice[self.focus])
        return LoopActions.key_in(self.candidates, index) if index >= 0 else ""

    @cached_property
    def distinct_actions(self) -> dict[str, Any]:
        """The focused loop's candidates, those that look alike counted once."""
        return self.actions.distinct()

    @cached_property
    def notice(self) -> str:
        """Empty, or why the twin's promises do not hold for this scenario."""
        return self.inputs.calibration.notice(self.inputs.scenario)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many candidates survive each stage."""
        a = self.actions
        return {
            "candidates": len(a.slots),
            "certified": int(a.certified.sum()),
            "admitted": int(a.admitted.sum()),
            "frontier": int(a.frontier.sum()),
        }

    @cached_property
    def hold_corner(self) -> tuple[float, float]:
        """Largest V/V_max and largest tr Σ [m²] from which holding one more cycle stays admissible."""
        m, n = self.model, 1201
        v = np.linspace(0.0, 1.2, n)
        sigma = np.linspace(m.sigma_min, m.sigma_max, n)
        by_v = m.hold_admissible(_states(v * m.V_max, np.full(n, m.sigma_min), self.loop))
        by_sigma = m.hold_admissible(_states(np.zeros(n), sigma, self.loop))
        return float(v[by_v].max(initial=0.0)), float(sigma[by_sigma].max(initial=m.sigma_min))

    @cached_property
    def curve(self) -> np.ndarray:
        """F_N(b) for b = 0 … S + BEYOND."""
        return self.allocation.program(self.allocation.budget + BEYOND).curve

    @cached_property
    def next_useful(self) -> NextUseful | None:
        """Who gets something when the frame grows, and by how many slots it must grow."""
        more = next_slot(self.allocation)
        return None if more is None else NextUseful(more.slots, f"UAV {more.loop + 1}", more.gain)

    @cached_property
    def chain(self) -> dict[str, Any]:
        """The chain as numbers for the focused loop and action."""
        return self.actions.chain(self.action)

    def route_of(self, index: int) -> str:
        """Routes of a candidate of the allocation, uplink and downlink."""
        return LoopActions.route_in(self.candidates, index)

    def coding_of(self, index: int) -> str:
        """Blocklengths and retransmissions of a candidate of the allocation."""
        return LoopActions.coding_in(self.candidates, index)


def compute(inputs: Inputs | State, wanted: Callable[[], bool] = lambda: True) -> Picture:
    """The picture of the inputs; each stage is cached by what it depends on.

    Args:
        inputs: or the state they come from.
        wanted: asked while the flight is on its way to the cycle; core.instant.Superseded once it says no.
    """
    if isinstance(inputs, State):
        inputs = Inputs.of(inputs)
    s = inputs.scenario
    flight = Flight.of(takeoff(s), seed=inputs.seed)
    flight.reach(inputs.cycle, wanted)
    ours = not 1 <= inputs.focus <= s.mission.uavs
    focus = interesting_loop(flight, inputs.cycle) if ours else inputs.focus - 1
    model, share = ControlModel.of(s), inputs.sigma_share
    instant = Instant(
        flight,
        flight.at(inputs.cycle),
        s,
        focus,
        V=None if inputs.v_ratio is None else inputs.v_ratio * model.V_max,
        tr_sigma=None if share is None else model.sigma_min + share * (model.sigma_max - model.sigma_min),
        c=inputs.c,
        c_fail=inputs.c_fail,
        given=inputs.calibration,
    )
    allocation, candidates, states = instant.allocation, instant.candidates, instant.states
    frame = pack_frame(s, candidates, allocation.choice)
    actions = LoopActions.of(allocation, instant.allocate(instant.whole_set(focus)), focus)
    own = (x[focus].item() for x in (states.V, states.tr_sigma, states.c, states.c_fail, model.counter(states)))
    return Picture(inputs, instant, model, candidates, states, allocation, frame, focus, ours, LoopState(*own), actions)


def benchmark(picture: Picture) -> Benchmark:
    """P1 over the whole unpruned action set of all loops (eq:p1-benchmark); heavy, so never on a slider's path."""
    return picture.instant.benchmark()


def _states(V: np.ndarray, sigma: np.ndarray, loop: LoopState) -> LoopStates:
    whole = np.full(len(V), loop.c, dtype=np.int64)
    return LoopStates(
        V=V, tr_sigma=sigma, c=whole, c_fail=np.full_like(whole, loop.c_fail), safe=np.zeros(len(V), dtype=bool)
    )
