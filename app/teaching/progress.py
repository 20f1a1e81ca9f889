"""What a student has tried so far: in a notebook one record per kernel, in a served page one per visitor."""

from __future__ import annotations

import datetime
import inspect
import json
import weakref
from dataclasses import dataclass, field
from typing import Any

import panel as pn

LAST_STAGE = 3
LONGEST_ANSWER = 4000
"""Characters of an answer that are kept."""


@dataclass
class Record:
    """One exercise of one student.

    Attributes:
        attempts: wrong answers before the first right one, and that one.
        hints: the furthest hint seen, 0 … 3.
        right: whether it has ever been right.
        when: when it first was, ISO with time zone.
        answer: the first right answer, else the last one: JSON for a value, source for code, "" where neither is known.
    """

    attempts: int = 0
    hints: int = 0
    right: bool = False
    when: str = ""
    answer: str = ""

    def tried(self, given: Any, right: bool | None) -> None:
        """Count an answer; nothing after the first right one changes the record."""
        if right is None or self.right:
            return
        self.attempts += 1
        self.answer = as_text(given)
        if right:
            self.right, self.when = True, datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")

    def hinted(self, stage: int | None = None) -> int:
        """Count a hint, the next one when no stage is given; returns its stage."""
        shown = min(self.hints + 1, LAST_STAGE) if stage is None else stage
        if not self.right:
            self.hints = max(self.hints, shown)
        return shown


@dataclass
class Progress:
    """All exercises that a student has met."""

    records: dict[str, Record] = field(default_factory=dict)

    def of(self, id: str) -> Record:
        """The record of an exercise."""
        return self.records.setdefault(id, Record())


_kernel = Progress()
_visitors: weakref.WeakKeyDictionary[Any, Progress] = weakref.WeakKeyDictionary()


def progress() -> Progress:
    """The record of whoever is asking."""
    document = pn.state.curdoc
    if document is None or document.session_context is None:
        return _kernel
    return _visitors.setdefault(document, Progress())


def as_text(given: Any) -> str:
    """An answer as it is kept: JSON for plain values, the source of a function or class, "" for anything else."""
    try:
        text = inspect.getsource(given) if inspect.isclass(given) or inspect.isfunction(given) else plain_json(given)
    except Exception:  # a value that nothing is known of, a class without source: the mark counts all the same
        return ""
    return text[:LONGEST_ANSWER]


def plain_json(value: Any) -> str:
    """JSON of numbers, words and collections of them; numpy's count as Python's."""
    if isinstance(value, (set, frozenset)):
        value = sorted(value)
    return json.dumps(value.tolist() if hasattr(value, "tolist") else value)
