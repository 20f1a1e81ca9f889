"""A repair of Panel 1.9: the HTML of a page that all visitors start from is written once.

With `--reuse-sessions` every visitor is sent the same page, but Panel looks through all its components and gathers scripts and
style sheets each time, 50 ms in which nobody else is served. Only the token differs.
"""

from __future__ import annotations

import functools
from typing import Any
from weakref import WeakKeyDictionary

import panel as pn
from panel.io import server

TOKEN = "token-of-the-visitor"


@functools.cache
def write_pages_once() -> None:
    """From now on, a page that is sent again gets another token only. Once per process."""
    write = server.server_html_page_for_session
    written: WeakKeyDictionary[Any, str] = WeakKeyDictionary()

    @functools.wraps(write)
    def page(session: Any, *args: Any, token: str | None = None, **options: Any) -> str:
        if token is None or not any(session is kept for kept in pn.state._sessions.values()):
            return str(write(session, *args, token=token, **options))
        if session not in written:
            written[session] = write(session, *args, token=TOKEN, **options)
        return written[session].replace(TOKEN, token)

    server.server_html_page_for_session = page
