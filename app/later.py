"""Work off the hot path: started when the controls have come to rest, newest request wins, drawn when it is done."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import panel as pn

from core.errors import SafeExplorerError

log = logging.getLogger("app")


class Later:
    """Runs `work(argument)` in a thread after a pause and hands the result to `show` on the page's own thread."""

    def __init__(self, work: Callable[[Any], Any], show: Callable[[Any], None], pause_s: float = 0.4) -> None:
        self._work, self._show, self._pause = work, show, pause_s
        self._generation = 0
        self._doc = pn.state.curdoc if pn.state.curdoc and pn.state.curdoc.session_context else None
        self._tasks: set[asyncio.Task[None]] = set()

    def request(self, argument: Any) -> None:
        """Ask for a result; without a running server it is shown when this returns."""
        self._generation += 1
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        if self._doc is None or loop is None:
            self._show(self._attempt(argument))
            return
        task = loop.create_task(self._run(argument, self._generation))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, argument: Any, generation: int) -> None:
        await asyncio.sleep(self._pause)
        if generation != self._generation:
            return
        result = await asyncio.to_thread(self._attempt, argument)
        if generation == self._generation and self._doc is not None:
            self._doc.add_next_tick_callback(lambda: self._show(result) if generation == self._generation else None)

    def _attempt(self, argument: Any) -> Any:
        try:
            return self._work(argument)
        except SafeExplorerError as error:
            return error
        except Exception as error:
            log.exception("background work failed")
            return error

    def close(self) -> None:
        """Drop everything under way."""
        self._generation += 1
        for task in list(self._tasks):
            task.cancel()
