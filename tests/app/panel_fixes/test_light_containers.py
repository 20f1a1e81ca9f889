"""Containers of models with owners in tuples: changes are heard as before, by every owner and by none that has let go."""

from __future__ import annotations

import subprocess
import sys

from bokeh.core.property.wrappers import PropertyValueList
from bokeh.document import Document
from bokeh.models import ColumnDataSource, Div

from app.panel_fixes.light_containers import lighten_containers


def heard(change: object) -> list[str]:
    """Properties that a document hears of."""
    doc, found = Document(), []
    div, source = Div(tags=["a"]), ColumnDataSource({"x": [1]})
    doc.add_root(div)
    doc.add_root(Div(tags=[source]))
    doc.on_change(lambda event: found.append(getattr(event, "attr", event.kind)))
    change(div, source)  # type: ignore[operator]
    return found


def test_changes_in_place_are_heard() -> None:
    lighten_containers()
    assert heard(lambda div, _: div.tags.append("b")) == ["tags"]
    assert heard(lambda div, _: div.styles.update(color="red")) == ["styles"]
    assert heard(lambda _, source: source.data.update(x=[2])) == ["data"]


def test_a_container_that_was_replaced_is_heard_no_more() -> None:
    lighten_containers()

    def replace(div: Div, _: ColumnDataSource) -> None:
        old = div.tags
        div.tags = ["c"]
        old.append("d")

    assert heard(replace) == ["tags"]


def test_a_container_of_two_tells_both() -> None:
    lighten_containers()
    doc, found = Document(), []
    first, second = Div(), Div()
    shared = PropertyValueList(["x"])
    first.tags = shared
    second.tags = first.tags
    for div in (first, second):
        doc.add_root(div)
    doc.on_change(lambda event: found.append(event.model.id))
    first.tags.append("y")
    assert sorted(found) == sorted([first.id, second.id])


def test_bokeh_still_keeps_sets() -> None:
    code = "from bokeh.models import Div; print(type(Div().tags._owners).__name__)"
    kind = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert kind == "set", "Bokeh keeps owners in another way: look whether this repair can go"
