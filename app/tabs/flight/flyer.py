"""Flying beside the page, one cycle at a time; the newest wish counts."""

from __future__ import annotations

import asyncio
import functools
import logging
import time
from collections.abc import Callable, Sequence

from app.jobs.background import AFTER_THE_PICTURE
from app.jobs.page_work import PageWork
from app.jobs.price import Price, TooMuch
from app.jobs.prices import race_price
from core.errors import SafeExplorerError
from core.instant import Flight
from core.wanted import Superseded, check

Wish = tuple[tuple[Flight, ...], int]
"""Flights, and the cycle to whose end they are to be flown."""

log = logging.getLogger("app")

TELL_S = 0.2
"""The page hears of progress this often at most, and whenever a flight has got where it should."""


class Flyer:
    """Flies some flights to a cycle: the first one first, then whoever is behind.

    Args:
        page: whose work it is.
        tell: called from a thread when there is something new to show.
    """

    def __init__(self, page: PageWork, tell: Callable[[], None]) -> None:
        self._page, self._tell = page, tell
        self._wish: Wish = ((), -1)
        self._task: asyncio.Task[None] | None = None
        self._told = 0.0
        self._closed = False
        self.failed: dict[Flight, str] = {}
        """Flights that broke, and why in words; they are not tried again."""

    def fly(self, flights: Sequence[Flight], cycle: int) -> None:
        """Fly these to the end of a cycle and forget what was wished before; none stops where it is."""
        wish = (tuple(flights), cycle)
        if wish != self._wish:
            self._page.ask_no_more(self)
        self._wish = wish
        self._begin()

    def _begin(self) -> None:
        if self.busy and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._run())

    @property
    def busy(self) -> bool:
        """Whether a flight is not yet where it should be."""
        return not self._closed and self._next() is not None

    def _next(self) -> Flight | None:
        flights, cycle = self._wish
        behind = [f for f in flights if f.ended <= f.at(cycle) and f not in self.failed]
        if not behind:
            return None
        return behind[0] if behind[0] is flights[0] else min(behind, key=lambda f: f.ended)

    async def _run(self) -> None:
        while self.busy:
            wish = self._wish
            wanted, price = functools.partial(self._wanted, wish), functools.partial(self._price, wish)
            try:
                await self._page.do(lambda: None, wanted=wanted, price=price, first=self._fly, rank=AFTER_THE_PICTURE)
            except Superseded:
                if self._page.closed:
                    return
            except TooMuch as error:
                if wanted():
                    self._page.ask(self, error.price, self._begin)
                    return

    def _wanted(self, wish: Wish) -> bool:
        return wish is self._wish and not self._closed

    def _price(self, wish: Wish) -> Price:
        flights, cycle = wish
        return race_price([f for f in flights if f not in self.failed], cycle)

    def _fly(self) -> None:
        """Fly what is wished, in a thread, until all are there; what is flown stays flown."""
        while (flight := self._next()) is not None:
            check()
            cycle = self._wish[1]
            try:
                flight.reach(flight.ended + 1)
            except Exception as error:
                self.fail(flight, error)
            arrived = flight.ended > flight.at(cycle)
            if arrived or flight in self.failed or time.monotonic() - self._told >= TELL_S:
                self._told = time.monotonic()
                self._tell()

    def fail(self, flight: Flight, error: Exception) -> None:
        """Remember that a flight broke: what the user can put right in words, anything else is in the log."""
        log.error("a flight ended early", exc_info=error)
        said = str(error) if isinstance(error, SafeExplorerError) else "the server's log has the details."
        self.failed = self.failed | {flight: f"{flight.key.policy.name} could not fly on: {said}"}

    def close(self) -> None:
        """End after the cycle under way."""
        self._closed = True
        self._page.ask_no_more(self)
