"""How Bokeh writes what has changed."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest
from bokeh.core.serialization import Serializer
from bokeh.document import Document
from bokeh.document.events import ModelChangedEvent
from bokeh.document.models import DocumentModelManager
from bokeh.models import ColumnDataSource, Div, Row
from bokeh.protocol.messages.patch_doc import patch_doc

from app.panel_fixes.known_models import Known, ask_for_known_models

MODULE = sys.modules[patch_doc.__module__]
BY_BOKEH = property(lambda self: {model for model in self._models.values() if model not in self._new_models})
"""What Bokeh 3.9 has there; a process in which the page was served has the repaired one."""


@pytest.fixture
def by_bokeh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DocumentModelManager, "synced_references", BY_BOKEH)
    monkeypatch.setattr(MODULE, "Serializer", Serializer)


@pytest.fixture
def repaired(by_bokeh: None) -> None:
    ask_for_known_models.__wrapped__()


def page(length: int = 50) -> tuple[Document, Row]:
    doc, row = Document(), Row(children=[Div(text=str(i)) for i in range(length)])
    doc.add_root(row)
    doc.models.flush_synced()
    return doc, row


def written(doc: Document, model: Any, attr: str, new: Any) -> Any:
    return patch_doc.create([ModelChangedEvent(doc, model, attr, new)]).content


@pytest.mark.usefixtures("by_bokeh")
def test_bokeh_alone_makes_a_table_of_all_models(monkeypatch: pytest.MonkeyPatch) -> None:
    tables: list[int] = []

    class Watched(Serializer):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            tables.append(len(self._references))

    monkeypatch.setattr(MODULE, "Serializer", Watched)
    doc, row = page()
    written(doc, row.children[0], "text", "new")
    assert tables == [51], "Bokeh asks for the models of a message: this repair can go (app.panel_fixes.known_models)"


def changes(doc: Document, row: Row) -> list[Any]:
    """A text, a model that is known, one that is new with another inside, and the new one again."""
    first, new = row.children[0], Row(children=[Div()])
    found = [written(doc, first, "text", "new"), written(doc, row, "children", [first])]
    row.children = [first, new]
    found.append(written(doc, row, "children", [first, new]))
    found.append(written(doc, row, "children", [new, first, new]))
    source = ColumnDataSource(data={"x": [1, 2]})
    found.append(written(doc, row, "tags", [source, source]))
    return found


@pytest.mark.usefixtures("by_bokeh")
def test_with_the_repair_the_same_is_written() -> None:
    def names() -> list[Any]:
        doc, row = page(3)
        text = repr(changes(doc, row))
        for i, name in enumerate(dict.fromkeys(re.findall(r"p[0-9]+", text))):
            text = text.replace(f"'{name}'", f"model {i}")
        return [text, len(doc.models._new_models)]

    expected = names()
    assert "model 3" in expected[0]
    ask_for_known_models.__wrapped__()
    assert names() == expected


@pytest.mark.usefixtures("repaired")
def test_what_is_known_is_what_the_browser_was_told() -> None:
    doc, row = page(3)
    known = doc.models.synced_references
    assert isinstance(known, Known)
    assert set(known) == {row, *row.children}
    assert len(known) == 4
    new = Div()
    row.children = [*row.children, new]
    assert new not in known
    assert Div() not in known
    assert "text" not in known
