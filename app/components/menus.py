"""Menus at the top and the window of help: one light component instead of a widget per entry."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

_FOLDER = Path(__file__).parent


class Menus(JSComponent):
    """Buttons with menus; entries copy the address, ask for a file, or only say that they were picked."""

    menus = param.List(
        doc="Buttons: label, says, and items (key, label, says, kind, accept, most) or a key of their own."
    )
    sheet = param.Dict({}, doc="Page of help in the window: name, title, html, contents, anchor; empty = it is closed.")

    _esm = "\n".join(_FOLDER.joinpath(name).read_text(encoding="utf-8") for name in ("help_window.js", "menus.js"))
    _stylesheets: ClassVar[list[str]] = [
        _FOLDER.joinpath(name).read_text(encoding="utf-8") for name in ("menus.css", "help_window.css")
    ]

    def __init__(self, picked: Callable[[str, Any], None], **params: Any) -> None:
        super().__init__(**params)
        self._picked = picked

    def save(self, name: str, text: str) -> None:
        """Give the visitor a file."""
        self._send_msg({"save": name, "text": text})

    def _handle_msg(self, data: Any) -> None:
        """{"pick": key}, with "value" where there is one; a file comes as its name and base64 text, one that is too large as its size."""
        if not isinstance(data, dict) or not isinstance(data.get("pick"), str):
            return
        value = data.get("value")
        if isinstance(value, dict) and isinstance(value.get("data"), str):
            try:
                value = {"name": str(value.get("name", "")), "data": base64.b64decode(value["data"], validate=True)}
            except binascii.Error:
                return
        self._picked(data["pick"], value)
