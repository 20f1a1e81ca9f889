"""What a class does to the server: all open the page at once, all move a slider twice a second, some leave it open for long."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

import numpy as np
from harness import Server

from load.processes import cpu_s, family, own_mb, pss_mb, rss_mb, workers
from load.visitor import Answer, Visitor, visiting

RATE_HZ = 2.0


@dataclass(frozen=True)
class Opened:
    """Visitors who came within a moment and stayed."""

    drawn_s: list[float]
    """From the moment each was due until its first tab was there."""
    all_s: float
    """From the first until everybody's was."""
    cpu_s: float
    """Processor time of the server, per visitor."""
    rss_mb: float
    """Memory, per visitor, while all are there."""
    pss_mb: float
    document: int
    """Size of the first document [bytes]."""
    models: int
    first_tab: int
    """Bytes that follow until the first tab is drawn."""
    split: list[int]
    """Visitors of each process."""


@dataclass(frozen=True)
class Moved:
    """A class that moved sliders."""

    seconds: list[float]
    """From the moment each move was due until it was answered."""
    cpu_ms: float
    """Processor time of the server, per move."""
    messages: float
    """Per move."""
    bytes: float
    split: list[int]
    """Users of each process."""
    errors: int
    """Users whose connection broke or who were never answered."""

    @property
    def p50_ms(self) -> float:
        return 1e3 * float(np.percentile(self.seconds, 50))

    @property
    def p95_ms(self) -> float:
        return 1e3 * float(np.percentile(self.seconds, 95))


@dataclass(frozen=True)
class Sample:
    """The server at one moment of a long run."""

    minute: float
    rss_mb: float
    pss_mb: float
    moves: int
    """Answered so far."""


def rush(server: Server, visitors: int = 20, within_s: float = 1.0, browse: bool = True) -> Opened:
    """Visitors open the page one after the other within a moment, as a class that is told to.

    Args:
        server: where it is.
        visitors: how many.
        within_s: time from the first to the last [s].
        browse: whether each fetches the page first, as a browser does.
    """
    return asyncio.run(_rush(server, visitors, within_s, browse))


def move_sliders(
    server: Server, users: int = 24, hz: float = RATE_HZ, seconds: float = 20.0, split: Sequence[int] = ()
) -> Moved:
    """Users who have the page open move a slider, each at its own moments; a late answer delays the next move, which counts.

    Args:
        server: where it is.
        users: how many.
        hz: moves per second of each.
        seconds: how long.
        split: how many of them each process has to serve; empty = as they come.
    """
    return asyncio.run(_move_sliders(server, users, hz, seconds, split))


def soak(server: Server, sessions: int = 3, hz: float = RATE_HZ, minutes: float = 15.0, every_s: float = 15.0) -> list[Sample]:  # fmt: skip
    """A few users move several sliders for long: memory of the whole server as time goes on."""
    return asyncio.run(_soak(server, sessions, hz, minutes, every_s))


def come_and_go(server: Server, visitors: int = 50, at_once: int = 5) -> tuple[float, float]:
    """Visitors open the page and leave: memory before and after, once the server has tidied up [MB of its own]."""
    return asyncio.run(_come_and_go(server, visitors, at_once))


async def _rush(server: Server, visitors: int, within_s: float, browse: bool) -> Opened:
    among, everybody = workers(server.pid, server.port), family(server.pid)
    before = cpu_s(*everybody), rss_mb(*everybody), pss_mb(*everybody)
    begin = time.perf_counter()
    async with AsyncExitStack() as stack:

        async def open_page(number: int) -> tuple[Visitor, Answer, float]:
            due = begin + within_s * number / visitors
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            visitor = await stack.enter_async_context(visiting(server, browse=browse, among=among))
            answer = await visitor.start()
            return visitor, answer, answer.at - due

        found = await asyncio.gather(*(open_page(i) for i in range(visitors)))
        took = time.perf_counter() - begin
        await asyncio.sleep(1.0)  # what is still under way after the first picture
        cpu, rss, pss = cpu_s(*everybody), rss_mb(*everybody), pss_mb(*everybody)
        first = found[0]
        return Opened(
            [seconds for *_, seconds in found],
            took,
            (cpu - before[0]) / visitors,
            (rss - before[1]) / visitors,
            (pss - before[2]) / visitors,
            first[0].document,
            first[0].models,
            first[1].bytes,
            _split([v for v, *_ in found], among),
        )


async def _move_sliders(server: Server, users: int, hz: float, seconds: float, split: Sequence[int]) -> Moved:
    among = workers(server.pid, server.port)
    # Processes share newcomers evenly, so an uneven class is one of which some have left: as many open the page everywhere.
    rows = [list(among) for _ in range(max(split))] if split else [[None]] * users
    async with AsyncExitStack() as stack:
        visitors = []
        for i, row in enumerate(rows):
            for place, wanted in zip(row, split or (users,), strict=True):
                visitor = await stack.enter_async_context(visiting(server, among=among, on=place))
                await visitor.start()
                visitors += [visitor] if i < wanted else []
        moves = int(seconds * hz)
        everybody = family(server.pid)
        before, begin = cpu_s(*everybody), time.perf_counter() + 0.1
        found = await asyncio.gather(
            *(_use(v, begin + i / len(visitors) / hz, 1 / hz, moves, i) for i, v in enumerate(visitors)),
            return_exceptions=True,
        )
        cpu = cpu_s(*everybody) - before
    answers = [answer for user in found if isinstance(user, list) for answer in user]
    return Moved(
        [seconds for seconds, _ in answers],
        1e3 * cpu / max(1, len(answers)),
        float(np.mean([answer.messages for _, answer in answers])) if answers else 0.0,
        float(np.mean([answer.bytes for _, answer in answers])) if answers else 0.0,
        _split(visitors, among),
        sum(not isinstance(user, list) for user in found),
    )


async def _use(visitor: Visitor, begin: float, every: float, moves: int, number: int) -> list[tuple[float, Answer]]:
    found = []
    for i in range(moves):
        due = begin + i * every
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        answer = await visitor.until(b"data-query", visitor.move(value_of(i + number)))
        found.append((answer.at - due, answer))
    return found


def value_of(move: int) -> str:
    """V / V_max of a move: always two digits, none of them a beginning of another."""
    return f"0.{11 + 10 * (move // 9 % 8) + move % 9}"


def any_move(move: int) -> tuple[str, float]:
    """A control and its value, each control in turn; no value is a default, nor is its text the beginning of another's."""
    turn = move // 4
    return (
        ("v_ratio", float(value_of(turn))),
        ("snr_offset_db", 0.5 + turn % 9 - 5),
        ("beta", round(0.015 + 0.01 * (turn % 23), 3)),
        ("sigma_share", float(value_of(turn))),
    )[move % 4]


async def _soak(server: Server, sessions: int, hz: float, minutes: float, every_s: float) -> list[Sample]:
    moved, samples, begin = Counter[str](), [], time.perf_counter()
    async with AsyncExitStack() as stack:
        visitors = [await stack.enter_async_context(visiting(server)) for _ in range(sessions)]
        for visitor in visitors:
            await visitor.start()

        async def use(visitor: Visitor, number: int) -> None:
            move = number
            while True:
                pause = asyncio.create_task(asyncio.sleep(1 / hz))
                await visitor.until(b"data-query", visitor.move_any(*any_move(move)))
                moved["answered"] += 1
                move += 1
                await pause

        users = [asyncio.create_task(use(v, 7 * i)) for i, v in enumerate(visitors)]
        try:
            while (now := time.perf_counter()) < begin + 60 * minutes:
                everybody = family(server.pid)
                samples.append(Sample((now - begin) / 60, rss_mb(*everybody), pss_mb(*everybody), moved["answered"]))
                done, _ = await asyncio.wait(users, timeout=every_s, return_when=asyncio.FIRST_EXCEPTION)
                for task in done:
                    task.result()  # says what went wrong
        finally:
            for task in users:
                task.cancel()
    return samples


async def _come_and_go(server: Server, visitors: int, at_once: int) -> tuple[float, float]:
    everybody = family(server.pid)

    async def visit() -> None:
        async with visiting(server) as visitor:
            await visitor.start()

    before = own_mb(*everybody)
    for _ in range(visitors // at_once):
        await asyncio.gather(*(visit() for _ in range(at_once)))
    await asyncio.sleep(UNUSED_S)
    return before, own_mb(*everybody)


UNUSED_S = 50.0
"""After this long the server has thrown away every page that was closed: it looks every 17 s for those 15 s old, and frees what they held in the first quiet moment after that."""


def _split(visitors: Sequence[Visitor], among: Sequence[int]) -> list[int]:
    served = Counter(visitor.pid for visitor in visitors)
    return [served[pid] for pid in among]
