"""Sessions come and go on a real server in this process: nothing of them stays, and a leak would be seen."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import panel as pn
import psutil
import pytest
from bokeh.model import Model
from client import visiting
from harness import PATIENCE_S, Server, answers, free_port

from app.page import Page, build
from app.session import Session, open_sessions

OPENED = 8
MODELS_LEFT, BYTES_LEFT = 3, 50_000
"""What a closed session may leave behind, at most."""


@pytest.fixture(scope="module")
def here() -> Iterator[Server]:
    """The dashboard served by a thread of this process, forgetting closed sessions soon."""
    logging.disable()  # pytest keeps log records, and with them what they are about
    port = free_port()
    server = pn.serve(
        {"app": lambda: build(pn.state.session_args)},
        port=port,
        address="127.0.0.1",
        show=False,
        threaded=True,
        verbose=False,
        websocket_origin=[f"127.0.0.1:{port}"],
        check_unused_sessions_milliseconds=100,
        unused_session_lifetime_milliseconds=3000,
    )
    while not answers(port):
        time.sleep(0.05)
    yield Server(port, Path(), 0)
    server.stop()
    logging.disable(logging.NOTSET)


def come_and_go(server: Server, times: int) -> None:
    """Open the page, move a slider, leave; then wait until the server has noticed."""

    async def once() -> None:
        async with visiting(server) as client:
            await client.start()
            assert open_sessions() >= 1
            await client.move("v_ratio", 0.31)

    gc.collect()  # pages that other tests of this process have made and dropped
    others = open_sessions()
    for _ in range(times):
        asyncio.run(once())
    end = time.monotonic() + PATIENCE_S
    while (open_sessions() > others or kept()) and time.monotonic() < end:
        time.sleep(0.05)
    assert open_sessions() <= others
    assert kept() == 0


def kept() -> int:
    """Sessions that the server keeps for a while after their page is gone."""
    return sum(len(server.get_sessions("/app")) for server, *_ in pn.state._servers.values())


def left_behind() -> tuple[int, int, int]:
    """Bokeh models and sessions alive, and bytes held by Python objects of any kind."""
    for _ in range(3):
        gc.collect()
    alive = gc.get_objects()
    return (
        sum(isinstance(o, Model) for o in alive),
        sum(isinstance(o, Session) for o in alive),
        psutil.Process().memory_info().rss,
    )


def growth(server: Server, times: int = OPENED) -> tuple[float, float, float]:
    """Models, sessions and bytes that one more closed session leaves."""
    before = left_behind()
    come_and_go(server, times)
    return tuple((b - a) / times for a, b in zip(before, left_behind(), strict=True))  # type: ignore[return-value]


@pytest.mark.slow
def test_a_closed_session_leaves_nothing(here: Server) -> None:
    come_and_go(here, OPENED)  # caches fill once
    for _ in range(5):  # the allocator may grow now and then; a leak grows every time
        models, sessions, size = growth(here)
        assert sessions == 0
        assert models <= MODELS_LEFT
        if size <= BYTES_LEFT:
            return
    pytest.fail(f"every closed session leaves {size:.0f} bytes")


@pytest.mark.slow
def test_a_leak_would_be_seen(here: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Any] = []
    start: Callable[[Page], None] = Page.start
    monkeypatch.setattr(Page, "start", lambda self: (kept.append((self, list(self.session.doc.models))), start(self)))
    models, sessions, _ = growth(here, 4)
    assert sessions == 1
    assert models > MODELS_LEFT
