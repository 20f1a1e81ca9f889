"""Where Bokeh and Panel look for models."""

from __future__ import annotations

from typing import Any

import bokeh.model.model
import bokeh.model.util
import numpy as np
import panel.custom
import pytest
from bokeh.core.has_props import HasProps
from bokeh.document import Document
from bokeh.models import ColumnDataSource, Div, Row
from panel.io.document import freeze_doc

from app.panel_fixes.plain_values import has_models, pass_over_plain_values

BY_BOKEH = getattr(
    bokeh.model.util.visit_value_and_its_immediate_references,
    "__wrapped__",
    bokeh.model.util.visit_value_and_its_immediate_references,
)


@pytest.fixture
def repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bokeh.model.util, "visit_value_and_its_immediate_references", BY_BOKEH)
    monkeypatch.setattr(bokeh.model.model, "visit_value_and_its_immediate_references", BY_BOKEH)
    monkeypatch.setattr(panel.custom, "freeze_doc", freeze_doc)
    pass_over_plain_values.__wrapped__()


def calls(value: Any) -> int:
    """How often Bokeh's function is called for a value."""
    found = 0

    def count(obj: Any, visitor: Any) -> None:
        nonlocal found
        found += 1
        BY_BOKEH(obj, visitor)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bokeh.model.util, "visit_value_and_its_immediate_references", count)
        count(value, lambda _: None)
    return found


def test_bokeh_alone_looks_at_each_number() -> None:
    said = "Bokeh passes over plain values: this repair can go (app.panel_fixes.plain_values)"
    assert calls(dict.fromkeys(map(str, range(90)), 0.5)) > 90, said


DIV = Div(text="here")
VALUES = (
    {"a": 1.0, "b": "text", "c": [1, 2], "d": None, "e": True},
    {"a": [1, DIV, "x"]},
    {"a": {"b": (1, {"c": DIV})}},
    {DIV: 1, "other": DIV},
    [DIV, DIV],
    [[1.0, 2.0], [DIV]],
    (1, 2, "x"),
    DIV,
    Row(children=[DIV]),
    ColumnDataSource(data={"x": [1, 2]}),
    {"x": np.arange(3), "y": ["a"] * 3},
    3.5,
    None,
    "text",
)


@pytest.mark.usefixtures("repaired")
@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_with_the_repair_the_same_models_are_found(value: Any) -> None:
    by_bokeh: list[HasProps] = []
    by_us: list[HasProps] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bokeh.model.util, "visit_value_and_its_immediate_references", BY_BOKEH)
        BY_BOKEH(value, by_bokeh.append)
    bokeh.model.util.visit_value_and_its_immediate_references(value, by_us.append)
    assert sorted(map(id, by_us)) == sorted(map(id, by_bokeh))


@pytest.mark.usefixtures("repaired")
def test_a_model_that_comes_into_a_document_inside_a_container_is_known_there() -> None:
    doc, row, new = Document(), Row(), Div()
    doc.add_root(row)
    row.children = [new]
    assert new.id in doc.models
    row.children = []
    assert new.id not in doc.models


def freezes(properties: dict[str, Any], force: bool = False) -> int:
    doc, found = Document(), []
    with panel.custom.freeze_doc(doc, Div(), properties, force=force):
        found.append(doc.models._freeze_count)
    assert doc.models._freeze_count == 0
    return int(found[0])


@pytest.mark.usefixtures("repaired")
def test_models_are_gathered_once_where_several_change() -> None:
    assert freezes({"children": [DIV]}) == 1
    assert freezes({"child": DIV, "other": 1}) == 1
    assert freezes({"values": {"a": 1}}, force=True) == 1
    assert freezes({"values": {"a": 1}, "names": ["x"], "text": "y"}) == 0
    assert has_models((DIV,))
    assert not has_models([1, None, "x"])
