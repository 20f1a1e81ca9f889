"""What stands above the picture before an audience: one sentence, what to look for, and the way to the next step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import param
from panel.custom import JSComponent


class Presenter(JSComponent):
    """Large type over an otherwise empty page; while `view` has a step, the rest of the page steps aside by CSS alone."""

    view = param.Dict(default={}, doc="The step shown, plain JSON; empty when nobody presents.")

    _esm = Path(__file__).with_name("presenter.js")
    _stylesheets: ClassVar[list[str]] = [Path(__file__).with_name("presenter.css").read_text(encoding="utf-8")]

    def __init__(self, asked: Callable[[str, int], None], **params: Any) -> None:
        super().__init__(**params)
        self._asked = asked

    def _handle_msg(self, data: Any) -> None:
        """The presenter goes on: {"go": step, counted from 0}, {"reset": 0} or {"leave": 0}."""
        if not isinstance(data, dict):
            return
        for what in ("go", "reset", "leave"):
            if isinstance(data.get(what), int):
                self._asked(what, data[what])
