"""A button with a script in the browser, once drawn, leaves memory with its page."""

import gc
import weakref
from collections.abc import Callable

import panel as pn
import panel_material_ui as pmui
import pytest
from bokeh.document import Document

from app.panel_fixes.click_scripts import forget_click_scripts


def stays(script: bool, closing: Callable[[pmui.Button], None] = lambda _: None) -> bool:
    """Whether a button that was drawn beside the area it copies from outlives its page."""
    area, button = pmui.TextAreaInput(), pmui.Button(label="Copy")
    if script:
        button.js_on_click(args={"area": area}, code="area.value")
    root = pn.Column(area, button).get_root(Document())
    pn.state._views.pop(root.ref["id"])  # as the server does when the page closes
    closing(button)
    seen = weakref.ref(button)
    del area, button, root
    for _ in range(3):
        gc.collect()
    return seen() is not None


@pytest.mark.slow
def test_panel_alone_keeps_a_button_with_a_script() -> None:
    assert not stays(script=False)
    assert stays(script=True), "Panel lets buttons with scripts go: this repair can go (app.panel_fixes.click_scripts)"


@pytest.mark.slow
def test_with_the_repair_it_goes() -> None:
    assert not stays(script=True, closing=forget_click_scripts)
