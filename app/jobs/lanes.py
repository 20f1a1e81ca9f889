"""Threads for all work beside the page: a lane for what takes a moment, and one in which all that takes longer shares one thread.

However many pages ask for much, light work never waits for heavy work, and one thread at most competes with the page's own.
Pages take turns in the heavy lane: the one that has had least of it is next, and work that can go on where it stopped
(a flight) is put back when its turn is over. The threads never keep the process from ending.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import itertools
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from core.wanted import Superseded, check, while_wanted

LIGHT_THREADS = 4
"""Threads of the light lane; more visitors than that rarely compute in the same moment."""
TURN_S = 0.5
"""How long work that can be put back goes on while other pages wait [s]."""
NICE = 5
"""Priority of heavy work: measured on two busy cores, a light page then answers as fast beside it as alone."""
CREDIT_S = 2.0
"""A page that comes to the lane is this much ahead of those that have been in it all along [s]."""


class Page:
    """Whose turn it is: one for each visitor.

    Attributes:
        had: time that the lanes have worked for the page, as they count it for whose turn it is [s].
    """

    def __init__(self) -> None:
        self.had = 0.0


class Job:
    """One piece of work for one page.

    Args:
        page: for whom.
        work: what to call, in a thread; `core.wanted.check` in it raises Superseded once the job is not wanted any more.
        wanted: asked again and again, from the thread.
        first: called before; it may be stopped for others to have their turn, and goes on where it was when it is called again.
        rank: of several jobs of one page that wait, the lowest is next.
    """

    def __init__(
        self,
        page: Page,
        work: Callable[[], Any],
        wanted: Callable[[], bool] = lambda: True,
        first: Callable[[], None] = lambda: None,
        rank: int = 0,
    ) -> None:
        self.page, self.rank = page, rank
        self.answer: Future[Any] = Future()
        self.answer.set_running_or_notify_cancel()  # it ends by `cancel` below, never by the future's own
        self._cancelled = False
        self._work, self._first, self._wanted = work, first, wanted
        self._context = contextvars.copy_context()

    def cancel(self) -> None:
        """Nobody waits for it any more: it is not begun, or ends at its next check."""
        self._cancelled = True

    @property
    def wanted(self) -> bool:
        """Whether somebody still waits for it."""
        return not self._cancelled and self._wanted()

    def run(self, turn_over: Callable[[], bool]) -> bool:
        """Work until it is done, unwanted or its turn is over; False = it is to be put back."""
        put_back = False

        def go_on() -> bool:
            nonlocal put_back
            put_back = put_back or turn_over()
            return not put_back

        def work() -> Any:
            with while_wanted(lambda: self.wanted):
                check()
                with while_wanted(go_on):
                    self._first()
                return self._work()

        try:
            found = self._context.run(work)
        except Superseded as error:
            if put_back and self.wanted:
                return False
            self.answer.set_exception(error)
        except BaseException as error:
            self.answer.set_exception(error)
        else:
            self.answer.set_result(found)
        return True


class Lane:
    """Threads that work for pages in turns; they are started when they are needed, which is after a server has forked.

    Args:
        name: of its threads.
        threads: how many work at a time.
        nice: how much they step back behind other threads where there are fewer processors than work.
    """

    def __init__(self, name: str, threads: int, nice: int = 0) -> None:
        self._name, self._most, self._nice = name, threads, nice
        self._news = threading.Condition()
        self._waiting: list[tuple[int, Job]] = []
        self._running: set[Job] = set()
        self._threads = 0
        self._count = itertools.count()
        self._now = 0.0

    def put(self, job: Job) -> None:
        """Take a job on; its `answer` comes when it is done."""
        with self._news:
            if not any(job.page is other.page for other in self._jobs()):
                job.page.had = max(job.page.had, self._now - CREDIT_S)
            self._waiting.append((next(self._count), job))
            if self._threads < min(self._most, len(self._waiting) + len(self._running)):
                self._threads += 1
                threading.Thread(target=self._work, name=f"{self._name} {self._threads}", daemon=True).start()
            self._news.notify()

    def withdraw(self, job: Job) -> None:
        """Forget a job that nobody wants any more; one that has begun ends at its next check."""
        job.cancel()
        with self._news:
            self._waiting = [(number, other) for number, other in self._waiting if other is not job]

    def others(self, page: Page) -> int:
        """How many other pages have work in the lane."""
        with self._news:
            return len({id(job.page) for job in self._jobs() if job.page is not page})

    def __len__(self) -> int:
        with self._news:
            return len(self._jobs())

    def _jobs(self) -> list[Job]:
        return [job for _, job in self._waiting] + list(self._running)

    def _next(self) -> Job:
        """What nobody wants any more, to be done with it; else a job of the page that has had least."""
        found = min(self._waiting, key=lambda x: (x[1].wanted, x[1].page.had, x[1].rank, x[0]))
        self._waiting.remove(found)
        self._now = max(self._now, found[1].page.had)
        return found[1]

    def _over(self, page: Page, had: float, started: float) -> bool:
        """Count the time of a turn, and whether it is over."""
        took = time.perf_counter() - started
        page.had = had + took
        self._now = max(self._now, page.had)
        return bool(self._waiting) and took > TURN_S

    def _work(self) -> None:
        step_back(self._nice)
        while True:
            with self._news:
                while not self._waiting:
                    self._news.wait()
                job = self._next()
                self._running.add(job)
            count = functools.partial(self._over, job.page, job.page.had, time.perf_counter())
            done = job.run(count)
            with self._news:
                count()
                self._running.discard(job)
                if not done:
                    self._waiting.append((next(self._count), job))
                    self._news.notify()
            del job, count  # a thread at rest keeps no page alive


def step_back(nice: int) -> None:
    """Give this thread a lower priority than the others of the process, where the system knows such a thing (Linux)."""
    if nice and sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), nice)


LIGHT, HEAVY = Lane("light", LIGHT_THREADS), Lane("heavy", 1, NICE)
