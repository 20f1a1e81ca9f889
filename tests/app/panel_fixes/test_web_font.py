"""Fonts that the template for served notebooks asks for."""

import subprocess
import sys

import pytest

FONTS = "from panel.template.editable import EditableTemplate\n{}\nprint(*EditableTemplate._resources['css'].values())"
REPAIR = "from app.panel_fixes.web_font import without_web_font; without_web_font()"


def asked(repair: str = "") -> str:
    """In a process of its own: what another test repaired stays repaired."""
    done = subprocess.run([sys.executable, "-c", FONTS.format(repair)], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.slow
def test_panel_alone_asks_outside() -> None:
    assert "http" in asked(), "Panel's template asks for no web font: this repair can go (app.panel_fixes.web_font)"


@pytest.mark.slow
def test_with_the_repair_nobody_is_asked() -> None:
    assert "http" not in asked(REPAIR)
