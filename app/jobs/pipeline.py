"""One computation per change: latest wins, heavy work off the page's thread, errors said in words."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

import panel as pn
import param
from bokeh.document import Document

from app.jobs.page_work import PageWork
from app.jobs.price import Price, TooMuch
from app.jobs.prices import picture_price
from app.moves import alone, continued
from app.picture import Inputs, Picture, compute
from app.share_links import NOT_PINNED, pin_of, pinned_state
from app.state import CONTROLS, State
from core.errors import SafeExplorerError
from core.wanted import Superseded

log = logging.getLogger("app")

SHOW_WHILE_DRAGGING_S = 0.25
"""A superseded result that came faster than this is still drawn, so that a drag is seen as motion."""
BUSY_S = 0.1
"""A computation that takes longer is announced."""
REST_S = 1.5
"""A control that has not moved for this long has been let go."""
FAILED = "An unexpected error stopped the computation; the server's log has the details."


class Pipeline(param.Parameterized):
    """Holds the newest `picture` of the state; `stale` says why the shown one no longer fits the controls."""

    picture = param.ClassSelector(class_=Picture, allow_None=True, doc="The instant looked at.")
    stale = param.String("", doc="Empty, or the reason why the shown results are out of date.")
    busy = param.Boolean(False, doc="A computation is under way.")

    def __init__(self, state: State, complain: Callable[[str], None], work: PageWork | None = None) -> None:
        super().__init__()
        self.state = state
        self.work = work if work is not None else PageWork()
        self._complain = complain
        self._generation = 0
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self._moved_at = 0.0
        self._asked = False
        self._working = -1
        self._exact = self._afresh = False
        self._pinned: tuple[str, Picture | None] = ("", None)
        self._along: dict[Callable[[], None], None] = {}
        self._watcher = state.param.watch(self._hear, [*CONTROLS, "action", "takeoff", "changes", "pin"])

    def _hear(self, *_: Any) -> None:
        # without a server every request is answered at once: not before all of a link is read
        if self._asked or self.work.doc is not None:
            self.request()

    def request(self, at_once: bool = False) -> None:
        """Ask for a new picture; without a running server, or at once, it is there when this returns."""
        self._generation += 1
        self._asked = True
        if not self._exact:
            self._settle()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        if at_once or self.work.doc is None or loop is None:
            inputs = Inputs.of(self.state)
            if not self._is_shown(inputs):
                self._finish(*self._attempt(inputs))
        elif self._task is None or self._task.done():
            self._task = loop.create_task(self._run(self.work.doc))

    def _settle(self) -> None:
        """What a change entails: at the same instant the action shown is held on to, at another one it is released."""
        shown, state = self.picture, self.state
        if shown is None:
            return
        self._afresh = False
        now, was = Inputs.of(state), shown.inputs
        if now.place == was.place:
            if now != was and state.hold and not state.action and shown.focus.held is not None:
                state.action = shown.focus.held.key
            return
        if state.action and state.action == was.action:
            state.action = ""
        same_mission = (now.scenario.mission, now.seed) == (was.scenario.mission, was.seed)
        if shown.ours and not now.focus and same_mission:  # who goes through a flight keeps looking at the same UAV
            state.apply({"focus": shown.focus.uav})

    @contextlib.contextmanager
    def exactly(self, afresh: bool = False) -> Iterator[None]:
        """Changes of the state made in here are taken as they are: nothing follows from them.

        Args:
            afresh: whether they are no move either, so that nothing is compared with what was shown before.
        """
        self._exact, self._afresh = True, afresh
        try:
            yield
        finally:
            self._exact = False

    def along(self, say: Callable[[], None]) -> None:
        """Say something in the message that brings the answer under way, or the busy sign before it; at once when there is none."""
        if self._task is None or self._task.done():
            say()
        else:
            self._along[say] = None

    def _say_along(self) -> None:
        said, self._along = self._along, {}
        for say in () if self._closed else said:
            say()

    def pin(self) -> None:
        """Keep the picture shown for comparison."""
        if self.picture is not None:
            self.state.pin = self._kept(self.picture)

    def _kept(self, shown: Picture) -> str:
        """The settings as a pin, with the UAV that is shown; the picture of them is at hand unless they are ahead of it."""
        text = pin_of(self.state, focus=str(shown.focus.uav))
        if shown.inputs == Inputs.of(self.state):
            self._pinned = (text, alone(shown))
        return text

    def unpin(self) -> None:
        """Let go of the pinned picture."""
        self.state.pin = ""

    def swap(self) -> None:
        """Go to the pinned settings and pin those that are in force."""
        shown, there = self.picture, self._pinned[1]
        if shown is None or there is None or not self.state.pin:
            return
        state, target = self.state, pinned_state(self.state.pin)
        stays = {name: getattr(state, name) for name in ("tab", *NOT_PINNED)}
        back = self._kept(shown)
        with self.exactly():
            state.take(target, pin=back, action=target.action if state.hold else "", **stays)

    def dismiss(self) -> None:
        """Forget the picture before the last move."""
        if self.picture is not None and self.picture.before is not None:
            self.picture = dataclasses.replace(self.picture, before=None, move="")

    async def _run(self, doc: Document) -> None:
        done = -1
        while done != self._generation and not self._closed:
            done = self._generation
            started = time.perf_counter()
            inputs = Inputs.of(self.state)
            if self._is_shown(inputs):
                continue
            self._working = done
            at_work = asyncio.create_task(self._answer(inputs, functools.partial(self._awaited, done, started)))
            if not (await asyncio.wait({at_work}, timeout=BUSY_S))[0]:
                doc.add_next_tick_callback(functools.partial(self._say_busy, done))
            answer = await at_work
            self._working = -1
            if answer is None:
                continue
            picture, reason, loud = answer
            superseded = done != self._generation
            if self._closed or (superseded and time.perf_counter() - started > SHOW_WHILE_DRAGGING_S):
                continue
            drawn = asyncio.Event()
            doc.add_next_tick_callback(functools.partial(self._draw, picture, reason, drawn, loud))
            # one picture at a time: the next is computed once this one is on its way to the browser
            await asyncio.wait_for(drawn.wait(), timeout=30)
        if self.busy or self._along:
            doc.add_next_tick_callback(functools.partial(self._say_busy, done))

    def _say_busy(self, generation: int) -> None:
        with pn.io.hold():
            self.busy = not self._closed and self._working == generation
            self._say_along()

    def _is_shown(self, inputs: Inputs) -> bool:
        return self.picture is not None and not self.stale and self.picture.inputs == inputs

    def _awaited(self, generation: int, started: float) -> bool:
        newest = generation == self._generation
        return not self._closed and (newest or time.perf_counter() - started <= SHOW_WHILE_DRAGGING_S)

    async def _answer(self, inputs: Inputs, awaited: Callable[[], bool]) -> tuple[Picture | None, str, bool] | None:
        """The picture, or what is in the way in words and whether it is a fault; None when nobody waits for it any more."""
        try:
            found = await self.work.do(
                functools.partial(self._attempt, inputs),
                wanted=awaited,
                price=functools.partial(self._price, inputs),
                first=functools.partial(self._fly, inputs),
            )
        except Superseded:
            return None
        except TooMuch as error:
            if awaited():
                self.work.ask(self, error.price, self.request)
            return None, f"{error.price.what} is not done yet; the timeline says what it takes.", False
        except SafeExplorerError as error:
            return None, str(error), True
        except Exception:
            log.exception("computing the picture failed")
            return None, FAILED, True
        self.work.ask_no_more(self)
        return (*found, True)

    def _price(self, inputs: Inputs) -> Price:
        """Of the picture, with the pinned one where that is not at hand."""
        price, pinned = picture_price(inputs), self._unknown_pin(inputs.pin)
        if pinned is None:
            return price
        more = picture_price(pinned)
        return dataclasses.replace(
            price if price.seconds > more.seconds else more,
            seconds=price.seconds + more.seconds,
            key=(price.key, more.key),
        )

    def _fly(self, inputs: Inputs) -> None:
        """Fly as far as the picture needs; a flight that is stopped on the way goes on from there."""
        inputs.flight().reach(inputs.cycle)
        if (pinned := self._unknown_pin(inputs.pin)) is not None:
            pinned.flight().reach(pinned.cycle)

    def _unknown_pin(self, pin: str) -> Inputs | None:
        """The inputs of a pin whose picture is not at hand and can be computed."""
        if not pin or pin == self._pinned[0]:
            return None
        try:
            return Inputs.of(pinned_state(pin))
        except SafeExplorerError:
            return None

    def _attempt(self, inputs: Inputs) -> tuple[Picture | None, str]:
        try:
            found = compute(inputs)
            pinned, trouble = self._look_up(inputs.pin)
            return dataclasses.replace(found, pinned=pinned), trouble
        except SafeExplorerError as error:
            return None, str(error)
        except Exception:
            log.exception("computing the picture failed")
            return None, FAILED

    def _look_up(self, pin: str) -> tuple[Picture | None, str]:
        """The pinned picture: the one that was on the screen, or one that a link names; and what is wrong with it."""
        known, picture = self._pinned
        if pin == known:
            return picture, ""
        try:
            picture, trouble = compute(pinned_state(pin)) if pin else None, ""
        except SafeExplorerError as error:
            picture, trouble = None, f"What is pinned cannot be shown. {error}"
        self._pinned = (pin, picture)
        return picture, trouble

    def _draw(self, picture: Picture | None, reason: str, drawn: asyncio.Event, loud: bool) -> None:
        self._finish(picture, reason, loud)
        drawn.set()

    def _finish(self, picture: Picture | None, reason: str, loud: bool = True) -> None:
        if self._closed:
            return
        with pn.io.hold():
            self.busy = False
            if picture is not None:
                now = time.monotonic()
                picture = continued(None if self._afresh else self.picture, picture, now - self._moved_at > REST_S)
                self._moved_at = now
                self.param.update(picture=picture, stale="")
            else:
                self.stale = reason
            self._say_along()
            if reason and loud:
                self._complain(reason)

    def close(self) -> None:
        """Stop: results that still arrive are dropped."""
        self._closed = True
        self.state.param.unwatch(self._watcher)
        if self._task is not None and not self._task.done():
            self._task.cancel()


def quiet(_: Any) -> None:
    """A complaint nobody reads (notebooks, tests)."""
