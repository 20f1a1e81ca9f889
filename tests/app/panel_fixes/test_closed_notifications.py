"""What a page that could notify leaves in Panel's table of what is shown."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable
from pathlib import Path

import panel as pn
import pytest
from bokeh.document import Document
from client import visiting
from harness import PATIENCE_S, Server, answers, free_port
from panel.io.notifications import NotificationAreaBase
from panel.io.state import state

from app.panel_fixes.closed_notifications import forget_notifications


def areas() -> int:
    return sum(isinstance(view, NotificationAreaBase) for view, *_ in state._views.values())


def left_by_visitors(at_the_end: Callable[[Document], None], visitors: int = 2) -> int:
    """Places for notifications that pages leave when they are closed."""
    destroyed: list[Document] = []

    def page() -> pn.pane.HTML:
        doc = pn.state.curdoc
        with pn.config.set(notifications=True):
            pn.state.notifications.get_root(doc)

        def end(_: object) -> None:
            at_the_end(doc)
            destroyed.append(doc)

        pn.state.on_session_destroyed(end)
        return pn.pane.HTML("page")

    async def visit(server: Server) -> None:
        async with visiting(server) as client:
            await client.send_raw("{}")

    before, port = areas(), free_port()
    server = pn.serve(
        {"app": page},
        port=port,
        address="127.0.0.1",
        show=False,
        threaded=True,
        verbose=False,
        websocket_origin=[f"127.0.0.1:{port}"],
        check_unused_sessions_milliseconds=100,
        unused_session_lifetime_milliseconds=100,
    )
    try:
        end = time.monotonic() + PATIENCE_S
        while not answers(port):
            time.sleep(0.05)
        for _ in range(visitors):
            asyncio.run(visit(Server(port, Path(), 0)))
        while len(destroyed) < visitors and time.monotonic() < end:
            time.sleep(0.05)
    finally:
        server.stop()
    assert len(destroyed) == visitors
    gc.collect()
    return areas() - before


@pytest.mark.slow
def test_panel_alone_keeps_them() -> None:
    left = left_by_visitors(lambda doc: None)
    assert left == 2, (
        "Panel forgets notifications of closed pages: this repair can go (app.panel_fixes.closed_notifications)"
    )


@pytest.mark.slow
def test_with_the_repair_nothing_stays() -> None:
    assert left_by_visitors(forget_notifications) == 0
