"""A repair of Panel 1.9: no message to the browser stays behind while an earlier one is still being written.

Panel parks a message when the line is busy and starts a task for it. If the earlier message's task ends first, it lifts the
mark that the parked one waits for, whose own task then returns without sending: the last picture of a drag arrives only with
the next one. With 24 users on two cores this lost the picture of about one move in fifty.

A page that closes between two frames of a message is no fault: there is nobody left to write to, and the line is free again.
"""

from __future__ import annotations

import functools

from bokeh.document import Document
from panel.io import document
from tornado.websocket import WebSocketClosedError


@functools.cache
def send_unsent_messages() -> None:
    """After every writing, look again whether something was parked meanwhile. Once per process."""
    write = document._dispatch_msgs

    @functools.wraps(write)
    async def write_all(doc: Document) -> None:
        try:
            await write(doc)
        except WebSocketClosedError:
            document._WRITE_BLOCK.pop(doc, None)
        if doc in document._WRITE_MSGS and doc not in document._WRITE_BLOCK:
            document._WRITE_BLOCK[doc] = True
            document._dispatch_write_task(doc, document._dispatch_msgs, doc)

    document._dispatch_msgs = write_all
