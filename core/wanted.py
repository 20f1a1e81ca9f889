"""Whether anybody still waits for what is being computed: long loops ask, and stop once nobody does.

Who starts work says for how long it is wanted; loops of more than a moment call `check` where stopping leaves nothing
half done. The question belongs to the thread that computes, so that no function between the two has to pass it on; it is no
context variable, because callbacks that the thread schedules would inherit it and stop with it, long after.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOOK_S = 0.05
"""How often somebody who waits for a lock asks whether the wait is still wanted."""


class Superseded(BaseException):
    """Nobody waits for this result any more.

    No `Exception`, like asyncio's own CancelledError: whoever turns errors into a result, a sentence or a line in the log
    must not take this for one. Only who said `while_wanted` catches it.
    """


class _Thread(threading.local):
    questions: tuple[Callable[[], bool], ...] = ()


_this = _Thread()


@contextmanager
def while_wanted(wanted: Callable[[], bool]) -> Iterator[None]:
    """What is computed in here stops with Superseded once it is unwanted; inside another such block, once either is.

    Args:
        wanted: cheap, may be asked by another thread than the one that made it; True as long as somebody waits.
    """
    with _asking((*_this.questions, wanted)):
        yield


@contextmanager
def uninterrupted() -> Iterator[None]:
    """What is computed in here goes on to its end: for steps that change something in place, of a moment each."""
    with _asking(()):
        yield


@contextmanager
def _asking(questions: tuple[Callable[[], bool], ...]) -> Iterator[None]:
    before, _this.questions = _this.questions, questions
    try:
        yield
    finally:
        _this.questions = before


def check() -> None:
    """Superseded if nobody waits any more; nothing otherwise, at the cost of a function call."""
    for wanted in _this.questions:
        if not wanted():
            raise Superseded("Nobody waits for this any more.")


@contextmanager
def holding(lock: threading.Lock) -> Iterator[None]:
    """`with lock`, where whoever is no longer wanted need not wait for those who hold it."""
    check()
    while not lock.acquire(timeout=LOOK_S if _this.questions else -1):
        check()
    try:
        yield
    finally:
        lock.release()


def pieces(count: int, size: int) -> Iterator[slice]:
    """Rows 0 … count − 1 in slices of at most `size`, with a `check` before each: for kernels that fill long arrays."""
    for first in range(0, count, size):
        check()
        yield slice(first, min(first + size, count))
