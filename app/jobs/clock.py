"""Plays a flight: moves the cycle forward, one at a time, each once the picture of the one before is drawn."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Callable

import param

from app.course import settings_from
from app.jobs.background import AFTER_THE_PICTURE
from app.jobs.page_work import attempted
from app.jobs.pipeline import Pipeline
from app.jobs.price import TooMuch
from app.jobs.prices import mission_price
from app.picture import Inputs
from app.state import State
from core.errors import SafeExplorerError
from core.instant import Flight

SPEEDS = (1, 2, 4, 8, 16)
"""Cycles per second to choose from."""
LOOK_S = 0.02
"""How often a playing clock looks whether the picture is drawn."""
TELL_S = 0.25
"""How often the page hears how far a flight in the background has got."""


class Clock(param.Parameterized):
    """Play, pause, step. What the sliders ask when a flight is played becomes part of it, from there on."""

    playing = param.Boolean(False, doc="The flight goes on by itself.")
    speed = param.Number(4.0, bounds=(0.25, 32.0), doc="Cycles per second, at most; slower when drawing takes longer.")
    flying = param.Integer(-1, doc="How far the mission flown in the background has got; -1 = none is.")

    def __init__(self, state: State, pipeline: Pipeline, complain: Callable[[str], None]) -> None:
        super().__init__()
        self.state, self._pipeline, self._complain = state, pipeline, complain
        self._work = pipeline.work
        self._tasks: list[asyncio.Task[None]] = []
        self._asked = 0
        self._closed = False

    @property
    def last(self) -> int:
        """The last cycle of the mission."""
        return self.state.scenario.cycles - 1

    def play(self) -> None:
        """Fly on from the cycle shown, with the sliders as they are; from the start again when it is the last one."""
        if self.playing:
            return
        if self.state.cycle >= self.last:
            self.state.apply({"cycle": 0})
        if not self._steer(self.state.cycle, self.state.cycle):
            return
        self.playing = True
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # no server: whoever plays calls `tick`
        self._tasks = [task for task in self._tasks if not task.done()]
        self._tasks.append(loop.create_task(self._run()))

    def pause(self) -> None:
        """Stop where it is."""
        self.playing = False

    def step(self, cycles: int = 1) -> None:
        """Go some cycles forward or back and stop there; what the sliders ask is asked there."""
        self.pause()
        self.state.apply({"cycle": min(max(self.state.cycle + cycles, 0), self.last)})

    def tick(self) -> None:
        """One cycle further; a slider that was moved meanwhile steers the flight from there on."""
        if not self.playing:
            return
        k = self.state.cycle
        if k >= self.last:
            self.pause()
            return
        with param.parameterized.batch_call_watchers(self.state):
            if self._steer(k, k + 1):
                self.state.apply({"cycle": k + 1})
        if k + 1 >= self.last:
            self.pause()

    def fly_again(self) -> None:
        """Fly the whole mission from take-off with the sliders as they are."""
        self.pause()
        try:
            self.state.fly_as_set()
        except SafeExplorerError as error:
            self._complain(str(error))
            return
        self._fly_ahead()

    def _steer(self, shown: int, cycle: int) -> bool:
        """Make what the sliders ask part of the flight; False when it cannot be flown.

        Args:
            shown: cycle at which they ask it.
            cycle: from which on it is flown; changes that the flight had from there on are dropped.
        """
        state = self.state
        if not settings_from(state.in_force(shown), state.scenario):
            return True
        earlier = tuple(change for change in state.changes if change[0] < cycle)
        made = settings_from(state.in_force(cycle - 1), state.scenario)
        try:
            state.fly(state.takeoff, (*earlier, (cycle, made)) if made else earlier)
        except SafeExplorerError as error:
            self.pause()
            self._complain(str(error))
            return False
        return True

    async def _run(self) -> None:
        while self.playing:
            due = time.monotonic() + 1.0 / self.speed
            while self.playing and not (self._drawn and time.monotonic() >= due):
                await asyncio.sleep(LOOK_S)
                if self._pipeline.stale:
                    self.pause()
            if not self.playing:
                return
            if self._work.doc is None:
                self.tick()
                continue
            done = asyncio.Event()
            self._work.doc.add_next_tick_callback(functools.partial(self._tick_then, done))
            await done.wait()

    def _tick_then(self, done: asyncio.Event) -> None:
        self.tick()
        done.set()

    @property
    def _drawn(self) -> bool:
        picture = self._pipeline.picture
        return picture is not None and picture.inputs.cycle == self.state.cycle

    def _fly_ahead(self) -> None:
        """Fly the whole mission in a thread, until it is over or another flight is asked for; without a server, as one looks."""
        self._asked += 1
        self._work.ask_no_more(self)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        self._tasks.append(loop.create_task(self._ahead(Inputs.of(self.state).flight(), self._asked)))

    async def _ahead(self, flight: Flight, asked: int) -> None:
        def wanted() -> bool:
            return asked == self._asked and not self._closed

        flying = asyncio.create_task(
            attempted(
                self._work.do(
                    lambda: None,
                    wanted=wanted,
                    price=lambda: mission_price(flight),
                    first=lambda: flight.reach(flight.cycles),
                    rank=AFTER_THE_PICTURE,
                )
            )
        )
        while not flying.done() and wanted():
            self._tell(flight.flown)
            await asyncio.wait({flying}, timeout=TELL_S)
        found = await flying
        if isinstance(found, TooMuch) and wanted():
            self._work.ask(self, found.price, self._fly_ahead)
        if wanted():
            self._tell(-1)

    def _tell(self, flown: int) -> None:
        if self._work.doc is None:
            self.flying = flown
        else:
            self._work.doc.add_next_tick_callback(lambda: None if self._closed else setattr(self, "flying", flown))

    def close(self) -> None:
        """Stop everything."""
        self._closed = True
        self.playing = False
        for task in self._tasks:
            task.cancel()
