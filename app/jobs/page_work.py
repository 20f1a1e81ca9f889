"""All work of one page that is done beside it: priced before it starts, agreed to when it is much, ended with the page."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

import panel as pn
import param

from app.jobs.lanes import HEAVY, LIGHT, Job, Lane, Page
from app.jobs.price import ASK_S, FREE, Price, TooMuch
from core.errors import SafeExplorerError
from core.wanted import Superseded

log = logging.getLogger("app")

LOOK_S = 0.05
"""How often one looks whether heavy work is still wanted [s]."""
SOON_S, TELL_S = 0.2, 1.0
"""When the page hears first how far it is, and how often then: every message takes the time of the thread that serves all [s]."""
SLACK = 2.0
"""Who agrees to some time agrees to this many times as much: the estimate becomes better on the way."""
T = TypeVar("T")


class PageWork(param.Parameterized):
    """What the page waits for, and what it asks the visitor before it begins.

    Everything that computes beside the page goes through `do`: one place decides what is heavy, and `close` ends all of it.
    """

    question = param.String("", doc='What the visitor has to agree to, and what it would take; "" = nothing.')
    doing = param.String("", doc='What takes longer, and how far it is; "" = nothing.')

    def __init__(self) -> None:
        super().__init__()
        self.closed = False
        self.doc = pn.state.curdoc if pn.state.curdoc and pn.state.curdoc.session_context else None
        self._page = Page()
        self._jobs: dict[Job, Lane] = {}
        self._heavy: dict[Job, Price] = {}
        self._asked: dict[object, tuple[Price, Callable[[], None]]] = {}
        self._agreed: dict[Hashable, float] = {}
        self._stopped: set[Hashable] = set()

    async def do(
        self,
        work: Callable[[], T],
        *,
        wanted: Callable[[], bool] = lambda: True,
        price: Callable[[], Price] = lambda: FREE,
        first: Callable[[], None] = lambda: None,
        rank: int = 0,
    ) -> T:
        """Call `work` in a thread.

        Args:
            work: what to do.
            wanted: whether somebody still waits for it; Superseded once it says no.
            price: what it would cost, found in a thread too; TooMuch when the visitor has to agree first.
            first, rank: see `app.jobs.lanes.Job`.
        """

        def begin() -> tuple[Price, Any]:
            cost = price()
            if not cost.light:
                return cost, None
            first()
            return cost, work()

        cost, found = await self._in(LIGHT, Job(self._page, begin, wanted))
        if not cost.light:
            if cost.key in self._stopped or cost.seconds > max(ASK_S, self._agreed.get(cost.key, 0.0)):
                raise TooMuch(cost)
            job = Job(self._page, work, wanted, first, rank)
            self._heavy[job] = cost
            try:
                found = await self._in(HEAVY, job)
            except Superseded:
                if cost.key in self._stopped and wanted() and not self.closed:
                    raise TooMuch(await self._in(LIGHT, Job(self._page, price))) from None
                raise
            finally:
                del self._heavy[job]
                self._tell()
        result: T = found
        return result

    async def _in(self, lane: Lane, job: Job) -> Any:
        """Put a job into a lane and wait for its answer, no longer than it is wanted."""
        if self.closed:
            raise Superseded("The page is closed.")
        self._jobs[job] = lane
        lane.put(job)
        answer = asyncio.wrap_future(job.answer)
        try:
            if lane is LIGHT:
                return await answer
            tell_at = time.monotonic() + SOON_S
            while not (await asyncio.wait({answer}, timeout=LOOK_S))[0]:
                if not job.wanted:
                    raise Superseded("Nobody waits for this any more.")
                if time.monotonic() >= tell_at:
                    tell_at = time.monotonic() + TELL_S
                    self._tell()
            return answer.result()
        finally:
            del self._jobs[job]
            if not answer.done():
                lane.withdraw(job)
                answer.cancel()

    def ask(self, who: object, price: Price, again: Callable[[], None]) -> None:
        """Put a question to the visitor in place of an earlier one of the same asker.

        Args:
            who: asks.
            price: of what it would like to do.
            again: called once the visitor agrees.
        """
        self._asked[who] = (price, again)
        self._show_question()

    def ask_no_more(self, who: object) -> None:
        """What it asked is out of date."""
        if self._asked.pop(who, None) is not None:
            self._show_question()

    def agree(self) -> None:
        """The visitor wants what the question is about."""
        if not self._asked:
            return
        price, again = self._asked.pop(next(iter(self._asked)))
        self._agreed[price.key] = SLACK * price.seconds
        self._stopped.discard(price.key)
        self._show_question()
        again()

    def stop(self) -> None:
        """The visitor wants no more of what takes long; how far it has got stays."""
        for job, price in self._heavy.items():
            self._stopped.add(price.key)
            job.cancel()

    def close(self) -> None:
        """End everything: the page is gone."""
        self.closed = True
        self._asked.clear()
        for job, lane in list(self._jobs.items()):
            lane.withdraw(job)

    def _show_question(self) -> None:
        self.question = next((price.said for price, _ in self._asked.values()), "")

    def _tell(self) -> None:
        """Say how far the first of what takes longer is; from wherever, in the page's own turn."""
        said = next((progress(price, HEAVY.others(self._page)) for price in self._heavy.values()), "")
        if said == self.doing or self.closed:
            return
        if self.doc is None:
            self.doing = said
        else:
            self.doc.add_next_tick_callback(lambda: None if self.closed else setattr(self, "doing", said))


def progress(price: Price, others: int) -> str:
    """What is being done, how far it is, and who shares the server."""
    far = price.far()
    shared = f", in turns with {others} other page{'s' if others > 1 else ''}" if others else ""
    return f"{price.what}{': ' if far else ''}{far}{shared} …" if price.what else ""


def attempt(work: Callable[[], Any]) -> Any:
    """What work comes to, or the error that it ends with; one that is not the user's is in the log."""
    try:
        return work()
    except SafeExplorerError as error:
        return error
    except Exception as error:
        log.exception("background work failed")
        return error


async def attempted(doing: Awaitable[T]) -> T | Exception | Superseded:
    """The same for work that is awaited; that nobody waits for it any more is an answer too."""
    try:
        return await doing
    except (SafeExplorerError, Superseded) as error:
        return error
    except Exception as error:
        log.exception("background work failed")
        return error
