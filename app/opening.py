"""What the browser paints before it has read the libraries: the page's frame, and the numbers of the default page."""

from __future__ import annotations

import functools
from pathlib import Path

import panel_material_ui as pmui
from bokeh.document import Document
from panel.io.resources import LOCAL_DIST

from app.chain import CSS, chain_html
from app.fonts import FAMILY, faces
from app.picture import compute
from app.state import State
from core.errors import SafeExplorerError

TEMPLATE = Path(__file__).with_name("opening.html")


def prepare(doc: Document, **frame: str | int) -> None:
    """Tell a document's template what to paint first.

    The document also learns where its style sheets are: one that is made ahead of its visitor would ask a content network.
    """
    doc.template_variables["dist_url"] = LOCAL_DIST
    doc.template_variables["opening"] = {
        "family": FAMILY,
        "faces": faces(),
        "strip": _default_strip(),
        "strip_css": CSS,
        "bundle": pmui.Page._render_esm(server=True),
        **frame,
    }


@functools.cache
def _default_strip() -> str:
    try:
        return chain_html(compute(State()))
    except SafeExplorerError:  # the page says it, in words
        return chain_html(None)
