"""Work off the hot path: started when the controls have come to rest, newest request wins, drawn when it is done."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from app.jobs.background import Background
from core.wanted import Superseded


@dataclass(eq=False, repr=False)
class Debounced(Background):
    """Runs `work(argument)` in a thread after a pause [s] and hands the result to `show` on the page's own thread."""

    pause_s: float = 0.4
    _generation: int = field(default=0, init=False)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set, init=False)

    def _start(self, loop: asyncio.AbstractEventLoop, argument: Any) -> None:
        self._generation += 1
        task = loop.create_task(self._run(argument, self._generation))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, argument: Any, generation: int) -> None:
        def newest() -> bool:
            return generation == self._generation

        await asyncio.sleep(self.pause_s)
        if not newest():
            return
        result = await self._answer(argument, newest)
        if newest() and not isinstance(result, Superseded) and self.page.doc is not None:
            self.page.doc.add_next_tick_callback(lambda: self.show(result) if newest() else None)

    def close(self) -> None:
        """Drop everything under way."""
        self._generation += 1
        for task in list(self._tasks):
            task.cancel()
