"""Visits to the dashboard that end with nothing wrong and nobody outside asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from harness import PATIENCE_S, Server, Visitor, browser
from playwright.sync_api import Browser, BrowserContext, expect

__all__ = ["browser"]

expect.set_options(timeout=PATIENCE_S * 1000)


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    found = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    yield found
    found.close()


@pytest.fixture
def visit(server: Server, context: BrowserContext) -> Iterator[Callable[..., Visitor]]:
    """visit(query) opens the page in a new tab; afterwards no page error and no outside request is allowed."""
    opened: list[Visitor] = []

    def go(query: str = "") -> Visitor:
        visitor = Visitor.at(context.new_page(), server, query)
        opened.append(visitor)
        return visitor

    yield go
    for visitor in opened:
        visitor.page.close()
    for visitor in opened:
        assert visitor.errors == []
        assert visitor.outside == []
