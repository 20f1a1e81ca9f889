"""A repair of Panel 1.9: what changes is all that is worked out.

For every new text of an HTML pane Panel gathers all properties of the pane again, its style sheets and those of the theme
included, to find that nothing else has changed; for every other change of a component it asks the theme for its style sheets and
then has no use for them. Each takes a quarter of a millisecond, and a move of a slider changes half a dozen components.
"""

from __future__ import annotations

import functools
from typing import Any

from bokeh.document import Document
from panel.pane import HTML
from panel.pane.markup import HTMLBasePane
from panel.reactive import Reactive, Syncable


@functools.cache
def work_out_changes_alone() -> None:
    """From now on, a new text changes the text, and the theme is asked when style sheets change. Once per process."""
    update, properties = HTMLBasePane._update, Reactive._update_properties

    @functools.wraps(update)
    def text_alone(self: HTMLBasePane, ref: str, model: Any) -> None:
        if type(self) is HTML and not self.enable_streaming:
            model.text = self._transform_object(self.object)["object"]
        else:
            update(self, ref, model)

    @functools.wraps(properties)
    def without_theme(self: Reactive, *events: Any, doc: Document) -> dict[str, Any]:
        themed = any(event.name == "stylesheets" for event in events)
        found: dict[str, Any] = (properties if themed else Syncable._update_properties)(self, *events, doc=doc)
        return found

    HTMLBasePane._update, Reactive._update_properties = text_alone, without_theme
