"""Panel's writer with a slow line: what was left waiting while an earlier message was being written is sent too."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable

import pytest
from bokeh.document import Document
from panel.io import document
from tornado.websocket import WebSocketClosedError

from app.panel_fixes.unsent_messages import send_unsent_messages


class SlowLine:
    """A connection to a browser whose every write takes a while; Panel's own hook for other sockets sends through it."""

    def __init__(self) -> None:
        self._socket, self.protocol = self, self
        self.sent: list[str] = []
        self.next: Callable[[], None] | None = None

    def create(self, _kind: str, events: list[str]) -> str:
        return events[0]

    def write(self, conn: SlowLine, msg: str) -> list[asyncio.Task[None]]:
        async def slowly() -> None:
            await asyncio.sleep(0.02)
            self.sent.append(msg)
            if self.next is not None:  # a callback of the page in the very turn of the loop in which the writing ends
                asyncio.get_running_loop().call_soon(self.next)
                self.next = None

        return [asyncio.ensure_future(slowly())]


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> SlowLine:
    found = SlowLine()
    monkeypatch.setitem(document.extra_socket_handlers, SlowLine, found.write)
    return found


async def two_messages(line: SlowLine) -> list[str]:
    """The second is scheduled just when the first has been written."""
    doc = Document()
    line.next = lambda: document.schedule_write_events(doc, [line], ["second"])
    document.schedule_write_events(doc, [line], ["first"])
    await sent(line, "second")
    return line.sent


async def sent(line: SlowLine, message: str) -> None:
    """Wait until the message has gone out, or until it clearly will not: much longer than a write, after the last one."""
    quiet = 0.0
    async with asyncio.timeout(60):
        while message not in line.sent and (quiet < 0.5 or not line.sent):
            before = len(line.sent)
            await asyncio.sleep(0.05)
            quiet = quiet + 0.05 if len(line.sent) == before else 0.0


def test_panel_alone_leaves_the_second_message_behind(line: SlowLine, monkeypatch: pytest.MonkeyPatch) -> None:
    original = getattr(document._dispatch_msgs, "__wrapped__", document._dispatch_msgs)
    monkeypatch.setattr(document, "_dispatch_msgs", original)
    assert asyncio.run(two_messages(line)) == ["first"], (
        "Panel sends the second message too: this repair can go (app.panel_fixes.unsent_messages)"
    )


def test_with_the_repair_both_arrive(line: SlowLine) -> None:
    send_unsent_messages()
    assert asyncio.run(two_messages(line)) == ["first", "second"]


def test_a_page_that_closes_in_mid_message_is_no_fault_and_frees_the_line(
    line: SlowLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    send_unsent_messages()
    faults: list[dict[str, object]] = []

    def closed(conn: SlowLine, msg: str) -> list[asyncio.Task[None]]:
        monkeypatch.setitem(document.extra_socket_handlers, SlowLine, line.write)  # the page comes back
        raise WebSocketClosedError

    async def closes_and_comes_back() -> list[str]:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: faults.append(context))
        monkeypatch.setitem(document.extra_socket_handlers, SlowLine, closed)
        doc = Document()
        document.schedule_write_events(doc, [line], ["lost"])
        while document.extra_socket_handlers[SlowLine] == closed:
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.1)
        document.schedule_write_events(doc, [line], ["after"])
        await sent(line, "after")
        gc.collect()  # a task whose fault nobody fetched says so when it goes
        return line.sent

    assert asyncio.run(closes_and_comes_back()) == ["after"]
    assert faults == []
