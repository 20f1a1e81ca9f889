"""Real servers in other processes and one real Chromium: for the tests, the screenshots and the benchmarks."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from core.__main__ import parser
from core.cli.app import serve_command

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-default-apps",
]
TOKEN = "lesson"
"""What opens the JupyterLab that the tests start."""
PATIENCE_S = int(os.environ.get("PATIENCE_S", "120"))
"""How long a condition may take on a busy machine; nothing is ever asserted about the time itself."""


@dataclass
class Server:
    """A server in another process, with its log."""

    port: int
    log: Path
    pid: int

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """Where `panel serve app` shows the dashboard."""
        return f"{self.root}/app"

    def lines(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(command: list[str], port: int, cwd: Path | None = None, **environment: str) -> Iterator[Server]:
    """A server command until its port answers, from a folder of its own; ended with everything it started."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "server.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                command,
                cwd=cwd or folder,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**os.environ, **environment},
            )
        server = Server(port, log, process.pid)
        try:
            _wait_for(server, process, command)
            yield server
        finally:
            _end(process)


def answers(port: int) -> bool:
    """Whether somebody listens on a port of the loopback interface."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _wait_for(server: Server, process: subprocess.Popen[bytes], command: list[str]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not answers(server.port):
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"{' '.join(command)} did not come up:\n{server.lines()}")
        time.sleep(0.2)


def _end(process: subprocess.Popen[bytes]) -> None:
    for signal in (15, 9):
        with suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(process.pid, signal)
            process.wait(timeout=20)
            break
    with suppress(ProcessLookupError):  # whom it has left behind: they would go on beside every later measurement
        os.killpg(process.pid, 9)


def panel_serve(*paths: Path, port: int, options: tuple[str, ...] = ()) -> list[str]:
    """`panel serve …` on the loopback interface."""
    return [
        str(BIN / "panel"),
        "serve",
        *map(str, paths),
        "--address",
        "127.0.0.1",
        "--port",
        str(port),
        "--allow-websocket-origin",
        f"127.0.0.1:{port}",
        *options,
    ]


@contextmanager
def running_app(*options: str, port: int | None = None, **environment: str) -> Iterator[Server]:
    """The dashboard as `make app` starts it, from another directory."""
    port = port or free_port()
    args = parser(["app"]).parse_args(["app", "--port", str(port), *options])
    with running(serve_command(args), port, None, **environment) as server:
        yield server


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Debian's Chromium, headless."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser per module: Playwright keeps an event loop running in its thread, which no other module may meet."""
    with running_browser() as found:
        yield found


FIND_JS = """
(name) => {
  for (const doc of window.Bokeh?.documents ?? []) {
    for (const model of doc._all_models.values()) { if (model.name === name) { return model } }
  }
  return null
}
"""


@dataclass
class Visitor:
    """One open page with what it asked for and what went wrong in it."""

    page: Page
    root: str
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, page: Page, server: Server) -> Visitor:
        """Watch a page before it goes anywhere."""
        page.set_default_timeout(PATIENCE_S * 1000)
        visitor = cls(page, server.root)
        page.on("request", lambda r: visitor.requests.append(r.url))
        page.on("pageerror", lambda e: visitor.errors.append(str(e)))
        page.on("console", lambda m: visitor.errors.append(m.text) if m.type == "error" else None)
        return visitor

    @classmethod
    def at(cls, page: Page, server: Server, query: str = "") -> Visitor:
        """Open the dashboard and wait for its first numbers, and for the first tab unless another one is asked for."""
        visitor = cls.of(page, server)
        page.goto(server.url + query)
        visitor.wait_until_live()
        if "tab=" not in query and "tour=" not in query:
            visitor.until("find('boundary.map')?.data['image'].length > 0")
        return visitor

    def wait_until_live(self) -> None:
        """Wait until the page itself has taken the place of the frame that is painted first, and shows numbers."""
        self.page.wait_for_selector("#loader", state="hidden")
        self.page.wait_for_selector(".chain .value", state="attached")  # in a tour the strip steps aside

    @property
    def outside(self) -> list[str]:
        """What the page asked from anybody but its server."""
        return [u for u in self.requests if not u.startswith((f"{self.root}/", "data:", "blob:", "about:"))]

    def link(self, name: str) -> str:
        """Text of one box of the chain strip."""
        return self.page.locator(f'.chain [data-link="{name}"] .value').inner_text()

    def raw(self, name: str) -> float:
        """Unrounded number behind one box of the chain strip."""
        return float(self.page.locator(f'.chain [data-link="{name}"]').get_attribute("data-raw") or "nan")

    def column(self, source: str, column: str) -> list[Any]:
        """A column of a named source, as the browser holds it."""
        script = f"([s, c]) => {{ const m = ({FIND_JS})(s); return m ? Array.from(m.data[c] ?? m.data.get?.(c) ?? []) : null }}"
        return self.page.evaluate(script, [source, column]) or []

    def until(self, script: str, argument: Any = None) -> None:
        """Wait until the JavaScript condition holds; `find(name)` gives a named source."""
        self.page.wait_for_function(f"(arg) => {{ const find = {FIND_JS}; return ({script}) }}", arg=argument)

    def press(self, control: str, key: str, times: int = 1) -> None:
        """Move a slider by keyboard."""
        slider = self.page.locator(f'input[data-control="{control}"]')
        slider.scroll_into_view_if_needed()
        slider.focus()
        for _ in range(times):
            self.page.keyboard.press(key)

    def settled(self, control: str) -> None:
        """Wait until the numbers on the page were computed with what the slider shows (which is not its default)."""
        chain, wanted = self.page.locator(".chain").first, float(self.value(control))
        for _ in range(PATIENCE_S * 10):
            found = parse_qs((chain.get_attribute("data-query") or "").removeprefix("?")).get(control)
            if found and float(found[0]) == wanted:
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"the page never caught up with {control} = {wanted}")

    def value(self, control: str) -> str:
        """What a control shows."""
        return self.page.locator(f'input[data-control="{control}"]').input_value()

    def pick(self, menu: str, entry: str) -> None:
        """Choose an entry of a menu at the top."""
        self.page.get_by_role("button", name=menu, exact=True).click()
        self.page.get_by_role("menuitem", name=entry, exact=True).click()

    def open_tab(self, title: str) -> None:
        """Visit a tab."""
        self.page.get_by_role("tab", name=title, exact=False).click()
