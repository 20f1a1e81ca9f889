"""Work off the hot path: started when the controls have come to rest, newest request wins, drawn when it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from app.jobs.background import Background
from app.jobs.page_work import PageWork
from app.jobs.price import FREE, Price
from core.wanted import Superseded


class Debounced(Background):
    """Runs `work(argument)` in a thread after a pause and hands the result to `show` on the page's own thread."""

    def __init__(
        self,
        page: PageWork,
        work: Callable[[Any], Any],
        show: Callable[[Any], None],
        pause_s: float = 0.4,
        price: Callable[[Any], Price] = lambda _: FREE,
    ) -> None:
        super().__init__(page, work, show, price)
        self._pause, self._generation = pause_s, 0
        self._tasks: set[asyncio.Task[None]] = set()

    def _start(self, loop: asyncio.AbstractEventLoop, argument: Any) -> None:
        self._generation += 1
        task = loop.create_task(self._run(argument, self._generation))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, argument: Any, generation: int) -> None:
        def newest() -> bool:
            return generation == self._generation

        await asyncio.sleep(self._pause)
        if not newest():
            return
        result = await self._answer(argument, newest)
        if newest() and not isinstance(result, Superseded) and self._page.doc is not None:
            self._page.doc.add_next_tick_callback(lambda: self._show(result) if newest() else None)

    def close(self) -> None:
        """Drop everything under way."""
        self._generation += 1
        for task in list(self._tasks):
            task.cancel()
