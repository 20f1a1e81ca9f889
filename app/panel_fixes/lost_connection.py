"""A repair of Panel 1.9: a page whose server went away comes back by itself.

Panel does not connect again unless told to, and then to the session it had, which a server that was started anew does not
know. The page's address carries its state, so opening it again is enough.
"""

from __future__ import annotations

from bokeh.document import Document
from bokeh.events import ConnectionLost
from bokeh.models import CustomJS

COME_BACK_JS = """
window.comingBack ??= window.setInterval(() => {
  fetch(window.location.href, {method: "HEAD"}).then((r) => { if (r.status < 500) { window.location.reload() } }).catch(() => {})
}, 2000)
"""
"""After a lost connection: wait for the server and open the same address, which carries the state, again."""


def come_back(doc: Document) -> None:
    """Let the document's page wait for the server after a lost connection."""
    doc.js_on_event(ConnectionLost, CustomJS(code=COME_BACK_JS))
