"""A repair of Panel 1.9: the notifications of a page that is closed leave memory.

Panel enters the place for notifications of every page in a table of what is shown and, unlike all else of a page, never takes it
out: with it stay the document and 250 objects, some 50 kB for every page ever opened.
"""

from __future__ import annotations

from bokeh.document import Document
from panel.io.notifications import NotificationAreaBase
from panel.io.state import state


def forget_notifications(doc: Document) -> None:
    """Take a closed page's place for notifications out of the table."""
    for ref, (view, _, shown_in, _) in list(state._views.items()):
        if shown_in is doc and isinstance(view, NotificationAreaBase):
            del state._views[ref]
