"""Pages that ask the server for much, and how one sees from outside whether it still works for them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import psutil
from client import Client, readable, visiting
from harness import Server

HEAVY = {"uavs": "1000", "duration_s": "600", "cycle": "2399"}
"""The last cycle of a long flight of a large swarm; the seed tells one page's flight from another's."""
BUSY_SHARE, LOOK_S, REST_S = 0.3, 0.05, 2.0
"""A server that uses more of a processor than this share works; how often one looks; how long it must rest to be at rest."""


class HeavyPage:
    """A page that agrees to whatever it is asked, and reads whatever it is sent."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.said: list[str] = []

    async def read(self, document: str) -> None:
        """Read on, and start what the page asks about."""
        new = [readable(document)]
        while True:
            if any('"question", "' in text and '"question", ""' not in text for text in new):
                await self._client.press(start=True)
            new = await self._client.rest(0.1)
            self.said += [text for text in new if "data-query" in text or '"doing", "' in text]

    @property
    def at_work(self) -> bool:
        """Whether the server has said how far it is."""
        return any('"doing", "Flying' in text for text in self.said)

    @property
    def answered(self) -> bool:
        """Whether the page has what it asked for."""
        return any("data-query" in text and "cycle=2399" in text for text in self.said)


@asynccontextmanager
async def heavy_pages(
    server: Server, count: int, settings: dict[str, str] | None = None
) -> AsyncIterator[list[HeavyPage]]:
    """Pages that each want a heavy flight of their own, closed at the end."""
    async with AsyncExitStack() as stack:
        pages, readers = [], []
        for seed in range(count):
            client = await stack.enter_async_context(visiting(server, **(settings or HEAVY), seed=str(seed)))
            document = await client.read_document()
            await client.say_ready()
            pages.append(HeavyPage(client))
            readers.append(asyncio.create_task(pages[-1].read(document)))
        try:
            yield pages
        finally:
            for reader in readers:
                reader.cancel()
            await asyncio.gather(*readers, return_exceptions=True)


def rest_after(pid: int, patience_s: float = 60.0) -> float | None:
    """Seconds until a server with its processes stops working and stays at rest; None when it does not."""
    processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]

    def used() -> float:
        return sum(sum(p.cpu_times()[:2]) for p in processes)

    start = worked = at = time.perf_counter()
    before = used()
    while time.perf_counter() - start < patience_s:
        time.sleep(LOOK_S)
        now, busy = time.perf_counter(), used()
        if (busy - before) / (now - at) > BUSY_SHARE:
            worked = now
        before, at = busy, now
        if now - worked > REST_S:
            return worked - start
    return None
