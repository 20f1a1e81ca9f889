"""A repair of Bokeh 3.9: plain numbers and texts are not searched for models one by one.

Whenever a property changes, Bokeh looks through its old and its new value for models, and Panel does so once more before: a
function call for every key and every value. The controls of the page are a dictionary of ninety, the marks of a plot are columns
of hundreds. One look at the types of a whole container says as much.

Panel also looks for the property on the model that has it not but keeps it in its data; Bokeh answers with a search for similar
names. And what it looks for it uses to save time alone: whether to gather the models of a page once after several changes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import bokeh.model.model
import bokeh.model.util
import panel.custom
from bokeh.core.has_props import HasProps
from bokeh.document import Document

PLAIN = frozenset({int, float, str, bool, type(None)})


def plain(values: Any) -> bool:
    """Whether there are only numbers and texts among these."""
    return PLAIN.issuperset(map(type, values))


def has_models(value: Any) -> bool:
    """Whether a value is a model or lists one."""
    return isinstance(value, HasProps) or (
        isinstance(value, list | tuple) and not plain(value) and any(isinstance(item, HasProps) for item in value)
    )


@functools.cache
def pass_over_plain_values() -> None:
    """From now on, containers of plain values are passed over. Once per process."""
    look_through: Callable[[Any, Any], None] = bokeh.model.util.visit_value_and_its_immediate_references

    @functools.wraps(look_through)
    def visit(obj: Any, visitor: Callable[[Any], None]) -> None:
        if isinstance(obj, dict):
            visit(list(obj), visitor)
            visit(list(obj.values()), visitor)
        elif not isinstance(obj, list | tuple):
            look_through(obj, visitor)
        elif not plain(obj):
            for item in obj:
                if type(item) not in PLAIN:
                    visit(item, visitor)

    # Bokeh's own calls itself by this name, so that what it finds inside something else is looked at in the same way
    bokeh.model.util.visit_value_and_its_immediate_references = visit
    bokeh.model.model.visit_value_and_its_immediate_references = visit

    @contextmanager
    def freeze_doc(doc: Document, model: Any, properties: Mapping[str, Any], force: bool = False) -> Iterator[None]:
        if not hasattr(doc, "_roots") or not (force or any(map(has_models, properties.values()))):
            yield
            return
        doc.models._push_freeze()
        yield
        doc.models._pop_freeze()

    panel.custom.freeze_doc = freeze_doc
