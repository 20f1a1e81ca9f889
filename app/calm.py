"""Moments in which a process has little to do: for work on the page's own thread that would hold visitors up."""

from __future__ import annotations

import asyncio
import time

LOOK_S = 2.0
"""Time over which the thread is watched [s]."""
CALM = 0.01
"""Share of that time that it may have worked."""


async def calm(patience_s: float) -> None:
    """Wait until the thread of the event loop has had next to nothing to do for a moment, but not for longer than this [s]."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        worked, looked = time.thread_time(), time.monotonic()
        await asyncio.sleep(LOOK_S)
        if time.thread_time() - worked < CALM * (time.monotonic() - looked):
            return
