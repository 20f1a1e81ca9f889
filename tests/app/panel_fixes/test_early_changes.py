"""A browser that has the document and has not drawn it yet is told what changes meanwhile, once it is ready."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import weakref
from collections.abc import Callable
from typing import Any

import panel as pn
import param
import pytest
from bokeh.application import Application
from bokeh.application.handlers.function import FunctionHandler
from bokeh.document import Document
from bokeh.models import Div
from bokeh.protocol import Protocol
from bokeh.server.connection import ServerConnection
from bokeh.server.contexts import ApplicationContext
from bokeh.server.session import ServerSession
from bokeh.util.token import generate_jwt_token, generate_session_id
from panel.custom import JSComponent
from panel.io import document
from panel.io.state import set_curdoc
from tornado.httputil import HTTPServerRequest, RequestStartLine
from tornado.ioloop import IOLoop

from app.panel_fixes import early_changes
from app.panel_fixes.early_changes import KEPT, keep_early_changes


class Words(JSComponent):
    """What a component of the page shows; Panel changes every such component within `hold`."""

    text = param.String()
    _esm = "export function render() {}"


class Browser:
    """A page with some words, and what its browser has been told of them."""

    def __init__(self) -> None:
        self.words = Words(text="first")
        self.shown, self.messages = "", 0
        context = ApplicationContext(Application(FunctionHandler(self._make)), io_loop=IOLoop.current(), url="/app")
        self._context, self._there = context, Document()

    def _make(self, doc: Document) -> None:
        with set_curdoc(doc):
            self.words.server_doc(doc, location=False)

    async def send_message(self, message: Any) -> None:
        self.messages += 1
        self._there.apply_json_patch(json.loads(message.content_json))
        self._look()

    def _look(self) -> None:
        self.shown = self._there.roots[0].data.text

    async def open(self) -> None:
        """Ask for the page."""
        name, line = generate_session_id(), RequestStartLine("GET", "/app", "HTTP/1.0")
        self.session: Any = await self._context.create_session_if_needed(
            name, HTTPServerRequest(start_line=line), generate_jwt_token(name)
        )

    async def fetch(self) -> None:
        """Connect and ask for the document."""
        connection = ServerConnection(Protocol(), self, self._context, self.session)
        reply = await ServerSession.pull(Protocol().create("PULL-DOC-REQ"), connection)
        self._there = Document.from_json(json.loads(reply.content_json)["doc"])
        self._look()

    async def locked(self, change: Callable[[], Any]) -> None:
        """Change the page as its callbacks do, and let everything happen that this causes."""

        def within() -> None:
            with set_curdoc(self.session.document):
                change()

        await self.session.with_document_locked(within)
        while self.session.document.session_callbacks:
            await asyncio.sleep(0)
        await self.session.with_document_locked(lambda: None)  # the last of them has been written

    async def say_ready(self) -> None:
        await self.locked(lambda: pn.state._on_load(self.session.document))


async def late_word() -> str:
    """What is shown of a word that comes while the browser reads the page."""
    browser = Browser()
    await browser.open()
    await browser.fetch()
    assert browser.shown == "first"
    await browser.locked(lambda: setattr(browser.words, "text", "late"))
    await browser.say_ready()
    return browser.shown


def test_panel_alone_throws_it_away(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_drain_unconnected_events", "_dispatch_unconnected_events"):
        patched = getattr(document, name)
        monkeypatch.setattr(document, name, getattr(patched, "__wrapped__", patched))
    assert asyncio.run(late_word()) == "first", (
        "Panel sends what changes while the browser reads the page: this repair can go (app.panel_fixes.early_changes)"
    )


def test_with_the_repair_it_arrives() -> None:
    keep_early_changes()
    assert asyncio.run(late_word()) == "late"


def test_what_is_newer_is_not_overwritten_by_what_was_kept() -> None:
    keep_early_changes()

    async def two_words() -> str:
        browser = Browser()
        await browser.open()
        await browser.fetch()
        await browser.locked(lambda: setattr(browser.words, "text", "late"))
        root = browser.session.document.roots[0]
        await browser.locked(lambda: setattr(root.data, "text", "newer"))  # outside hold: sent at once
        assert browser.shown == "newer"
        await browser.say_ready()
        return browser.shown

    assert asyncio.run(two_words()) == "newer"


def test_what_changes_before_the_document_is_fetched_is_in_it_and_not_said_again() -> None:
    keep_early_changes()

    async def early_word() -> tuple[str, int]:
        browser = Browser()
        await browser.open()
        await browser.locked(lambda: setattr(browser.words, "text", "early"))
        await browser.fetch()
        await browser.say_ready()
        return browser.shown, browser.messages

    assert asyncio.run(early_word()) == ("early", 0)


def test_who_leaves_before_it_is_drawn_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_early_changes()
    monkeypatch.setattr(early_changes, "_is_being_read", lambda doc: True)
    doc, words = Document(), Div(text="first")
    doc.add_root(words)
    doc.hold("combine")
    words.text = "late"
    document._drain_unconnected_events(doc, threading.Lock())
    assert vars(doc)[KEPT], "nothing was kept"
    left = weakref.ref(doc)
    del doc, words
    gc.collect()
    assert left() is None
