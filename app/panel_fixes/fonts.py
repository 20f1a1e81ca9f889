"""A repair of panel-material-ui 0.16: the page's typeface is its Roboto, Latin and Greek letters only, under a name of their own.

Asked for plain Roboto, the browser fetches seventeen files one after another, Vietnamese and Cyrillic among them, and lays
the page out anew after each.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

import panel_material_ui

NAME = "Roboto Latin Greek"
FAMILY = f"'{NAME}', system-ui, sans-serif"
SHEET = Path(panel_material_ui.__file__).parent / "dist" / "panel-material-ui.bundle.css"
FOLDER = "static/extensions/panel-material-ui"


@functools.cache
def faces() -> str:
    """The `@font-face` rules of those letters, from panel-material-ui's own style sheet."""
    rules = re.findall(
        r"@font-face\s*{[^}]*/roboto-(?:latin|greek)-\d+-normal[^}]*}", SHEET.read_text(encoding="utf-8")
    )
    return "\n".join(
        rule.replace("font-family:Roboto", f"font-family:'{NAME}'").replace('url("./', f'url("{FOLDER}/')
        for rule in rules
    )
