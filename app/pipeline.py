"""One computation per change: latest wins, heavy work off the page's thread, errors said in words."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any

import panel as pn
import param

from app.picture import Inputs, Picture, compute
from app.state import CONTROLS, State
from core.errors import SafeExplorerError
from core.instant import Superseded

log = logging.getLogger("app")

SHOW_WHILE_DRAGGING_S = 0.25
"""A superseded result that came faster than this is still drawn, so that a drag is seen as motion."""


class Pipeline(param.Parameterized):
    """Holds the newest `picture` of the state; `stale` says why the shown one no longer fits the controls."""

    picture = param.ClassSelector(class_=Picture, allow_None=True, doc="Everything tabs 1 to 3 show.")
    stale = param.String("", doc="Empty, or the reason why the shown results are out of date.")
    busy = param.Boolean(False, doc="A computation is under way.")

    def __init__(self, state: State, complain: Callable[[str], None]) -> None:
        super().__init__()
        self.state = state
        self._complain = complain
        self._generation = 0
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self._doc = pn.state.curdoc if pn.state.curdoc and pn.state.curdoc.session_context else None
        self._watcher = state.param.watch(lambda *_: self.request(), [*CONTROLS, "action"])

    def request(self, at_once: bool = False) -> None:
        """Ask for a new picture; without a running server, or at once, it is there when this returns."""
        self._generation += 1
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        if at_once or self._doc is None or loop is None:
            inputs = Inputs.of(self.state)
            if not self._is_shown(inputs):
                self._finish(*self._attempt(inputs))
        elif self._task is None or self._task.done():
            self._task = loop.create_task(self._run())

    async def _run(self) -> None:
        done = -1
        while done != self._generation and not self._closed:
            done = self._generation
            started = time.perf_counter()
            inputs = Inputs.of(self.state)
            if self._is_shown(inputs):
                continue
            picture, reason = await asyncio.to_thread(
                self._attempt, inputs, lambda d=done, s=started: self._awaited(d, s)
            )
            superseded = done != self._generation
            if self._closed or (superseded and time.perf_counter() - started > SHOW_WHILE_DRAGGING_S):
                continue
            drawn = asyncio.Event()
            self._doc.add_next_tick_callback(lambda p=picture, r=reason, d=drawn: (self._finish(p, r), d.set()))
            # one picture at a time: the next is computed once this one is on its way to the browser
            await asyncio.wait_for(drawn.wait(), timeout=30)

    def _is_shown(self, inputs: Inputs) -> bool:
        return self.picture is not None and not self.stale and self.picture.inputs == inputs

    def _awaited(self, generation: int, started: float) -> bool:
        newest = generation == self._generation
        return not self._closed and (newest or time.perf_counter() - started <= SHOW_WHILE_DRAGGING_S)

    @staticmethod
    def _attempt(inputs: Inputs, awaited: Callable[[], bool] = lambda: True) -> tuple[Picture | None, str]:
        try:
            return compute(inputs, awaited), ""
        except Superseded:  # by a newer request, which `_run` goes on with
            return None, ""
        except SafeExplorerError as error:
            return None, str(error)
        except Exception:
            log.exception("computing the picture failed")
            return None, "An unexpected error stopped the computation; the server's log has the details."

    def _finish(self, picture: Picture | None, reason: str) -> None:
        if self._closed:
            return
        with pn.io.hold():
            if picture is not None:
                self.param.update(picture=picture, stale="")
            else:
                self.stale = reason
                self._complain(reason)

    def close(self) -> None:
        """Stop: results that still arrive are dropped."""
        self._closed = True
        self.state.param.unwatch(self._watcher)
        if self._task is not None and not self._task.done():
            self._task.cancel()


def quiet(_: Any) -> None:
    """A complaint nobody reads (notebooks, tests)."""
