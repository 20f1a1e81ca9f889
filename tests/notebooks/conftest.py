"""Servers that only the notebooks' tests need, and a page that watches whom it asks."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator

import pytest
from harness import NOTEBOOKS, ROOT, TOKEN, Server, Visitor, browser, free_port, panel_serve, running
from playwright.sync_api import Browser

__all__ = ["browser"]


@pytest.fixture(scope="module")
def served() -> Iterator[Server]:
    """`panel serve notebooks/*.ipynb`, started from another directory."""
    port = free_port()
    with running(panel_serve(*NOTEBOOKS, port=port), port) as server:
        yield server


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The Makefile's own target on a copy of the notebooks, so that nothing in the checkout is written to."""
    folder, port = tmp_path_factory.mktemp("lab"), free_port()
    copy = folder / "notebooks"
    copy.mkdir()
    for path in NOTEBOOKS:
        shutil.copy(path, copy)
    options = f"--no-browser --ip=127.0.0.1 --port={port} --ServerApp.port_retries=0 --IdentityProvider.token={TOKEN} --expose-app-in-browser"
    command = ["make", "--old-file=setup", "lab", f"LAB_OPTIONS={options}", f"LESSONS={copy}"]
    own = {f"JUPYTERLAB_{name}_DIR": str(folder / name.lower()) for name in ("WORKSPACES", "SETTINGS")}
    with running(command, port, ROOT, **own) as server:
        yield server


@pytest.fixture
def watch(browser: Browser) -> Iterator[Callable[[Server], Visitor]]:
    """watch(server) gives a new page whose requests and errors are written down."""
    opened: list[Visitor] = []

    def go(server: Server) -> Visitor:
        opened.append(Visitor.of(browser.new_page(viewport={"width": 1300, "height": 1000}), server))
        return opened[-1]

    yield go
    for visitor in opened:
        visitor.page.close()
