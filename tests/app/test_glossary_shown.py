"""Every symbol on the page has an entry of the glossary, and every entry is on the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from bokeh.models import Axis, ColorBar

from app.components.chain import chain_html
from app.page import TABS, Page
from app.session import Session
from app.state import CONTROLS, metadata_of
from app.tabs.allocation.view import COLUMNS
from app.tabs.flight.tables import HEADS
from core.glossary import GLOSSARY, lookup
from core.style import AXIS_LABEL, SHARE_LABEL

WORDS = {
    "uplink may fail: ",
    "downlink: ",
    "interaction index ",
    "tracking energy ",
    "uncertainty ",
    "value ",
    "slot cost ",
}
"""What axis labels say before the symbol."""


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    found = Page(Session(), {"uavs": [b"8"], "slots": [b"40"], "duration_s": [b"4"]})
    found.start()
    for view in TABS:
        found.session.state.tab = view.name_in_link
    yield found
    found.session.close()


def symbols_of(label: str) -> list[str]:
    """The symbols in a label of an axis or the head of a column: without units, words before them and V_max under the line."""
    text = re.sub(r"\[[^\]]*\]|\([a-z_]+\.[a-zA-Z_]+\)", "", label).strip()
    for words in WORDS:
        text = text.removeprefix(words)
    if text in ("V / V_max", "V/V_max"):
        return [text]
    if text.startswith("slots"):
        return ["slots"]
    text = text.replace("1 − ", "").removesuffix(" / V_max").removesuffix("/V_max")
    return [part for part in re.split(r",\s|×|\smean\s|^mean\s|\s(?=RMSE|V$)", text.strip()) if part.strip()]


def figures(page: Page) -> list:
    return [
        getattr(pane.object, "references", set)()
        for view in page.views
        for pane in view.content.select(lambda p: type(p).__name__ == "Bokeh")
    ]


def test_every_box_of_the_strip_explains_itself_in_words_of_the_glossary(page: Page) -> None:
    text = chain_html(page.session.pipeline.picture)
    boxes = re.findall(r'title="([^"]+)" data-link="([^"]+)"', text)
    assert len(boxes) == 11
    sentences = {term.sentence for term in GLOSSARY.values()}
    for title, _ in boxes:
        assert any(sentence in title.replace("&#x27;", "'") for sentence in sentences), title


@pytest.mark.parametrize("name", CONTROLS)
def test_every_control_has_an_entry(name: str) -> None:
    assert lookup(metadata_of(name).symbol).sentence


def test_every_axis_and_every_head_of_a_column_has_an_entry(page: Page) -> None:
    labels = (
        {title for _, title, _ in COLUMNS} | {head for head, _ in HEADS.values()} | {SHARE_LABEL, *AXIS_LABEL.values()}
    )
    for models in figures(page):
        labels |= {
            model.axis_label for model in models if isinstance(model, Axis) and isinstance(model.axis_label, str)
        }
        labels |= {model.title for model in models if isinstance(model, ColorBar) and model.title}
    labels -= {"", " "}
    assert len(labels) > 15
    for label in sorted(labels):
        for symbol in symbols_of(label):
            assert lookup(symbol.strip()), label


@pytest.mark.slow
def test_every_entry_is_used() -> None:
    """A word that neither the page, nor the guide, nor another entry knows explains nothing."""
    root = Path(__file__).resolve().parents[2]
    shown = " ".join(
        path.read_text(encoding="utf-8")
        for folder in ("app", "docs", "core/figures")
        for path in (root / folder).rglob("*.*")
        if path.suffix in (".py", ".js", ".md")
    )
    shown += " ".join(metadata_of(name).symbol for name in CONTROLS)
    for term in GLOSSARY.values():
        assert any(
            word and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", shown, re.I) for word in (term.symbol, term.name)
        ), term.name
