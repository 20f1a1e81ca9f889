"""Pages made ahead: a visitor is given one under the visitor's own name, and is told everything that a page made for it would tell."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import panel as pn
import pytest
from bokeh.application import Application
from bokeh.application.handlers.function import FunctionHandler
from bokeh.core.serialization import Serialized
from bokeh.document import Document
from bokeh.protocol import Protocol
from bokeh.server.connection import ServerConnection
from bokeh.server.contexts import ApplicationContext
from bokeh.server.session import ServerSession
from bokeh.util.token import generate_jwt_token, generate_session_id
from panel.io.state import set_curdoc
from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine
from tornado.ioloop import IOLoop

from app.page import build
from app.panel_fixes import ready_pages
from app.panel_fixes.ready_pages import ReadyPage, ReadyPages
from app.session import open_sessions

pytestmark = pytest.mark.slow  # whole pages are built


class Line:
    """The socket of a browser that is connected; what is sent to it is kept."""

    def __init__(self, place: Place, session: Any) -> None:
        self.sent: list[Any] = []
        self.connection = ServerConnection(Protocol(), self, place.context, session)

    async def send_message(self, message: Any) -> None:
        self.sent.append(message)

    async def pull(self) -> Any:
        """Ask for the document, as a browser does first."""
        return await ServerSession.pull(Protocol().create("PULL-DOC-REQ"), self.connection)

    async def say_ready(self) -> None:
        """Say that the page is drawn."""
        session = self.connection.session
        await session.with_document_locked(lambda: pn.state._on_load(session.document))


def request(uri: str = "/app") -> HTTPServerRequest:
    return HTTPServerRequest(
        start_line=RequestStartLine("GET", uri, "HTTP/1.1"), headers=HTTPHeaders({"Host": "localhost"})
    )


class Place:
    """A process that serves the page and has `ready` of them."""

    def __init__(self, context: ApplicationContext, pages: ReadyPages) -> None:
        self.context, self.pages = context, pages

    @property
    def ready(self) -> list[ReadyPage]:
        return list(self.pages._waiting)

    async def visit(self, uri: str = "/app") -> Any:
        name = generate_session_id()
        session = await self.context.create_session_if_needed(name, request(uri), generate_jwt_token(name))
        assert session.id == name
        assert self.context.get_session(name) is session
        return session


@asynccontextmanager
async def serving(room: Callable[[], bool] = lambda: True) -> AsyncIterator[Place]:
    def make(doc: Document) -> None:
        with set_curdoc(doc):
            build(pn.state.session_args).server_doc(doc, location=False)

    context = ApplicationContext(Application(FunctionHandler(make)), io_loop=IOLoop.current(), url="/app")
    pages = ReadyPages(context, room)
    while not pages._waiting and not pages._keeper.done():
        await asyncio.sleep(0.01)
    try:
        yield Place(context, pages)
    finally:
        pages._keeper.cancel()
        for session in context.sessions:
            session.destroy()


@pytest.fixture(autouse=True)
def one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready_pages, "READY_PAGES", 1)


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(test())


def test_a_visitor_gets_the_page_that_is_ready_and_counts_as_one_only_then() -> None:
    async def test() -> None:
        async with serving() as place:
            (page,), before = place.ready, open_sessions()
            assert page.session.expiration_blocked
            session = await place.visit()
            assert session is page.session
            assert open_sessions() == before + 1
            assert not session.expiration_blocked
            assert session.document.session_context.request.headers["Host"] == "localhost"
            while not place.ready:  # another takes its place
                await asyncio.sleep(0.01)

    run(test)


def test_a_browser_learns_everything_from_the_two_messages_that_were_written_ahead() -> None:
    async def test() -> None:
        async with serving() as place:
            session = await place.visit()
            line = Line(place, session)
            reply = await line.pull()
            there = Document.from_json(json.loads(reply.content_json)["doc"])
            names = {model.name for model in there.models}
            assert "boundary.map" not in names, "the first tab comes second"
            await line.say_ready()
            (tab,) = line.sent
            assert len(tab.buffers) > 0
            content = json.loads(tab.content_json)
            there.apply_json_patch(Serialized(content, tab.buffers))
            assert {m.id for m in there.models} == {m.id for m in session.document.models}
            (source,) = (m for m in there.models if m.name == "boundary.map")
            (ours,) = (m for m in session.document.models if m.name == "boundary.map")
            assert (source.data["image"][0] == ours.data["image"][0]).all()
            again = json.loads((await line.pull()).content_json)
            assert "boundary.map" in json.dumps(again), "asked again, the session says what it is now"

    run(test)


def test_what_was_written_is_not_sent_once_the_page_has_changed() -> None:
    async def test() -> None:
        async with serving() as place:
            session = await place.visit()
            await session.with_document_locked(lambda: setattr(session.document, "title", "another"))
            line = Line(place, session)
            reply = json.loads((await line.pull()).content_json)
            assert reply["doc"]["title"] == "another"
            assert "boundary.map" in json.dumps(reply), "with the tab that is in it by now"
            await line.say_ready()
            assert line.sent == []

    run(test)


@pytest.mark.parametrize(("uri", "room"), [("/app?slots=120", True), ("/app", False)], ids=["settings", "full"])
def test_whoever_brings_settings_or_finds_no_room_gets_a_page_of_their_own(uri: str, room: bool) -> None:
    async def test() -> None:
        async with serving(lambda: room) as place:
            (page,) = place.ready
            assert await place.visit(uri) is not page.session
            assert place.ready == [page]

    run(test)


def test_a_page_that_cannot_be_built_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.page.page_in_the_making", lambda: None)

    async def test() -> None:
        async with serving() as place:
            assert place.ready == []
            assert place.pages._keeper.done()
            await place.visit()

    run(test)


def test_bokeh_still_makes_every_session_for_its_visitor() -> None:
    source = inspect.getsource(ApplicationContext.create_session_if_needed)
    assert "doc = Document()" in source, "Bokeh makes sessions in another way: look whether this repair can go"
