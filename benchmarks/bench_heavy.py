"""A light page beside heavy ones: its neighbours' answers, the end of the jobs with their pages, and the end of the server."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import math
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
from client import Client, visiting
from harness import ROOT, Server, free_port, running
from heavy import heavy_pages, rest_after
from results import Figure, publish

PAGES = (0, 1, 7)
RATE_HZ, MOVES = 2.0, 40
LOST_S = 10.0
"""An answer that takes longer counts as this long [s]."""


@dataclass(frozen=True)
class Neighbour:
    """Answers that one light page got beside some heavy ones, from the moment each move was due [s]."""

    pages: int
    seconds: tuple[float, ...]

    def ms(self, percent: float) -> float:
        """A percentile of the answers [ms]."""
        return float(np.percentile(self.seconds, percent)) * 1e3


def command(checkout: Path, port: int, procs: int = 1) -> list[str]:
    """`python -m core app` of a checkout; its own environment when it has one."""
    python = checkout / ".venv" / "bin" / "python"
    return [str(python) if python.exists() else sys.executable, "-m", "core", "app", "--port", str(port), "--num-procs", str(procs)]  # fmt: skip


async def light_page(client: Client, moves: int = MOVES) -> tuple[float, ...]:
    """Move a slider at a fixed rate, whatever the server does; seconds from the moment each move was due."""
    found, start = [], time.perf_counter()
    for i in range(moves):
        due = start + i / RATE_HZ
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        try:
            async with asyncio.timeout(LOST_S):
                await client.move("v_ratio", round(0.41 + 0.01 * (i % 50), 2))
        except TimeoutError:
            found.append(LOST_S)
            if len(found) >= 3 and found[-3:] == [LOST_S] * 3:  # nobody answers any more
                return tuple(found + [LOST_S] * (moves - len(found)))
            continue
        found.append(min(time.perf_counter() - due, LOST_S))
    return tuple(found)


async def neighbour(server: Server, pages: int, settings: dict[str, str] | None = None) -> tuple[Neighbour, float | None]:  # fmt: skip
    """A light page beside heavy ones that are at work; and how long the jobs go on once the heavy pages are closed."""
    async with visiting(server) as client:
        await client.start()
        async with heavy_pages(server, pages, settings):
            await asyncio.sleep(2.0)
            answers = await light_page(client)
        ended = await asyncio.to_thread(rest_after, server.pid) if pages else None
    return Neighbour(pages, answers), ended


def stopped_after(pid: int, patience_s: float = 20.0) -> float | None:
    """Seconds from SIGTERM to the end of a process and of all that it started; None when that takes too long."""
    processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    start = time.perf_counter()
    os.kill(pid, signal.SIGTERM)
    while time.perf_counter() - start < patience_s:
        alive = [p for p in processes if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]
        if not alive:
            return time.perf_counter() - start
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        time.sleep(0.02)
    return None


def stopped_at_work(server: Server, pages: int, settings: dict[str, str] | None = None) -> float | None:
    """Seconds from SIGTERM to the end while heavy pages are worked for."""

    async def stop() -> float | None:
        async with heavy_pages(server, pages, settings):
            await asyncio.sleep(3.0)
            return await asyncio.to_thread(stopped_after, server.pid)

    return asyncio.run(stop())


def figures(checkout: Path) -> Iterator[Figure]:
    """The neighbour beside each number of heavy pages, how long jobs outlive their pages, and SIGTERM while they run.

    Args:
        checkout: folder of the tree to measure, this one or an older one.
    """
    for pages in PAGES:
        port = free_port()
        with running(command(checkout, port), port, checkout) as server:
            answers, ended = asyncio.run(neighbour(server, pages))
        size = f"beside {pages} heavy pages"
        yield Figure("slider move at 2 Hz, p50, from due", size, answers.ms(50))
        yield Figure("slider move at 2 Hz, p95, from due", size, answers.ms(95), "ms", "goal", 250.0)
    lasted = math.inf if ended is None else ended
    yield Figure("jobs after their page is closed", f"{PAGES[-1]} heavy pages", lasted, "s", "goal", 0.2)
    for procs in (1, 2):
        port = free_port()
        with running(command(checkout, port, procs), port, checkout) as server:
            took = stopped_at_work(server, PAGES[-1])
        lasted = math.inf if took is None else took
        yield Figure(
            "SIGTERM to the end, heavy jobs run",
            f"{procs} process{'es' if procs > 1 else ''}",
            lasted,
            "s",
            "goal",
            5.0,
        )


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--checkout", type=Path, default=ROOT, help="folder of the tree to measure (default: this one)"
    )
    publish(figures(options.parse_args().checkout.resolve()))


if __name__ == "__main__":
    main()
