"""What the browser says of a file that it did not send."""

import contextlib

import panel_material_ui as pmui
import pytest

from app.panel_fixes.refused_uploads import tell_of_refused_uploads

REPORT = {"status": "error", "error": "too large" + "x" * 5000}


def test_panel_material_ui_alone_takes_it_for_a_fault() -> None:
    with contextlib.suppress(ValueError):
        pmui.FileInput()._handle_msg(REPORT)
        pytest.fail("panel-material-ui knows of refused files: this repair can go (app.panel_fixes.refused_uploads)")


def test_with_the_repair_it_is_told_and_everything_else_is_as_it_was() -> None:
    told: list[str] = []
    upload = pmui.FileInput()
    tell_of_refused_uploads(upload, told.append)
    upload._handle_msg(REPORT)
    assert told[0].startswith("too large")
    assert len(told[0]) < 300
    upload._handle_msg({"status": "initializing"})
    with pytest.raises(ValueError, match="nonsense"):
        upload._handle_msg({"status": "nonsense"})
    assert len(told) == 1
