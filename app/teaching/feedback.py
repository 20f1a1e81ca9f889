"""What a student sees after an answer: right, wrong with a reply, a box to answer in, and hints one by one."""

from __future__ import annotations

import ast
import html
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import panel as pn

from app.panel_fixes.notebook_text import LiveText
from app.teaching.explorer import READABLE

INK = {True: ("#009E73", "✔ Right."), False: ("#D55E00", "✘ Not yet."), None: ("#808080", "… Not answered yet.")}
"""Colour and first words of a mark, from the colour-blind-safe set of core.style."""


@dataclass(frozen=True)
class Mark:
    """The verdict on one answer.

    Args:
        right: True, False, or None when nothing was answered.
        text: the explanation or the reply.
    """

    right: bool | None
    text: str

    def __str__(self) -> str:
        return f"{INK[self.right][1]} {self.text}".strip()

    def html(self, exercise: str) -> str:
        """The verdict as a coloured line of HTML."""
        colour, word = INK[self.right]
        return (
            f'<div style="border-left: 5px solid {colour}; padding: 4px 10px; margin: 2px 0; font-size: 15px">'
            f"<b>Exercise {html.escape(exercise)}</b> <b style='color: {colour}'>{word}</b> {html.escape(self.text)}</div>"
        )


class Feedback(pn.viewable.Viewer):
    """A mark that a notebook shows; while nothing is answered it offers a box, so that a served page works too.

    Args:
        exercise: id such as "02.1".
        mark: the verdict.
        grade: judges an answer typed into the box.
        next_hint: gives the next hint in words.
        form: what an answer looks like, shown in the empty box; "" = this one is answered in code only.
    """

    def __init__(
        self, exercise: str, mark: Mark, grade: Callable[[Any], Mark], next_hint: Callable[[], str], form: str
    ) -> None:
        super().__init__()
        self.exercise, self.mark = exercise, mark
        self._grade, self._next_hint = grade, next_hint
        self._said: list[str] = []
        self._line = LiveText(mark.html(exercise))
        self._view: pn.viewable.Viewable = self._line.__panel__()
        if mark.right:
            return
        self.hints = pn.widgets.Button(name="Hint", width=70)
        # Panel runs what Enter and a click set off without the document's lock, which writing to the Div needs.
        self.hints.on_click(lambda _: pn.state.execute(self.hint, schedule=True))
        row = [self.hints]
        if mark.right is None and form:
            self.box = pn.widgets.TextInput(placeholder=form, width=320, name="", stylesheets=[READABLE])
            self.button = pn.widgets.Button(name="Check", width=90)
            self.button.on_click(lambda _: pn.state.execute(self.submit, schedule=True))
            self.box.param.watch(lambda _: pn.state.execute(self.submit, schedule=True), "value")
            row = [self.box, self.button, self.hints]
        self._view = pn.Column(pn.Row(*row), self._line, sizing_mode="stretch_width")

    @property
    def right(self) -> bool | None:
        """Whether the answer was right; None when nothing was answered."""
        return self.mark.right

    def submit(self) -> None:
        """Judge what the box holds."""
        self.mark = self._grade(typed(self.box.value))
        self._show()

    def hint(self) -> None:
        """Show one more hint below the mark; after the last it stays."""
        said = self._next_hint()
        if said not in self._said:
            self._said.append(said)
        self._show()

    def _show(self) -> None:
        said = "".join(
            f'<div style="padding: 2px 15px; font-size: 15px">{html.escape(text)}</div>' for text in self._said
        )
        self._line.show(self.mark.html(self.exercise) + said)

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view

    def __repr__(self) -> str:
        return f"Exercise {self.exercise}: {self.mark}"

    __str__ = __repr__


def typed(text: str) -> Any:
    """The value of a typed answer: a Python literal (also "1, 3"), a plain word, None when empty."""
    clean = text.strip().replace("−", "-")  # as it is copied from a page
    if not clean:
        return None
    try:
        return ast.literal_eval(clean)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return clean
