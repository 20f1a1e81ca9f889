"""Script in every text that can come from outside, in a real browser; what ran says so itself."""

from __future__ import annotations

import tempfile
from pathlib import Path
from urllib.parse import quote

from harness import Server, Visitor
from playwright.sync_api import Browser, Page

TEXTS = (
    "<script>window.hit=1</script>",
    "<img src=x onerror=window.hit=1>",
    '"><svg onload=window.hit=1>',
    "'-window.hit=1-'",
    "javascript:window.hit=1",
    "<iframe srcdoc='<script>parent.hit=1</script>'></iframe>",
    "{{window.hit=1}}<a href='javascript:window.hit=1' autofocus onfocus=window.hit=1>x</a>",
)
PLACES = (
    "slots",
    "beta",
    "tab",
    "action",
    "pin",
    "takeoff",
    "changed",
    "tour",
    "policies",
    "buildings",
    "file",
    "formulation",
    "nonsense",
)
"""Names in an address; each text also stands as the name itself."""


def ran_anywhere(browser: Browser, server: Server, texts: tuple[str, ...] = TEXTS) -> tuple[int, int]:
    """Give every text to every place; how many were given, and how many ran."""
    tried = ran = 0
    context = browser.new_context()
    for text in texts:
        query = "&".join(f"{place}={quote(text)}" for place in PLACES) + f"&{quote(text)}=1"
        visitor = Visitor.of(context.new_page(), server)
        visitor.page.goto(f"{server.url}?{query}")
        visitor.wait_until_live()
        tried += len(PLACES) + 1 + _uploads(visitor.page, text)
        visitor.page.wait_for_timeout(500)  # an image that fails to load says so a moment later
        ran += bool(visitor.page.evaluate("window.hit !== undefined"))
        visitor.page.close()
    context.close()
    return tried, ran


def runs_unescaped(browser: Browser, text: str) -> bool:
    """Whether a text would run in a page that shows it as it is."""
    page = browser.new_page()
    page.set_content(f"<p>{text}</p>")
    page.wait_for_timeout(500)
    found = bool(page.evaluate("window.hit !== undefined"))
    page.close()
    return found


def _uploads(page: Page, text: str) -> int:
    """Scenario files whose entries, values and names are the text; the page must say something about each."""
    name = "".join(c for c in text if c not in "/\0")[:80]
    files = {
        "entry": f"{text!r}: 1\n",
        "value": f"formulation: {text!r}\n",
        "number": f"network: {{slots: {text!r}}}\n",
        "broken": f"network: [{text}\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        for kind, content in files.items():
            path = Path(folder) / f"{kind} {name}.yaml"
            path.write_text(content, encoding="utf-8")
            page.locator('input[data-menu="load"]').set_input_files(path)
            page.get_by_text("The file was not loaded").first.wait_for()
    return len(files)
