"""Exercises of the notebooks: the right answer is computed from core, a typical mistake gets its own reply."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.teaching.feedback import Feedback, Mark
from app.teaching.matching import Matcher, Unanswered
from app.teaching.progress import progress
from core.errors import SafeExplorerError

STAGES = ("Nudge", "Method", "Nearly there")
"""The three hints of every exercise, from the direction to the last step before the answer."""


@dataclass(frozen=True)
class Trap:
    """A typical wrong answer and what to say to it.

    Args:
        answer: computes it.
        reply: names the mistake without giving the answer away.
    """

    answer: Callable[[], Any]
    reply: str


@dataclass(frozen=True)
class Exercise:
    """One question of a notebook.

    Args:
        id: lesson and number, such as "02.1".
        matcher: form of the answer and how it is compared.
        answer: computes the right answer.
        hints: nudge, method, near-solution, as in STAGES.
        praise: what to take home once it is right.
        traps: typical mistakes.
        trains: the skill, for the teacher's page.
    """

    id: str
    matcher: Matcher
    answer: Callable[[], Any]
    hints: tuple[str, str, str]
    praise: str
    traps: tuple[Trap, ...] = ()
    trains: str = ""

    def grade(self, given: Any) -> Mark:
        """Judge an answer; None or ... is no answer, and a wrong one without a trap of its own gets the nudge."""
        unanswered = Mark(None, f"Wanted: {self.matcher.form}.")
        if given is None or given is ...:
            return unanswered
        try:
            value = self.matcher.read(given)
        except Unanswered:
            return unanswered
        except (TypeError, ValueError, IndexError, OverflowError):
            return Mark(False, f"The answer should be {self.matcher.form}.")
        except SafeExplorerError as error:
            return Mark(False, str(error))
        right = self.matcher.read(self.answer())
        if self.matcher.same(value, right):
            return Mark(True, f"{self.praise} {self.matcher.found(value)}".strip())
        where = self.matcher.where(value, right)
        for trap in self.traps:
            if self.matcher.same(value, self.matcher.read(trap.answer())):
                return Mark(False, f"{trap.reply} {where}".strip())
        return Mark(False, f"{self.hints[0]} {where}".strip())

    def hint(self, stage: int) -> str:
        """One of the three hints, counted from 1, with its name."""
        return f"{STAGES[stage - 1]}: {self.hints[stage - 1]}"


EXERCISES: dict[str, Exercise] = {}
"""All exercises by id; filled lesson by lesson when one is asked for."""

LESSONS = ("00", "01", "02", "03", "04", "05", "06", "07", "08")


def add(*exercises: Exercise) -> None:
    """Make exercises known."""
    EXERCISES.update({e.id: e for e in exercises})


def exercise(id: str) -> Exercise:
    """The exercise of this id; its lesson is loaded on demand."""
    lesson = str(id).partition(".")[0]
    if id not in EXERCISES and lesson in LESSONS:
        importlib.import_module(f"app.teaching.answers.lesson_{lesson}")
    if id not in EXERCISES:
        raise SafeExplorerError(
            f"There is no exercise {id!r}; ids look like '02.1', lessons run from 00 to {LESSONS[-1]}."
        )
    return EXERCISES[id]


def check(id: str, answer: Any = None) -> Feedback:
    """Say whether an answer is right; a button gives three hints, one after the other.

    Args:
        id: exercise, such as "02.1".
        answer: yours, a value or a function or class that you wrote; None (or ...) shows a box to type it into.
    """
    found = exercise(id)
    record = progress().of(id)

    def grade(given: Any) -> Mark:
        mark = found.grade(given)
        record.tried(given, mark.right)
        return mark

    def next_hint() -> str:
        return found.hint(record.hinted())

    return Feedback(id, grade(answer), grade, next_hint, found.matcher.form if found.matcher.typed else "")


def hint(id: str, stage: int = 1) -> str:
    """A hint in words, for those who work without widgets; it is counted like one from the button.

    Args:
        id: exercise, such as "02.1".
        stage: 1 nudge, 2 method, 3 near-solution.
    """
    if stage not in (1, 2, 3):
        raise SafeExplorerError(f"There is no hint {stage!r}; the stages are 1, 2 and 3.")
    progress().of(id).hinted(stage)
    return exercise(id).hint(stage)
