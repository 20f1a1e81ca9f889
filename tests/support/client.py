"""A visitor without a browser: Bokeh's websocket protocol, spoken the way the page's own script speaks it."""

from __future__ import annotations

import asyncio
import contextlib
import html
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from bokeh.util.token import generate_jwt_token, generate_session_id
from harness import PATIENCE_S, Server
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

READY = {
    "kind": "MessageSent",
    "msg_type": "bokeh_event",
    "msg_data": {"type": "event", "name": "document_ready", "values": {"type": "map"}},
}


@dataclass(frozen=True)
class Answer:
    """What one move of a slider cost."""

    seconds: float
    messages: int
    bytes: int
    text: str


class Client:
    """One open session; `controls` is what its page would show."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._sent = 0
        self.controls: dict[str, Any] = {}
        self._id = self._timeline = ""

    async def start(self) -> Answer:
        """Open the page as a browser does: its numbers and its first tab are there when this returns."""
        await self.read_document()
        began = time.perf_counter()
        await self.say_ready()
        return await self._until(began, "boundary.map")

    async def read_document(self) -> str:
        """Fetch the document, as it came; again, as it has become."""
        if not self._id:
            await self._message()  # ACK
        await self._send("PULL-DOC-REQ", {})
        while True:
            text = (await self._message())[1]
            content = json.loads(text)
            if not content.get("doc"):
                continue
            self._id, self.controls = find_controls(content) or ("", {})
            self._timeline = find_timeline(content) or ""
            if not self._id:
                raise AssertionError("the document has no controls: the app failed to load, or the server is full")
            return text

    async def say_ready(self) -> None:
        """Say that the page is drawn."""
        await self._patch(READY)

    async def put(self, **values: Any) -> None:
        """Move controls without waiting for the answer."""
        self.controls = {**self.controls, **values}
        await self._patch(
            {
                "kind": "ModelChanged",
                "model": {"id": self._id},
                "attr": "values",
                "new": {"type": "map", "entries": list(self.controls.items())},
            }
        )

    async def move(self, name: str, value: Any) -> Answer:
        """Move one control and wait for numbers that were computed with it."""
        began = time.perf_counter()
        await self.put(**{name: value})
        return await self._until(began, "data-query", f"{name}={value:g}")

    async def until(self, *words: str) -> Answer:
        """Wait for a message that says all of these, however long the server takes."""
        return await self._until(time.perf_counter(), *words)

    async def notified(self, words: str) -> None:
        """Wait for a notification that says these words, however long the server takes."""
        await self._until(time.perf_counter(), "notification_type", words)

    async def press(self, **asked: Any) -> None:
        """Ask the timeline for something, as one of its buttons does."""
        data = {"type": "map", "entries": [*asked.items()]}
        values = {"type": "map", "entries": [["model", {"id": self._timeline}], ["data", data]]}
        event = {"type": "event", "name": "data_event", "values": values}
        await self._patch({"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event})

    async def send_raw(self, frame: str | bytes) -> None:
        """Send anything, however broken."""
        await self._socket.send(frame)

    async def rest(self, pause_s: float = 0.3) -> list[str]:
        """Texts of all messages that still arrive until there is a pause."""
        found = []
        while True:
            try:
                async with asyncio.timeout(pause_s):
                    first = await self._socket.recv()
            except TimeoutError:
                return found
            found.append(readable((await self._message(first))[1]))

    async def answered(self, *messages: Sequence[str | bytes]) -> tuple[list[str], int]:
        """Send these messages, each the frames of one, and read all that comes back until the server has answered the last.

        Returns:
            The text frames, and the code with which the server closed the connection; 0 when it is open.
        """
        end = ({"msgid": "the end", "msgtype": "SERVER-INFO-REQ"}, {}, {})
        found: list[str] = []
        try:
            async with asyncio.timeout(PATIENCE_S):
                for frames in (*messages, [json.dumps(part) for part in end]):
                    for frame in frames:
                        await self._socket.send(frame)
                while not ('"SERVER-INFO-REPLY"' in (found or [""])[-1] and '"the end"' in found[-1]):
                    frame = await self._socket.recv()
                    found += [frame] if isinstance(frame, str) else []
        except ConnectionClosed as closed:
            return found, closed.rcvd.code if closed.rcvd is not None else -1
        for _ in range(2):  # the rest of the last answer
            await self._socket.recv()
        return found, 0

    async def read_on(self) -> None:
        """Take whatever comes until the connection ends."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                await self._socket.recv()

    async def _until(self, began: float, *marks: str) -> Answer:
        messages = size = 0
        async with asyncio.timeout(PATIENCE_S):
            while True:
                kind, content, length = await self._message()
                messages, size = messages + (kind == "PATCH-DOC"), size + length
                if all(mark in content for mark in marks):
                    return Answer(time.perf_counter() - began, messages, size, readable(content))

    async def _patch(self, event: dict[str, Any]) -> None:
        await self._send("PATCH-DOC", {"events": [event]})

    async def _send(self, kind: str, content: dict[str, Any]) -> None:
        self._sent += 1
        for part in ({"msgid": str(self._sent), "msgtype": kind}, {}, content):
            await self._socket.send(json.dumps(part))

    async def _message(self, first: str | bytes | None = None) -> tuple[str, str, int]:
        """Kind, content as it came (plain ASCII) and size of the next message; its buffers are read and left aside."""
        async with asyncio.timeout(PATIENCE_S):
            frames = [first or await self._socket.recv(), *[await self._socket.recv() for _ in range(2)]]
            header = json.loads(frames[0])
            frames += [await self._socket.recv() for _ in range(2 * header.get("num_buffers", 0))]
        return header["msgtype"], str(frames[2]), sum(map(len, frames))


def readable(content: str) -> str:
    """A message's content without the escapes of JSON and HTML."""
    return html.unescape(json.dumps(json.loads(content), ensure_ascii=False))


def find_controls(node: Any) -> tuple[str, dict[str, Any]] | None:
    """Id of the model that carries the controls, and their values, in a serialised document."""
    if isinstance(node, dict):
        values = node.get("attributes", {}).get("values") if isinstance(node.get("attributes"), dict) else None
        if isinstance(values, dict):
            entries = dict(values["entries"]) if values.get("type") == "map" and "entries" in values else values
            if {"beta", "slots", "c"} <= set(entries):
                return node["id"], entries
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            if isinstance(child, dict | list) and (found := find_controls(child)):
                return found
    return None


def find_timeline(node: Any) -> str | None:
    """Id of the timeline in a serialised document: the model whose data has the speeds to play at."""
    if isinstance(node, dict):
        inner = node.get("attributes")
        data = inner.get("data") if isinstance(inner, dict) else None
        if isinstance(data, dict) and '"speeds"' in json.dumps(data.get("attributes", {}).get("view", "")):
            return str(node["id"])
        node = list(node.values())
    found = (find_timeline(child) for child in node if isinstance(child, dict | list)) if isinstance(node, list) else ()
    return next((name for name in found if name), None)


def new_token() -> str:
    """Names a session that is not there yet."""
    return generate_jwt_token(generate_session_id(secret_key=None, signed=False), secret_key=None, signed=False)


@asynccontextmanager
async def visiting(server: Server, *, origin: str = "", token: str = "", **arguments: str) -> AsyncIterator[Client]:
    """A connection that is closed at the end; its page comes from the server itself unless another origin is given.

    Args:
        server: whose.
        origin: of the page; "" = the server.
        token: of a session that may be there already (`new_token`); "" = of a new one.
        arguments: of the link.
    """
    token = token or new_token()
    url = f"ws://127.0.0.1:{server.port}/app/ws?{urlencode(arguments)}"
    async with connect(
        url,
        subprotocols=["bokeh", token],
        origin=origin or server.root,
        max_size=None,
        open_timeout=PATIENCE_S,
        ping_interval=None,
        close_timeout=1,
    ) as socket:
        yield Client(socket)
