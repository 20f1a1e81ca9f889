"""What every kind of work off the page's thread has in common: from a request to a result that is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.jobs.page_work import PageWork, attempt, attempted
from app.jobs.price import FREE, Price, TooMuch

AFTER_THE_PICTURE = 1
"""Rank of work that the picture does not wait for."""


@dataclass(eq=False, repr=False)
class Background:
    """Work for one part of a page.

    Args:
        page: whose.
        work: from a request to a result, in a thread.
        show: draws a result, or an error, on the page's own thread. Work that the visitor has to agree to first is an error
            that says so (`TooMuch`), and is asked for again once the visitor agrees.
        price: of a request, in a thread too.
    """

    page: PageWork
    work: Callable[[Any], Any]
    show: Callable[[Any], None]
    price: Callable[[Any], Price] = lambda _: FREE

    def request(self, argument: Any) -> None:
        """Ask for a result; without a running server it is shown when this returns."""
        self.page.ask_no_more(self)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        if self.page.doc is None or loop is None:
            self.show(attempt(lambda: self.work(argument)))
        else:
            self._start(loop, argument)

    def _start(self, loop: asyncio.AbstractEventLoop, argument: Any) -> None:
        raise TypeError(f"{type(self).__name__} must say when it begins")

    async def _answer(self, argument: Any, wanted: Callable[[], bool]) -> Any:
        """What the work comes to: a result, an error, or Superseded."""
        found = await attempted(
            self.page.do(
                lambda: self.work(argument),
                wanted=wanted,
                price=lambda: self.price(argument),
                rank=AFTER_THE_PICTURE,
            )
        )
        if isinstance(found, TooMuch) and wanted():
            self.page.ask(self, found.price, lambda: self.request(argument))
        return found
