"""Exercises of the notebooks: the right answer is computed from core, a typical mistake gets its own hint."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.teaching.feedback import Feedback, Mark
from app.teaching.matching import Matcher
from core.errors import SafeExplorerError


@dataclass(frozen=True)
class Trap:
    """A typical wrong answer and what to say to it.

    Args:
        answer: computes it.
        hint: names the mistake without giving the answer away.
    """

    answer: Callable[[], Any]
    hint: str


@dataclass(frozen=True)
class Exercise:
    """One question of a notebook.

    Args:
        id: lesson and number, such as "02.1".
        matcher: form of the answer and how it is compared.
        answer: computes the right answer.
        hint: for any wrong answer without a trap of its own.
        praise: what to take home once it is right.
        traps: typical mistakes.
        trains: the skill, for the teacher's page.
    """

    id: str
    matcher: Matcher
    answer: Callable[[], Any]
    hint: str
    praise: str
    traps: tuple[Trap, ...] = ()
    trains: str = ""

    def grade(self, given: Any) -> Mark:
        """Judge an answer; None or ... is no answer."""
        if given is None or given is ...:
            return Mark(None, f"Wanted: {self.matcher.form}.")
        try:
            value = self.matcher.read(given)
        except (TypeError, ValueError, IndexError):
            return Mark(False, f"The answer should be {self.matcher.form}.")
        except SafeExplorerError as error:
            return Mark(False, str(error))
        if self.matcher.same(value, self.matcher.read(self.answer())):
            return Mark(True, self.praise)
        for trap in self.traps:
            if self.matcher.same(value, self.matcher.read(trap.answer())):
                return Mark(False, trap.hint)
        return Mark(False, self.hint)


EXERCISES: dict[str, Exercise] = {}
"""All exercises by id; filled lesson by lesson when one is asked for."""

LESSONS = ("00", "01", "02", "03", "04", "05", "06", "07")


def add(*exercises: Exercise) -> None:
    """Make exercises known."""
    EXERCISES.update({e.id: e for e in exercises})


def exercise(id: str) -> Exercise:
    """The exercise of this id; its lesson is loaded on demand."""
    lesson = id.partition(".")[0]
    if id not in EXERCISES and lesson in LESSONS:
        importlib.import_module(f"app.teaching.answers.lesson_{lesson}")
    if id not in EXERCISES:
        raise SafeExplorerError(
            f"There is no exercise {id!r}; ids look like '02.1', lessons run from 00 to {LESSONS[-1]}."
        )
    return EXERCISES[id]


def check(id: str, answer: Any = None) -> Feedback:
    """Say whether an answer is right, and give a hint when it is not.

    Args:
        id: exercise, such as "02.1".
        answer: yours; None (or ...) shows a box to type it into.
    """
    found = exercise(id)
    return Feedback(id, found.grade(answer), found.grade, found.matcher.form if found.matcher.typed else "")
