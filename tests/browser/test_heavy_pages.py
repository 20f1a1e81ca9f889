"""Seven pages that want the last cycle of a thousand UAVs: a light page gets its answers, and their work ends with them and with the server."""

from __future__ import annotations

import asyncio

import psutil
import pytest
from client import visiting
from harness import PATIENCE_S, Server, running_app
from heavy import HeavyPage, heavy_pages, rest_after

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]

PAGES = 7


async def at_work(pages: list[HeavyPage]) -> None:
    """Wait until every page hears how far its flight is."""
    async with asyncio.timeout(PATIENCE_S):
        while not all(page.at_work for page in pages):
            await asyncio.sleep(0.05)


async def visit(server: Server) -> None:
    async with visiting(server) as light:
        await light.start()
        async with heavy_pages(server, PAGES) as pages:
            await at_work(pages)
            for step in range(3):
                await light.move("v_ratio", round(0.31 + 0.02 * step, 2))
            assert not any(page.answered for page in pages), "they were not heavy"
        assert await asyncio.to_thread(rest_after, server.pid, PATIENCE_S) is not None, "work goes on for nobody"
        await light.move("v_ratio", 0.51)
        async with heavy_pages(server, 2) as pages:
            await at_work(pages)
            process = psutil.Process(server.pid)
            process.terminate()
            await asyncio.to_thread(process.wait, PATIENCE_S)
            assert not any(page.answered for page in pages)


def test_a_light_page_beside_heavy_ones_and_the_end_of_their_work() -> None:
    with running_app() as server:
        asyncio.run(visit(server))
