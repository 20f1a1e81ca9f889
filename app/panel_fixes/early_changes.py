"""A repair of Panel 1.9: what changes while the browser is reading the page arrives too.

Until the browser says that the page is drawn, Panel throws away what changes within `hold`: the document is yet to be sent, it
reasons, and has it all. But the document is sent as soon as the connection is open, a second or more before that: numbers that
came in between were never shown, and Bokeh sends nothing twice. Here they are kept and said once the browser is ready. They
are said as they are by then, for what changes outside `hold` is sent at once and may be newer.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable

from bokeh.document import Document
from bokeh.document.events import DocumentChangedEvent, ModelChangedEvent
from panel.io import document

KEPT = "_early_changes"
"""Attribute of a document: kept anywhere else, the changes would keep the document of a visitor who leaves before it is drawn."""


@functools.cache
def keep_early_changes() -> None:
    """Keep what Panel would throw away, and send it when it sends what it has kept itself. Once per process."""
    throw_away: Callable[[Document, threading.Lock], list[DocumentChangedEvent]] = document._drain_unconnected_events
    send: Callable[[Document], None] = document._dispatch_unconnected_events

    @functools.wraps(throw_away)
    def keep(doc: Document, lock: threading.Lock) -> list[DocumentChangedEvent]:
        if _is_being_read(doc):
            changes = [event for event in doc.callbacks._held_events or () if isinstance(event, ModelChangedEvent)]
            vars(doc).setdefault(KEPT, []).extend(changes)
        return throw_away(doc, lock)

    @functools.wraps(send)
    def send_all(doc: Document) -> None:
        send(doc)
        if changes := vars(doc).pop(KEPT, None):
            doc.add_next_tick_callback(lambda: _say(doc, changes))

    document._drain_unconnected_events = keep
    document._dispatch_unconnected_events = send_all


def _is_being_read(doc: Document) -> bool:
    """Whether a browser may have the document already."""
    session = getattr(doc.session_context, "session", None)
    return session is not None and session.connection_count > 0


def _say(doc: Document, changes: list[ModelChangedEvent]) -> None:
    """Send what the changed properties are now, each once; a model that has left the page is of no interest any more."""
    for model, attr in dict.fromkeys((change.model, change.attr) for change in changes):
        if model.document is doc:
            doc.callbacks.trigger_on_change(ModelChangedEvent(doc, model, attr, getattr(model, attr)))
