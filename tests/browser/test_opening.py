"""What is painted first: a true frame with true numbers, nothing fetched in vain, words when the page cannot follow."""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from harness import ROOT, Server, Visitor, free_port, panel_serve, running
from playwright.sync_api import Browser, BrowserContext, Page

from app.components.chain import chain_html
from app.picture import compute
from app.state import State
from core.cli.app import SERVE_OPTIONS

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]

STRIP = "#opening-strip .link"
COVER = "#loader"


@contextmanager
def opened(context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    yield page
    page.close()


def without_libraries(page: Page) -> None:
    page.route(re.compile(r"\.js(\?|$)"), lambda route: route.abort())


def test_frame_and_numbers_need_no_library(server: Server, context: BrowserContext) -> None:
    with opened(context) as page:
        without_libraries(page)
        page.goto(server.url)
        assert page.locator(f"{COVER} header").inner_text() == "SAFE Explorer"
        shown = page.locator(f"{STRIP} .value").all_inner_texts()
        raw = page.locator(STRIP + '[data-link="Φ"]').get_attribute("data-raw")
    picture = compute(State())
    assert float(raw or "nan") == picture.focus.held.phi / picture.focus.model.V_max
    assert shown == re.findall(r'<div class="value">([^<]*)</div>', chain_html(picture))


def test_numbers_painted_first_are_those_of_the_page(server: Server, visit: Callable[..., Visitor]) -> None:
    with urllib.request.urlopen(server.url) as answer:
        painted = re.search(
            r'<template shadowrootmode="open">.*?(<div class="chain".*?)</template>', answer.read().decode(), re.S
        )
    visitor = visit()
    visitor.page.locator(COVER).wait_for(state="detached")
    assert painted is not None
    assert visitor.page.locator(".chain").evaluate("e => e.outerHTML") == visitor.page.evaluate(
        "(text) => { const box = document.createElement('div'); box.innerHTML = text; return box.firstChild.outerHTML }",
        painted[1],
    )


def test_a_link_with_settings_shows_no_numbers_of_the_default(server: Server, context: BrowserContext) -> None:
    with opened(context) as page:
        without_libraries(page)
        page.goto(server.url + "?slots=120")
        assert page.locator(f"{COVER} header").is_visible()
        assert page.locator(STRIP).count() == 0


def test_a_refused_connection_is_said_in_words(server: Server, context: BrowserContext) -> None:
    with opened(context) as page:
        page.route_web_socket(re.compile("/app/ws"), lambda socket: socket.close(code=1011))
        page.goto(server.url)
        page.get_by_text("The server could not be reached").wait_for()


def test_nothing_is_fetched_twice_or_in_vain(browser: Browser, server: Server) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    visitor = Visitor.at(context.new_page(), server)
    visitor.until("window.Bokeh.index.roots[0].is_idle")
    assert len([u for u in visitor.requests if "panel-material-ui.bundle.js" in u]) == 1
    letters = {re.search(r"roboto-(.*?)-\d", u)[1] for u in visitor.requests if "roboto-" in u}  # type: ignore[index]
    assert {"latin", "greek"} >= letters > set()
    context.close()


@pytest.mark.parametrize("options", [(), SERVE_OPTIONS], ids=["bare command", "make app"])
def test_a_full_server_says_so_and_a_page_made_ahead_takes_no_visitor_s_place(
    browser: Browser, options: tuple[str, ...]
) -> None:
    port = free_port()
    with running(panel_serve(ROOT / "app", port=port, options=options), port, SAFE_EXPLORER_MAX_SESSIONS="1") as server:
        context = browser.new_context()
        first = Visitor.at(context.new_page(), server)
        second = Visitor.of(context.new_page(), server)
        second.page.goto(server.url)
        second.page.get_by_text("The server is full").wait_for()
        second.page.locator(COVER).wait_for(state="detached")
        for visitor in (first, second):
            assert visitor.errors == visitor.outside == []
        context.close()


@pytest.mark.parametrize("file", ["Makefile", "docs/DEPLOYMENT.md", "Dockerfile"])
def test_server_is_started_everywhere_as_it_is_tested(file: str) -> None:
    assert re.search(r"safe-explorer\"?,? \"?app\b", (ROOT / file).read_text(encoding="utf-8"))
