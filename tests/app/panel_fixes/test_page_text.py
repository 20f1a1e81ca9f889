"""The page that all visitors start from is written once, and every visitor's has the visitor's own token."""

from __future__ import annotations

import inspect
from typing import Any

import panel as pn
import pytest
from panel.io import server

from app.panel_fixes.page_text import write_pages_once


class Kept:
    """A session, as far as this matters."""


def test_only_the_token_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def write(session: Any, *, token: str, title: str) -> str:
        calls.append(session)
        return f"{title}: {token}"

    monkeypatch.setattr(server, "server_html_page_for_session", write)
    kept, other = Kept(), Kept()
    monkeypatch.setitem(pn.state._sessions, "/app", kept)
    write_pages_once.__wrapped__()
    said = [server.server_html_page_for_session(s, token=t, title="T") for s, t in ((kept, "a"), (kept, "b"), (other, "c"), (other, "d"))]  # fmt: skip
    assert said == ["T: a", "T: b", "T: c", "T: d"]
    assert calls == [kept, other, other]


def test_panel_still_writes_it_anew() -> None:
    source = inspect.getsource(server.DocHandler.get)
    assert "page = server_html_page_for_session(" in source, "Panel writes pages in another way: this repair can go"
