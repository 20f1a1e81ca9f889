"""A visitor as light as can be: opens the page as a browser does, sends prepared messages, looks for a word in what comes."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bokeh.util.token import generate_jwt_token, generate_session_id
from client import READY, find_controls
from harness import PATIENCE_S, Server

from load.frames import Socket
from load.processes import serving_pid

DRAWN = b"boundary.map"
"""What the message with the first tab says."""
HOST = "127.0.0.1"


@dataclass(frozen=True)
class Answer:
    """What came until a move, or the opening, was answered."""

    at: float
    """When, by time.perf_counter [s]."""
    messages: int
    bytes: int


class Visitor:
    """One open page."""

    def __init__(self, socket: Socket, pid: int | None) -> None:
        self.socket, self.pid = socket, pid
        """`pid` is the process that serves it, where that was asked for."""
        self.document = 0
        """Size of the first document [bytes]."""
        self.models = 0
        """Models in it."""
        self._sent = 0
        self._id = ""
        self._controls: dict[str, Any] = {}
        self._before = self._after = ""

    async def start(self) -> Answer:
        """Read the document and say that the page is drawn; the first tab is there when this returns."""
        await self.message()  # ACK
        self._send("PULL-DOC-REQ", "{}")
        content = await self.message()
        while b'"doc"' not in content:
            content = await self.message()
        self.document, self.models = len(content), content.count(b'"type":"object"')
        found = find_controls(json.loads(content))
        if found is None:
            raise AssertionError("the document has no controls: the page failed to load, or the server is full")
        self._prepare(*found)
        self._send("PATCH-DOC", json.dumps({"events": [READY]}))
        return await self.until(DRAWN)

    def _prepare(self, model: str, controls: dict[str, Any]) -> None:
        """Write a move of V / V_max once; only the value differs."""
        self._id, self._controls = model, dict(controls)
        self._before, self._after = self._written({**controls, "v_ratio": "@"}).split('"@"')

    def _written(self, controls: dict[str, Any]) -> str:
        new = {"type": "map", "entries": list(controls.items())}
        event = {"kind": "ModelChanged", "model": {"id": self._id}, "attr": "values", "new": new}
        return json.dumps({"events": [event]})

    def move(self, value: str) -> bytes:
        """Set V / V_max; what the answer will say."""
        self._send("PATCH-DOC", f"{self._before}{value}{self._after}")
        return f"v_ratio={value}".encode()

    def move_any(self, name: str, value: float) -> bytes:
        """Set any control and keep it so; what the answer will say."""
        self._controls[name] = value
        self._send("PATCH-DOC", self._written(self._controls))
        return f"{name}={value:g}".encode()

    async def until(self, *marks: bytes) -> Answer:
        """Wait for the message that says all of this."""
        messages, before = 0, self.socket.received
        async with asyncio.timeout(PATIENCE_S):
            while True:
                content = await self.message()
                messages += 1
                if all(mark in content for mark in marks):
                    return Answer(time.perf_counter(), messages, self.socket.received - before)

    async def message(self) -> bytes:
        """Content of the next message; its buffers are left aside."""
        header = json.loads(await self.socket.frame())
        await self.socket.frame()
        content = await self.socket.frame()
        for _ in range(2 * header.get("num_buffers", 0)):
            await self.socket.frame()
        return content

    def _send(self, kind: str, content: str) -> None:
        self._sent += 1
        self.socket.send(f'{{"msgid":"{self._sent}","msgtype":"{kind}"}}', "{}", content)

    def close(self) -> None:
        """Leave the page."""
        self.socket.close()


@asynccontextmanager
async def visiting(
    server: Server, *, browse: bool = False, among: Sequence[int] = (), on: int | None = None
) -> AsyncIterator[Visitor]:
    """An open page, closed at the end.

    Args:
        server: where it is.
        browse: whether to fetch the page first, as a browser does; without, the websocket alone is opened.
        among: server processes; the visitor's `pid` says which of them serves it.
        on: the one of them that has to: others' connections are dropped before they cost anything.
    """
    token = await _token(server) if browse else generate_jwt_token(generate_session_id(secret_key=None, signed=False))
    socket, pid = await _connected(server, list(among), on)
    try:
        await socket.upgrade("/app/ws", f"{HOST}:{server.port}", f"bokeh, {token}", server.root)
        yield Visitor(socket, pid)
    finally:
        socket.close()


async def _connected(server: Server, among: list[int], on: int | None) -> tuple[Socket, int | None]:
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(PATIENCE_S):
        while True:
            _, socket = await loop.create_connection(Socket, HOST, server.port)
            if not among:
                return socket, None
            while (pid := serving_pid(among, server.port, socket.local_port)) is None:
                await asyncio.sleep(0.002)  # it waits at the door
            if on in (None, pid):
                return socket, pid
            socket.close()


async def _token(server: Server) -> str:
    reader, writer = await asyncio.open_connection(HOST, server.port)
    writer.write(f"GET /app HTTP/1.1\r\nHost: {HOST}:{server.port}\r\nConnection: close\r\n\r\n".encode())
    page = await asyncio.wait_for(reader.read(), PATIENCE_S)
    writer.close()
    found = re.search(rb'"token":"([^"]+)"', page)
    if found is None:
        raise AssertionError(f"no token in the page: {page[:200]!r}")
    return found[1].decode()
