"""What the browser paints before it has read the libraries: the page's frame, and the numbers of the default page."""

from __future__ import annotations

import functools
from pathlib import Path

from bokeh.document import Document

from app.components.chain import CSS, chain_html
from app.panel_fixes.fonts import FAMILY, faces
from app.panel_fixes.local_style_sheets import use_local_style_sheets
from app.panel_fixes.page_bundle import page_bundle
from app.picture import compute
from app.state import State
from core.errors import SafeExplorerError

TEMPLATE = Path(__file__).with_name("opening.html")


def prepare(doc: Document, **frame: str | int) -> None:
    """Tell a document's template what to paint first."""
    use_local_style_sheets(doc)
    doc.template_variables["opening"] = {
        "family": FAMILY,
        "faces": faces(),
        "strip": _default_strip(),
        "strip_css": CSS,
        "bundle": page_bundle(),
        **frame,
    }


@functools.cache
def _default_strip() -> str:
    try:
        return chain_html(compute(State()))
    except SafeExplorerError:  # the page says it, in words
        return chain_html(None)
