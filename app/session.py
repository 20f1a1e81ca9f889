"""One visitor: state, pipeline, notifications, and the clean-up when the visitor leaves."""

from __future__ import annotations

import logging
import os
import weakref
from collections.abc import Callable
from typing import Any

import panel as pn
from bokeh.events import ConnectionLost

from app.history import History
from app.jobs.clock import Clock
from app.jobs.page_work import PageWork
from app.jobs.pipeline import Pipeline
from app.panel_fixes.closed_notifications import forget_notifications
from app.panel_fixes.full_collections import count_closed_page
from app.panel_fixes.notification_text import harmless
from app.panel_fixes.ready_pages import page_in_the_making
from app.state import State

log = logging.getLogger("app")

MAX_SESSIONS = int(os.environ.get("SAFE_EXPLORER_MAX_SESSIONS", "60"))
"""Sessions one server process serves at a time; the next visitor is asked to come back later."""

_open: weakref.WeakSet[Session] = weakref.WeakSet()


class Session:
    """Everything that belongs to one open page."""

    def __init__(self) -> None:
        self.doc = pn.state.curdoc
        self.state = State()
        self.work = PageWork()
        self.pipeline = Pipeline(self.state, self.complain, self.work)
        self.clock = Clock(self.state, self.pipeline, self.complain)
        self.history = History(self.state, self.pipeline, self.clock, self.complain)
        self._closing: list[Callable[[], None]] = [self.work.close, self.pipeline.close, self.clock.close]
        if not self.served or pn.state.headers:  # a page that the server makes ahead has no visitor yet
            _open.add(self)
        if (ahead := page_in_the_making()) is not None:
            ahead.taken = lambda: _open.add(self)
        if self.served:
            pn.state.on_session_destroyed(lambda _context: self._destroyed())
            self.doc.on_event(ConnectionLost, lambda _event: self._lost())

    def _lost(self) -> None:
        """The browser has gone and opens a new session when it comes back; nobody waits for what this one still does."""
        context = self.doc.session_context
        if context is None or context.session is None or context.session.connection_count <= 1:
            self.close()

    def _destroyed(self) -> None:
        self.close()
        forget_notifications(self.doc)
        count_closed_page()

    @property
    def served(self) -> bool:
        """Whether the page is for a browser; in tests and notebooks nobody connects."""
        return self.doc is not None and self.doc.session_context is not None

    def complain(self, text: str) -> None:
        """Say in words what went wrong; the page stays usable."""
        self._notify("error", text, 8000)

    def insist(self, text: str) -> None:
        """Say what is wrong with the server itself; it stays on the screen until it is closed."""
        self._notify("error", text, 0)

    def tell(self, text: str) -> None:
        """Say that something was done."""
        self._notify("success", text, 4000)

    def warn(self, text: str) -> None:
        """Say that something was left out."""
        self._notify("warning", text, 10000)

    def _notify(self, kind: str, text: str, duration: int) -> None:
        area = pn.state.notifications
        if area is None:
            log.info("%s: %s", kind, text)
        else:
            getattr(area, kind)(harmless(text), duration=duration)

    def when_closing(self, action: Callable[[], None]) -> None:
        """Register clean-up for the session's end."""
        self._closing.append(action)

    def close(self) -> None:
        """Stop everything this session started."""
        _open.discard(self)
        for action in reversed(self._closing):
            try:
                action()
            except Exception:
                log.exception("closing a session")
        self._closing.clear()


def full() -> bool:
    """Whether the cap on sessions is reached."""
    return len(_open) >= MAX_SESSIONS


def open_sessions() -> int:
    """Number of open sessions in this process."""
    return len(_open)


def handle_fault(error: Exception) -> None:
    """Exceptions of callbacks: logged for the operator, said in words to the visitor, results marked stale."""
    log.error("a callback failed", exc_info=error)
    doc: Any = pn.state.curdoc
    for session in list(_open):
        if session.doc is doc:
            reason = f"A step of the page failed ({type(error).__name__}); change any control to compute again."
            session.pipeline.stale = reason
            session.complain(reason)
