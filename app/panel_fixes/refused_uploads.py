"""A repair of panel-material-ui 0.16: a file that the browser refuses to send is told of in words.

The script of `FileInput` reports a file that is too large, and the server's side knows no such report: it raises an error, which the
page takes for a fault of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel_material_ui as pmui

MOST_CHARACTERS = 200


def tell_of_refused_uploads(upload: pmui.FileInput, tell: Callable[[str], None]) -> None:
    """Call `tell` with the browser's reason, a text from outside, whenever it refuses a file."""
    handle = upload._handle_msg

    def handle_or_tell(message: Any) -> None:
        if isinstance(message, dict) and message.get("status") == "error":
            tell(str(message.get("error", ""))[:MOST_CHARACTERS])
        else:
            handle(message)

    upload._handle_msg = handle_or_tell
