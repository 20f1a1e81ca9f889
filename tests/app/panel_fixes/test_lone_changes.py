"""What Panel works out when something changes."""

from __future__ import annotations

from typing import Any

import panel as pn
import pytest
from panel.pane.markup import HTMLBasePane
from panel.reactive import Reactive

from app.panel_fixes.lone_changes import work_out_changes_alone

UPDATE = getattr(HTMLBasePane._update, "__wrapped__", HTMLBasePane._update)
PROPERTIES = getattr(Reactive._update_properties, "__wrapped__", Reactive._update_properties)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """How often the theme is asked for the style sheets of a component."""
    monkeypatch.setattr(HTMLBasePane, "_update", UPDATE)
    monkeypatch.setattr(Reactive, "_update_properties", PROPERTIES)
    found: list[Any] = []
    design = pn.theme.Design
    params = design.params

    def watched(self: Any, viewable: Any, doc: Any = None) -> Any:
        found.append(viewable)
        return params(self, viewable, doc)

    monkeypatch.setattr(design, "params", watched)
    return found


def changed_text() -> str:
    pane = pn.pane.HTML("old")
    model = pane.get_root()
    pane.object = "<b>new</b> & more"
    return str(model.text)


def changed_slider() -> int:
    slider = pn.widgets.IntSlider(value=1, end=9)
    model = slider.get_root()
    slider.value = 7
    return int(model.value)


def test_panel_alone_asks_the_theme_again(asked: list[Any]) -> None:
    said = "Panel works out what changes alone: this repair can go (app.panel_fixes.lone_changes)"
    for change in (changed_text, changed_slider):
        asked.clear()
        change()
        made = len(asked)
        asked.clear()
        pn.pane.HTML("old").get_root() if change is changed_text else pn.widgets.IntSlider(value=1, end=9).get_root()
        assert made > len(asked), said


def test_with_the_repair_the_text_is_the_same_and_the_theme_is_not_asked(asked: list[Any]) -> None:
    expected = changed_text()
    work_out_changes_alone.__wrapped__()
    pane = pn.pane.HTML("old")
    model = pane.get_root()
    asked.clear()
    pane.object = "<b>new</b> & more"
    assert model.text == expected
    slider = pn.widgets.IntSlider(value=1, end=9)
    root = slider.get_root()
    asked.clear()
    slider.value = 7
    assert root.value == 7
    assert asked == []


@pytest.mark.usefixtures("asked")
def test_with_the_repair_new_style_sheets_and_other_panes_are_as_they_were() -> None:
    def shown() -> list[Any]:
        pane, words = pn.pane.HTML("old"), pn.pane.Markdown("old")
        models = [pane.get_root(), words.get_root()]
        pane.stylesheets = ["div { color: red }"]
        words.object = "*new*"
        sheets = [sheet if isinstance(sheet, str) else sheet.url for sheet in models[0].stylesheets]
        return [sheets, models[1].text]

    expected = shown()
    work_out_changes_alone.__wrapped__()
    assert shown() == expected
