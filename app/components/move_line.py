"""The line under the chain: what the last move changed, or what differs from what is pinned; undo, redo and pin."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from app.moves import what_changed
from app.panel_fixes.debounce import AT_ONCE_MS
from app.session import Session

STILL = "Move a slider: this line says what it changed, and a faint picture shows how it was before."


class MoveLine(JSComponent):
    """Cause and effect of the last move, until the next one or until it is dismissed; while something is pinned, since the pin."""

    text = param.String("", doc='What the last move changed; "" before the first.')
    still = param.String(STILL, doc="What stands there otherwise.")
    entry = param.Dict({}, doc="Address, count of steps and name of the last one (app/history.py).")
    pinned = param.Boolean(False, doc="Whether something is pinned.")
    compares = param.Boolean(
        True, doc="Whether the tab has a picture to compare; if not, only undo and redo are there."
    )

    _debounce: ClassVar[int] = AT_ONCE_MS

    _esm = Path(__file__).with_name("move_line.js")
    _stylesheets: ClassVar[list[str]] = [Path(__file__).with_name("move_line.css").read_text()]

    def __init__(self, session: Session, **params: Any) -> None:
        self._session = session
        super().__init__(entry=session.history.entry, pinned=bool(session.state.pin), **params)
        session.pipeline.param.watch(self._draw, "picture")
        session.history.param.watch(lambda _: session.pipeline.along(self._go_on), "entry")
        session.state.param.watch(lambda e: setattr(self, "pinned", bool(e.new)), "pin")

    def _draw(self, *_: param.parameterized.Event) -> None:
        picture = self._session.pipeline.picture
        text = what_changed(picture) if picture is not None else ""
        self.param.update(text=text, entry=self._session.history.entry)

    def _go_on(self) -> None:
        self.entry = self._session.history.entry

    def _handle_msg(self, data: Any) -> None:
        """What the visitor asks for: {"go": query} of a step, or "pin", "unpin", "swap", "dismiss"."""
        if isinstance(data, dict) and isinstance(data.get("go"), str):
            self._session.history.go(data["go"])
        elif data in ("pin", "unpin", "swap", "dismiss"):
            getattr(self._session.pipeline, data)()
