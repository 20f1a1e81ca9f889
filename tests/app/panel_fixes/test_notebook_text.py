"""Text that changes in a notebook's page whose style sheets are inline, as `app.teaching.start` has them."""

from collections.abc import Callable

import panel as pn
from bokeh.document import Document
from bokeh.models import UIElement
from panel.io.notebook import patch_inline_stylesheets
from panel.io.resources import CDN_DIST
from pyviz_comms import Comm

from app.panel_fixes.notebook_text import LiveText


def asked_outside(view: pn.viewable.Viewable, change: Callable[[], None]) -> list[str]:
    """Style sheets on the content network that the view names once its text has changed."""
    with pn.config.set(inline=True):
        doc = Document()
        root = view.get_root(doc, comm=Comm())
        doc.add_root(root)
        for model in root.select({"type": UIElement}):  # as Panel does when a cell shows it
            patch_inline_stylesheets(model)
        change()
    sheets = [sheet for model in root.select({"type": UIElement}) for sheet in model.stylesheets]
    return [sheet.url for sheet in sheets if hasattr(sheet, "url") and sheet.url.startswith(CDN_DIST)]


def test_a_pane_of_panel_alone_asks_a_content_network() -> None:
    pane = pn.pane.HTML("before")
    assert asked_outside(pane, lambda: setattr(pane, "object", "after")), (
        "Panel keeps its style sheets inline: this repair can go (app.panel_fixes.notebook_text)"
    )


def test_with_the_repair_nobody_is_asked_and_the_text_changes() -> None:
    text = LiveText("before")
    assert asked_outside(text.__panel__(), lambda: text.show("after")) == []
    assert text.html == "after"
