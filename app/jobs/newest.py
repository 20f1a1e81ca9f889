"""Work off the page's thread, one at a time: the newest request is next, and every result that is done is shown."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from app.jobs.background import Background
from core.wanted import Superseded


@dataclass(eq=False, repr=False)
class Newest(Background):
    """A drag is seen as motion, because results are shown as they come, and ends with the newest one."""

    _waiting: list[Any] = field(default_factory=list, init=False)
    _task: asyncio.Task[None] | None = field(default=None, init=False)
    _closed: bool = field(default=False, init=False)

    def _start(self, loop: asyncio.AbstractEventLoop, argument: Any) -> None:
        self._waiting = [argument]
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._run())

    async def _run(self) -> None:
        while self._waiting and not self._closed and self.page.doc is not None:
            result = await self._answer(self._waiting.pop(), lambda: not self._closed)
            if self.page.closed:
                return
            if isinstance(result, Superseded):
                continue
            drawn = asyncio.Event()

            def draw(result: Any = result, drawn: asyncio.Event = drawn) -> None:
                if not self._closed:
                    self.show(result)
                drawn.set()

            self.page.doc.add_next_tick_callback(draw)
            # the next begins once this one is on its way to the browser
            await asyncio.wait_for(drawn.wait(), timeout=30)

    def close(self) -> None:
        """Drop everything under way."""
        self._closed = True
        self._waiting = []
        if self._task is not None:
            self._task.cancel()
