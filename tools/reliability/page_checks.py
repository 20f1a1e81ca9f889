"""One visitor's page: opening in a browser, bursts of moves, heavy neighbours, hostile texts (checks 6, 7, 8 and 11)."""

from __future__ import annotations

import asyncio

import bench_heavy
from bench_server import opening
from client import Client, visiting
from harness import Server, Visitor, running_browser
from heavy import heavy_pages
from injection import TEXTS, ran_anywhere

from tools.reliability.check import Check, Figure
from tools.reliability.tree import Tree

OPENING_S = (0.5, 1.5, 2.0)
BURSTS, SESSIONS = 100, 5
HEAVY_PAGES = 7
NEIGHBOUR_MS, STOP_S, JOBS_S = 250.0, 5.0, 0.2


def opened(tree: Tree) -> Figure:
    """Painted, live and drawn in a warm browser on a warm server; what the page asked from others; errors in it."""
    with tree.serving(1) as server:
        found = opening(server, plots=2)
        with running_browser() as browser:
            visitor = Visitor.at(browser.new_page(), server)
            outside, errors = len(visitor.outside), len(visitor.errors)
    good = all(s <= most for s, most in zip(found, OPENING_S, strict=True)) and not outside and not errors
    said = " / ".join(f"{s:.2f}" for s in found)
    return Figure(f"{said} s, {outside} outside requests, {errors} page errors", good)


def bursts(tree: Tree) -> Figure:
    """Several moves at once, again and again: whether what is shown last was computed with the last value."""
    with tree.serving(1) as server:
        wrong = asyncio.run(_bursts(server))
    return Figure(f"{wrong} of {BURSTS} wrong", wrong == 0)


async def _bursts(server: Server) -> int:
    async def one(number: int) -> int:
        async with visiting(server) as client:
            await client.start()
            return sum([await _burst(client, number * 100 + i) for i in range(BURSTS // SESSIONS)])

    return sum(await asyncio.gather(*(one(n) for n in range(SESSIONS))))


async def _burst(client: Client, seed: int) -> bool:
    """Whether the picture is wrong after a burst."""
    last = round(0.11 + 0.01 * (seed * 7 % 80), 2)
    for step in (3, 11, 5, 17):
        await client.put(v_ratio=round(0.11 + 0.01 * ((seed * 7 + step) % 80), 2))
    text = (await client.move("v_ratio", last)).text
    for answer in await client.rest():
        text = answer if 'class="chain' in answer else text
    return f"v_ratio={last:g}" not in text


def heavy(tree: Tree) -> Figure:
    """A light page beside seven that fly 1,000 UAVs for 600 s, the end of their jobs, the end of the server."""
    with tree.serving(1) as server:
        beside, jobs = asyncio.run(bench_heavy.neighbour(server, HEAVY_PAGES))
    stops = []
    for procs in (1, 2):
        with tree.serving(procs) as server:
            stops.append(asyncio.run(_stopped(server)))
    stop = None if None in stops else max(s for s in stops if s is not None)
    p95 = beside.ms(95)
    said = [
        f"p95 {p95:.0f} ms",
        _lasting("jobs outlive their page by", jobs, 60),
        _lasting("SIGTERM ends it in", stop, 20),
    ]
    good = p95 <= NEIGHBOUR_MS and jobs is not None and jobs <= JOBS_S and stop is not None and stop <= STOP_S
    return Figure(", ".join(said), good)


async def _stopped(server: Server) -> float | None:
    async with heavy_pages(server, HEAVY_PAGES):
        await asyncio.sleep(3.0)
        seconds: float | None = await asyncio.to_thread(bench_heavy.stopped_after, server.pid)
        return seconds


def _lasting(what: str, seconds: float | None, patience: float) -> str:
    return f"{what} more than {patience:g} s" if seconds is None else f"{what} {seconds:.1f} s"


def injected(tree: Tree) -> Figure:
    """Script in every text that can come from outside: addresses, scenario and own files with their names."""
    with tree.serving(1) as server, running_browser() as browser:
        tried, ran = ran_anywhere(browser, server)
    return Figure(f"{tried} texts in {len(TEXTS)} spellings: {ran} ran", ran == 0)


CHECKS = (
    Check("6", "browser, warm: painted / live / first tab drawn", "0.5 / 1.5 / 2 s, no outside request, no page error", opened, "tests/browser/test_opening.py (without the times)"),
    Check("7", "bursts of moves: the last picture fits the last value", "0 wrong", bursts, "tests/browser/test_server.py"),
    Check("8", "a light page beside seven heavy ones (N = 1,000, 600 s)", "p95 ≤ 250 ms; jobs end with their page; SIGTERM ends the server in 5 s", heavy),
    Check("11", "injected script in every text that can come from outside", "never runs", injected, "tests/browser/test_injection.py", beside=True),
)  # fmt: skip
