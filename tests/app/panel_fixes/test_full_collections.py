"""What Panel does when a page closes."""

import asyncio
import gc

import panel as pn
import pytest
from panel.io.application import Application

from app.panel_fixes.full_collections import spare_what_stays


def test_panel_asks_for_a_full_collection_when_a_page_closes() -> None:
    async def close() -> None:
        Application().create_document().destroy(None)
        pn.state.cancel_task("gc.collect")  # KeyError when there is none

    try:
        asyncio.run(close())
    except KeyError:
        pytest.fail("Panel collects nothing when a page closes: this repair can go (app.panel_fixes.full_collections)")


def test_with_the_repair_what_is_there_is_not_searched() -> None:
    searched = len(gc.get_objects())
    try:
        spare_what_stays()
        assert len(gc.get_objects()) < searched / 10
    finally:
        gc.unfreeze()
