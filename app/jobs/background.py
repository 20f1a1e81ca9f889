"""What every kind of work off the page's thread has in common: from a request to a result that is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from app.jobs.page_work import PageWork, attempt, attempted
from app.jobs.price import FREE, Price, TooMuch

AFTER_THE_PICTURE = 1
"""Rank of work that the picture does not wait for."""


class Background:
    """Work for one part of a page.

    Args:
        page: whose.
        work: from a request to a result, in a thread.
        show: draws a result, or an error, on the page's own thread. Work that the visitor has to agree to first is an error
            that says so (`TooMuch`), and is asked for again once the visitor agrees.
        price: of a request, in a thread too.
    """

    def __init__(
        self,
        page: PageWork,
        work: Callable[[Any], Any],
        show: Callable[[Any], None],
        price: Callable[[Any], Price] = lambda _: FREE,
    ) -> None:
        self._page, self._work, self._show, self._price = page, work, show, price

    def request(self, argument: Any) -> None:
        """Ask for a result; without a running server it is shown when this returns."""
        self._page.ask_no_more(self)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        if self._page.doc is None or loop is None:
            self._show(attempt(lambda: self._work(argument)))
        else:
            self._start(loop, argument)

    def _start(self, loop: asyncio.AbstractEventLoop, argument: Any) -> None:
        raise TypeError(f"{type(self).__name__} must say when it begins")

    async def _answer(self, argument: Any, wanted: Callable[[], bool]) -> Any:
        """What the work comes to: a result, an error, or Superseded."""
        found = await attempted(
            self._page.do(
                lambda: self._work(argument),
                wanted=wanted,
                price=lambda: self._price(argument),
                rank=AFTER_THE_PICTURE,
            )
        )
        if isinstance(found, TooMuch) and wanted():
            self._page.ask(self, found.price, lambda: self.request(argument))
        return found
