"""A repair of Panel 1.9: a document that is made ahead of its visitor asks its own server for style sheets.

Panel tells a document where its files are when it writes the page for a visitor. With `--warm --reuse-sessions` components are
made before that, and would take their style sheets from a content network: a classroom without internet would see them bare.
"""

from __future__ import annotations

from bokeh.document import Document
from panel.io.resources import LOCAL_DIST


def use_local_style_sheets(doc: Document) -> None:
    """Tell the document at once."""
    doc.template_variables["dist_url"] = LOCAL_DIST
