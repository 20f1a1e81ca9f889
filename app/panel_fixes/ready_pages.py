"""A reach into Bokeh 3.9: pages that wait for their visitors.

To make a page, its first tab and the messages that carry both takes a third of a second of processor time, in which the process
serves nobody else; a class that opens the page at once waits in a row. Here it is done while nobody needs the processor: whoever
opens the page without settings is given one that is ready, with its messages written. Bokeh has no such thing: a session is
made when its visitor comes, under its visitor's name.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import panel as pn
from bokeh.document import Document
from bokeh.document.events import DocumentPatchedEvent
from bokeh.protocol.messages.patch_doc import patch_doc
from bokeh.protocol.messages.pull_doc_reply import pull_doc_reply
from bokeh.server import contexts
from bokeh.server.contexts import ApplicationContext
from bokeh.server.session import ServerSession, current_time
from bokeh.util.token import generate_session_id, get_token_payload
from panel.io.state import set_curdoc
from tornado.httputil import HTTPServerRequest, RequestStartLine

from app.calm import calm

log = logging.getLogger("app")

READY_PAGES = int(os.environ.get("SAFE_EXPLORER_READY_PAGES", "10"))
"""Pages that a process keeps ready; 0 = none."""
PATIENCE_S = 60.0
"""After this long another page is made although visitors are at work [s]."""


class ReadyPage:
    """One page that is made ahead of its visitor; the page itself says what comes second and hears when it is taken."""

    def __init__(self) -> None:
        self.session: Any = None
        self.second: Callable[[], None] | None = None
        """What is put into the page after its document: the first tab. Only once the browser is ready for it is it sent."""
        self.taken: Callable[[], None] = lambda: None
        self._document = ""
        self._tab: patch_doc | None = None
        self._sent = False

    def write_document(self) -> None:
        """Write down what the browser is told first."""
        message = pull_doc_reply.create("", self.session.document)
        if not message.buffers:  # there are none before there are plots
            self._document = message.content_json

    def write_second(self) -> None:
        """Put in what comes second and write down how the document changes by it."""
        doc: Document = self.session.document
        doc.hold("combine")
        pn.state._connected[doc] = True  # else Panel would change the page later
        with set_curdoc(doc):
            assert self.second is not None
            self.second()
        del pn.state._connected[doc]
        events, doc.callbacks._held_events, doc.callbacks._hold = list(doc.callbacks._held_events), [], None
        changes = [event for event in events if isinstance(event, DocumentPatchedEvent)]
        self._tab = patch_doc.create(changes)
        _ = self._tab.content_json
        self._tab._content = {}  # the text is enough
        for event in events:
            if event not in changes:
                doc.callbacks.trigger_on_change(event)
        doc.callbacks.on_change(self._outdated)
        self.session._handle_pull = self._reply

    def _outdated(self, event: Any) -> None:
        """The page has changed since: what is written no longer holds."""
        if isinstance(event, DocumentPatchedEvent):
            self._forget()

    def _forget(self) -> None:
        self._document = ""
        self.session.document.callbacks.remove_on_change(self._outdated)

    async def _reply(self, message: Any, connection: Any) -> pull_doc_reply:
        """Answer the browser's question for the document."""
        session, text = self.session, self._document
        del session._handle_pull  # asked again, the session answers itself
        if not text:
            self._tab = None  # it is part of the document
            return await session._handle_pull(message, connection)
        self._forget()
        self._sent = True
        reply = pull_doc_reply(pull_doc_reply.create_header(request_id=message.header["msgid"]), {}, {})
        reply._content_json = text
        return reply

    def deliver(self) -> None:
        """Send what comes second; called when the browser is ready."""
        session, tab, self._tab = self.session, self._tab, None
        if tab is not None and self._sent:
            session._pending_writes += [c._socket.send_message(tab) for c in session._subscribed_connections]


_making: ContextVar[ReadyPage | None] = ContextVar("_making", default=None)


def page_in_the_making() -> ReadyPage | None:
    """The page that is being made ahead of its visitor; None when the visitor is there."""
    return _making.get()


class ReadyPages:
    """The pages of one process, made when it has nothing else to do."""

    def __init__(self, context: ApplicationContext, room: Callable[[], bool]) -> None:
        self._context, self._room = context, room
        self._create = context.create_session_if_needed
        self._waiting: deque[ReadyPage] = deque()
        self._wanted = asyncio.Event()
        context.create_session_if_needed = self.session_for
        self._keeper = asyncio.create_task(self._keep())

    async def session_for(self, session_id: str, request: Any = None, token: str | None = None) -> ServerSession:
        """What Bokeh asks of a context: the session of that name, a ready one where none is there yet."""
        known = session_id in self._context._sessions or session_id in self._context._pending_sessions
        if known or request is None or not self._waiting or not self._room():
            return await self._create(session_id, request, token)
        payload = get_token_payload(token) if token else {}
        headers = payload.get("headers")
        if "cookies" in payload and headers is not None and "Cookie" not in headers:
            headers["Cookie"] = "; ".join(f"{k}={v}" for k, v in payload["cookies"].items())
        asked = contexts._RequestProxy(request, payload.get("arguments"), payload.get("cookies"), headers)
        if asked.arguments:  # a link with settings
            return await self._create(session_id, request, token)
        return self._hand_over(session_id, asked, token)

    def _hand_over(self, session_id: str, asked: Any, token: str | None) -> ServerSession:
        page = self._waiting.popleft()
        self._wanted.set()
        session, sessions, known = page.session, self._context._sessions, self._context._session_contexts
        sessions[session_id], known[session_id] = sessions.pop(session.id), known.pop(session.id)
        context = known[session_id]
        session._id = context._id = session_id
        session._token = context._token = token
        context._request = asked
        session._last_unsubscribe_time = current_time()
        session.unblock_expiration()
        page.taken()
        return session

    async def _keep(self) -> None:
        while True:
            self._wanted.clear()
            while len(self._waiting) < READY_PAGES:
                await calm(PATIENCE_S, or_else=lambda: not any(s.connection_count for s in self._context.sessions))
                await asyncio.sleep(0.02)
                try:
                    await self._make()
                except Exception:
                    log.exception("No pages are kept ready: making one failed.")
                    return
            await self._wanted.wait()

    async def _make(self) -> None:
        """Make a page in three steps, between which others are served."""
        page = ReadyPage()
        token = _making.set(page)
        try:
            page.session = await self._create(
                generate_session_id(), HTTPServerRequest(start_line=RequestStartLine("GET", "/", "HTTP/1.0")), None
            )
        finally:
            _making.reset(token)
        page.session.block_expiration()
        if page.second is None:
            raise RuntimeError("the page could not be built")
        for step in (page.write_document, page.write_second):
            await asyncio.sleep(0.02)
            await page.session.with_document_locked(step)
        self._waiting.append(page)


_of_this_process: list[ReadyPages] = []


def keep_pages_ready(context: ApplicationContext, room: Callable[[], bool]) -> None:
    """Begin to keep pages ready in this process.

    Args:
        context: what makes sessions of the page.
        room: whether another visitor may come.
    """
    if READY_PAGES > 0:
        _of_this_process.append(ReadyPages(context, room))
