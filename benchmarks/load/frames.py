"""A websocket that costs its user next to nothing: frames are cut, not understood, so that a load test measures the server."""

from __future__ import annotations

import asyncio
import base64
import os
import struct
from collections import deque

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
NO_MASK = bytes(4)
"""A mask of zeros: allowed by RFC 6455, and nothing has to be masked."""


class Socket(asyncio.Protocol):
    """One websocket as a queue of frames; pings are answered."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._frames: deque[bytes] = deque()
        self._parts: list[bytes] = []
        self._waiting: asyncio.Future[None] | None = None
        self._open = False
        self._transport: asyncio.Transport | None = None
        self.lost = False
        self.received = 0
        """Bytes that came, headers included."""

    @property
    def local_port(self) -> int:
        """Port on this side of the connection."""
        assert self._transport is not None
        return int(self._transport.get_extra_info("sockname")[1])

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = True
        self._wake()

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        self._buffer += data
        while self._open and self._cut():
            pass
        self._wake()

    def _cut(self) -> bool:
        """Take one frame off the buffer, if it is all there."""
        buffer, start = self._buffer, 2
        if len(buffer) < 2:
            return False
        length = buffer[1] & 0x7F
        if length >= 126:
            start = 4 if length == 126 else 10
            if len(buffer) < start:
                return False
            (length,) = struct.unpack_from(">H" if start == 4 else ">Q", buffer, 2)
        if len(buffer) < start + length:
            return False
        kind, last = buffer[0] & 0x0F, buffer[0] & 0x80
        payload = bytes(memoryview(buffer)[start : start + length])
        del buffer[: start + length]
        if kind == PING:
            self._write(PONG, payload)
        elif kind == CLOSE:
            self.close()
        elif kind != PONG:
            self._parts.append(payload)
            if last:
                self._frames.append(payload if len(self._parts) == 1 else b"".join(self._parts))
                self._parts.clear()
        return True

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def _arrival(self) -> None:
        if self.lost:
            raise ConnectionError("the server closed the connection")
        self._waiting = asyncio.get_running_loop().create_future()
        await self._waiting

    async def frame(self) -> bytes:
        """The next frame; ConnectionError once the server is gone."""
        while not self._frames:
            await self._arrival()
        return self._frames.popleft()

    async def upgrade(self, path: str, host: str, protocols: str, origin: str) -> None:
        """Ask the server to speak websocket on this connection."""
        key = base64.b64encode(os.urandom(16)).decode()
        lines = (
            f"GET {path} HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade", f"Origin: {origin}",
            f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Protocol: {protocols}", "", "",
        )  # fmt: skip
        assert self._transport is not None
        self._transport.write("\r\n".join(lines).encode())
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            await self._arrival()
        head = bytes(self._buffer[:end])
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise ConnectionError(head.decode("latin-1"))
        del self._buffer[: end + 4]
        self._open = True
        while self._cut():
            pass

    def send(self, *texts: str) -> None:
        """Send text frames."""
        for text in texts:
            self._write(TEXT, text.encode())

    def _write(self, kind: int, payload: bytes) -> None:
        n = len(payload)
        if n < 126:
            head = struct.pack(">BB", 0x80 | kind, 0x80 | n)
        elif n < 1 << 16:
            head = struct.pack(">BBH", 0x80 | kind, 0x80 | 126, n)
        else:
            head = struct.pack(">BBQ", 0x80 | kind, 0x80 | 127, n)
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(head + NO_MASK + payload)

    def close(self) -> None:
        """Leave."""
        if self._transport is not None:
            self._transport.close()
