"""A reach into panel-material-ui 0.16: the address of the script that draws the page, so that it is fetched early.

The browser learns of the script only from the document, which the server is still writing; fetched while it writes, the
page is there sooner. Its address has only a private name.
"""

from __future__ import annotations

import panel_material_ui as pmui


def page_bundle() -> str:
    """Address of the script, as the page's own components will ask for it."""
    return str(pmui.Page._render_esm(server=True))
