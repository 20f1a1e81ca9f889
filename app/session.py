"""One visitor: state, pipeline, notifications, and the clean-up when the visitor leaves."""

from __future__ import annotations

import logging
import os
import weakref
from collections.abc import Callable
from typing import Any

import panel as pn

from app.pipeline import Pipeline
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
        self.pipeline = Pipeline(self.state, self.complain)
        self._closing: list[Callable[[], None]] = [self.pipeline.close]
        if not self.served or pn.state.headers:  # a page that the server makes ahead (`--warm`) has no visitor
            _open.add(self)
        if self.served:
            pn.state.on_session_destroyed(lambda _context: self.close())

    @property
    def served(self) -> bool:
        """Whether the page is for a browser; in tests and notebooks nobody connects."""
        return self.doc is not None and self.doc.session_context is not None

    def complain(self, text: str) -> None:
        """Say in words what went wrong; the page stays usable."""
        self._notify("error", text, 8000)

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


def harmless(text: str, length: int = 400) -> str:
    """Text of a notification without anything a browser could take for markup."""
    clean = text.replace("<", "‹").replace(">", "›")
    return clean[:length] + ("…" if len(clean) > length else "")


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
