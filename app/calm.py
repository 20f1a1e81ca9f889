"""Moments in which a process has little to do: for work on the page's own thread that would hold visitors up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


async def calm(
    patience_s: float, look_s: float = 2.0, share: float = 0.01, or_else: Callable[[], bool] = lambda: False
) -> None:
    """Wait until the thread of the event loop has had next to nothing to do for a moment.

    Args:
        patience_s: but not for longer than this [s].
        look_s: length of the moment [s].
        share: of it that the thread may have worked [-].
        or_else: what ends the waiting too, asked after every moment.
    """
    end = time.monotonic() + patience_s
    while time.monotonic() < end and not or_else():
        worked, looked = time.thread_time(), time.monotonic()
        await asyncio.sleep(look_s)
        if time.thread_time() - worked < share * (time.monotonic() - looked):
            return
