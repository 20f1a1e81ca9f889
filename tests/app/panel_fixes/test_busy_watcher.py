"""A page of panel-material-ui that nobody holds any more leaves memory."""

import gc
import weakref

import panel_material_ui as pmui
import pytest

from app.panel_fixes.busy_watcher import without_busy_watcher


def let_go(page: list[pmui.Page]) -> bool:
    """Whether the page is gone once its last holder is."""
    seen = weakref.ref(page.pop())
    for _ in range(3):
        gc.collect()
    return seen() is None


@pytest.mark.slow
def test_panel_material_ui_alone_keeps_every_page() -> None:
    assert not let_go([pmui.Page(busy_indicator=None)]), (
        "panel-material-ui lets closed pages go: this repair can go (app.panel_fixes.busy_watcher)"
    )


@pytest.mark.slow
def test_with_the_repair_it_goes() -> None:
    with without_busy_watcher():
        page = [pmui.Page(busy_indicator=None)]
    assert let_go(page)
