"""First cell of every notebook: Panel ready for JupyterLab and for `panel serve`, with nothing fetched from outside."""

from __future__ import annotations

import panel as pn

from app.panel_fixes.web_font import without_web_font

READABLE = ":host(.bk-panel-models-markup-HTML) { font-size: 15px; } blockquote { border-left: 4px solid #0072B2; padding-left: 12px; }"
"""For a projector: Panel's own text is small."""


def start() -> None:
    """Load Panel with its scripts inside the page: a classroom without internet has no content network (inline=True)."""
    without_web_font()
    pn.extension(inline=True, raw_css=[READABLE])
