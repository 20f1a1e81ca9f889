"""A repair of Bokeh 3.9: who sends nonsense over the page's connection learns nothing and cannot go on for long.

Bokeh answers a message that it cannot handle with the whole traceback, paths of the server included, and takes the next one,
without end; it closes a connection with a code that no browser knows and a reason that may be too long to be sent; it goes on
taking messages of a connection that it has closed; it lets a client replace the whole document, and announce a thousand
million buffers. Nothing that a page sends does any of this.
"""

from __future__ import annotations

import functools
import logging
from typing import Any

from bokeh.protocol.messages.error import Error, error
from bokeh.server.protocol_handler import ProtocolHandler
from bokeh.server.views.ws import WSHandler

log = logging.getLogger("app")

MOST_BAD = 20
"""Messages of one connection that may be refused; then it is closed."""
MOST_PIECES = 2_000
"""Pieces that one message may have, two for each buffer."""
MOST_BYTES = 25_000_000
"""And their size in all; the largest upload is well below it."""
REFUSED = "The server could not use this message."
"""All that a client is told; the server's log has the rest."""
POLICY = 1008
"""Code of RFC 6455 for a connection that is closed because of what came over it."""


@functools.cache
def refuse_bad_messages() -> None:
    """Answer, count and close as above. Once per process."""
    error.create = classmethod(_without_traceback)
    ProtocolHandler.handle, WSHandler.on_message = _handle, _on_message


def _without_traceback(cls: type[error], /, request_id: Any, text: str, **metadata: Any) -> error:
    return cls(cls.create_header(request_id=request_id), metadata, Error(text=REFUSED, traceback=None))


async def _handle(self: ProtocolHandler, message: Any, connection: Any) -> Any:
    """Answer a message, with an error where it cannot be handled."""
    handler = self._handlers.get(message.msgtype) if message.msgtype != "PUSH-DOC" else None
    if handler is None:
        log.warning("A message of a kind that no page sends was refused")
        return connection.error(message, REFUSED)
    try:
        return await handler(message, connection)
    except Exception:
        log.exception("A message was refused")
        return connection.error(message, REFUSED)


async def _on_message(self: WSHandler, fragment: str | bytes) -> None:
    """Take one piece of a message; once it is whole, answer it. Nothing is raised: nobody would hear of it."""
    if self.ws_connection is None or self.ws_connection.is_closing():
        return
    pieces, size = getattr(self, "_unfinished", (0, 0))
    self._unfinished = pieces, size = pieces + 1, size + len(fragment)
    try:
        if pieces > MOST_PIECES or size > MOST_BYTES:
            raise ValueError(f"{pieces} pieces and {size} bytes, and the message has no end")
        if self.receiver is None:
            raise ValueError("it came before the connection was acknowledged")
        message = await self.receiver.consume(fragment)
    except Exception:
        log.exception("A connection is closed: it sent what is no message")
        self.close(POLICY, REFUSED)
        return
    if message is None:
        return
    self._unfinished = 0, 0
    answer = await self.handler.handle(message, self.connection)
    if answer is not None:
        await self.send_message(answer)
    if isinstance(answer, error):
        self._refused = getattr(self, "_refused", 0) + 1
        if self._refused >= MOST_BAD:
            log.warning("A connection is closed: %d of its messages were refused", MOST_BAD)
            self.close(POLICY, REFUSED)
