"""Everything that the tabs about one cycle show, computed once per change from plain inputs; knows nothing of panel or bokeh."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from app.course import course_of
from app.share_links import query_of
from app.state import State
from core.control import ControlModel
from core.instant import Flight, FlightKey, Focus, Instant, interesting_loop, takeoff
from core.scenario import Scenario
from core.simulation import seen_by
from core.twin import Calibration, calibration_for, default_calibration


@dataclass(frozen=True)
class Inputs:
    """What a picture depends on, as plain values.

    Args:
        scenario: of the sliders.
        policy, seed: of the flight looked at.
        cycle: of the flight; after its end, the last one.
        focus: UAV counted from 1; 0 = the page picks.
        v_ratio, sigma_share, c, c_fail: what replaces the focused loop's flown state; None = as flown.
        action: key of the action to hold on to; "" = the allocator's.
        hold: whether a move of a slider keeps the action.
        takeoff: scenario at take-off; None = the one that no slider changes.
        changes: other scenarios on the way, each from the start of a cycle on.
        calibration: of the twin for the sliders' scenario.
        pin: settings kept for comparison, as a link names them; "" = none.
        link: query string that reproduces all this.
    """

    scenario: Scenario
    policy: str = "SAFE"
    seed: int = 0
    cycle: int = 0
    focus: int = 0
    v_ratio: float | None = None
    sigma_share: float | None = None
    c: int | None = None
    c_fail: int | None = None
    action: str = ""
    hold: bool = True
    takeoff: Scenario | None = None
    changes: tuple[tuple[int, Scenario], ...] = ()
    calibration: Calibration = field(default_factory=default_calibration)
    pin: str = ""
    link: str = field(default="", compare=False)

    @classmethod
    def of(cls, state: State) -> Inputs:
        """The inputs of a session's state."""
        scenario = state.scenario
        start = takeoff(scenario, state.takeoff)
        return cls(
            scenario,
            state.policy,
            state.seed,
            state.cycle,
            state.focus,
            state.v_ratio,
            state.sigma_share,
            state.c,
            state.c_fail,
            state.action if state.hold else "",
            state.hold,
            start if state.takeoff else None,
            course_of(start, state.changes),
            calibration_for(scenario),
            state.pin,
            query_of(state, tab=False),
        )

    def flight(self, policy: str | None = None) -> Flight:
        """The flight looked at, or the same take-off, seed and changes under another policy."""
        start = self.takeoff if self.takeoff is not None else takeoff(self.scenario)
        flight = Flight.of(start, self.policy if policy is None else policy, self.seed)
        for cycle, scenario in self.changes:
            flight = flight.changed(cycle, scenario)
        return flight

    @property
    def key(self) -> FlightKey:
        """What decides the flight looked at, which need not be there yet."""
        start = self.takeoff if self.takeoff is not None else takeoff(self.scenario)
        key = FlightKey.of(start, self.policy, self.seed)
        for cycle, scenario in self.changes:
            key = key.changed(cycle, scenario)
        return key

    @property
    def place(self) -> tuple[object, ...]:
        """Which instant is looked at: flight, cycle and UAV, whatever the sliders ask of it."""
        start = self.takeoff if self.takeoff is not None else takeoff(self.scenario)
        return start, self.changes, self.policy, self.seed, self.cycle, self.focus

    @property
    def overridden(self) -> bool:
        """Whether the focused loop's flown state is replaced."""
        return any(x is not None for x in (self.v_ratio, self.sigma_share, self.c, self.c_fail))


@dataclass(frozen=True, eq=False)
class Picture:
    """One consistent answer: every number of it belongs to the same inputs.

    Args:
        inputs: what it answers.
        flight: the run behind it.
        instant: its cycle, with the what-if of the sliders.
        focus: the loop in focus and its action.
        ours: whether the page picked the loop.
        before: the picture before the last move at this instant and loop, a drag counting as one; None = there was none.
        move: that move in words; "" without.
        pinned: the picture kept for comparison; None = there is none.
    """

    inputs: Inputs
    flight: Flight
    instant: Instant
    focus: Focus
    ours: bool
    before: Picture | None = None
    move: str = ""
    pinned: Picture | None = None

    @property
    def ghost(self) -> Picture | None:
        """What is drawn faintly under it: the pinned picture, else the one before the last move."""
        return self.pinned if self.pinned is not None else self.before

    def same_instant(self, other: Picture) -> bool:
        """Whether both look at the same loop in the same cycle of the same flight."""
        return (self.flight.key, self.instant.cycle, self.focus.loop) == (
            other.flight.key,
            other.instant.cycle,
            other.focus.loop,
        )


def compute(inputs: Inputs | State) -> Picture:
    """The picture of the inputs, or of the state they come from; each stage is cached by what it depends on."""
    if isinstance(inputs, State):
        inputs = Inputs.of(inputs)
    flight = inputs.flight()
    flight.reach(inputs.cycle)
    ours = inputs.focus == 0
    loop = interesting_loop(flight, inputs.cycle) if ours else inputs.focus - 1
    scenario = seen_by(flight.key.policy, inputs.scenario)
    model, share = ControlModel.of(scenario), inputs.sigma_share
    instant = _shared(
        flight.key,
        flight.at(inputs.cycle),
        scenario,
        loop,
        None if inputs.v_ratio is None else inputs.v_ratio * model.V_max,
        None if share is None else model.sigma_min + share * (model.sigma_max - model.sigma_min),
        inputs.c,
        inputs.c_fail,
        inputs.calibration,
    )
    return Picture(inputs, instant.flight, instant, instant.on(loop, inputs.action), ours)


@functools.lru_cache(maxsize=8)
def _shared(
    key: FlightKey,
    cycle: int,
    scenario: Scenario,
    loop: int,
    V: float | None,
    tr_sigma: float | None,
    c: int | None,
    c_fail: int | None,
    calibration: Calibration,
) -> Instant:
    """Visitors who look at the same thing share it: a class opens one page, and an instant with its offers takes megabytes."""
    return Instant(Flight.keyed(key), cycle, scenario, loop, V, tr_sigma, c, c_fail, calibration)
