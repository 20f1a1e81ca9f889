"""What a student sees after an answer: right, wrong with a hint, or a box to answer in."""

from __future__ import annotations

import ast
import html
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import panel as pn

from app.teaching.text import LiveText

INK = {True: ("#009E73", "✔ Right."), False: ("#D55E00", "✘ Not yet."), None: ("#808080", "… Not answered yet.")}
"""Colour and first words of a mark, from the colour-blind-safe set of app.figures.palette."""


@dataclass(frozen=True)
class Mark:
    """The verdict on one answer.

    Args:
        right: True, False, or None when nothing was answered.
        text: the explanation or the hint.
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
        form: what an answer looks like, shown in the empty box; "" = this one is answered in code only.
    """

    def __init__(self, exercise: str, mark: Mark, grade: Callable[[Any], Mark], form: str) -> None:
        super().__init__()
        self.exercise, self.mark = exercise, mark
        self._grade = grade
        self._line = LiveText(mark.html(exercise))
        self._view: pn.viewable.Viewable = self._line.__panel__()
        if mark.right is None and form:
            self.box = pn.widgets.TextInput(placeholder=form, width=260, name="")
            self.button = pn.widgets.Button(name="Check", width=90)
            # Panel runs what Enter and a click set off without the document's lock, which writing to the Div needs.
            self.button.on_click(lambda _: pn.state.execute(self.submit, schedule=True))
            self.box.param.watch(lambda _: pn.state.execute(self.submit, schedule=True), "value")
            self._view = pn.Column(pn.Row(self.box, self.button), self._line, sizing_mode="stretch_width")

    @property
    def right(self) -> bool | None:
        """Whether the answer was right; None when nothing was answered."""
        return self.mark.right

    def submit(self) -> None:
        """Judge what the box holds."""
        self.mark = self._grade(typed(self.box.value))
        self._line.show(self.mark.html(self.exercise))

    def __panel__(self) -> pn.viewable.Viewable:
        return self._view

    def __repr__(self) -> str:
        return f"Exercise {self.exercise}: {self.mark}"

    __str__ = __repr__


def typed(text: str) -> Any:
    """The value of a typed answer: a Python literal (also "1, 3"), a plain word, None when empty."""
    clean = text.strip()
    if not clean:
        return None
    try:
        return ast.literal_eval(
            {"true": "True", "false": "False", "yes": "True", "no": "False"}.get(clean.lower(), clean)
        )
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return clean
