"""Results that a teacher can collect: one signed JSON file per student and notebook (docs/TEACHING.md)."""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import json
import re
from pathlib import Path
from typing import Any

import panel as pn

from app.teaching.exercise import exercise
from app.teaching.progress import Progress, progress
from app.teaching.tables import say
from core import __version__
from core.errors import SafeExplorerError

LONGEST_NAME = 80
TOKEN_CHARACTERS = 20
UNSIGNED = "unsigned"
"""Signature of a file that was handed in without a token."""


def token_of(key: str, student: str) -> str:
    """The token of one student, which only somebody with the teacher's key can make."""
    return hmac.new(key.encode(), student.encode(), hashlib.sha256).hexdigest()[:TOKEN_CHARACTERS]


def signature_of(content: dict[str, Any], token: str) -> str:
    """HMAC-SHA256 of the content without its signature, under a student's token."""
    plain = {name: value for name, value in content.items() if name != "signature"}
    text = json.dumps(plain, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hmac.new(token.encode(), text.encode(), hashlib.sha256).hexdigest()


def results(student: str, token: str, done: Progress) -> dict[str, Any]:
    """What is handed in: every exercise that was tried or hinted at, signed.

    Args:
        student: name that the token was made for.
        token: from the teacher; "" leaves the file unsigned.
        done: the record.
    """
    met = {id: dataclasses.asdict(r) for id, r in sorted(done.records.items()) if r.attempts or r.hints}
    content: dict[str, Any] = {"student": student, "version": __version__, "exercises": met}
    return {**content, "signature": signature_of(content, token) if token else UNSIGNED}


def hand_in(student: str = "", token: str = "", folder: str | Path = ".") -> pn.pane.HTML:
    """Write what was solved in this notebook into a file for the teacher.

    Args:
        student: your name; "" writes nothing and says what there is.
        token: the one that the teacher gave you; "" leaves the file unsigned.
        folder: where to.
    """
    student, done = str(student).strip(), progress()
    right = [id for id, record in sorted(done.records.items()) if record.right]
    so_far = f"Solved so far in this notebook: {', '.join(right) or 'nothing yet'}."
    if pn.state.curdoc is not None and pn.state.curdoc.session_context is not None:
        return say(f"{so_far} Handing in works in JupyterLab.")
    if not student:
        return say(f'{so_far} Write hand_in("your name", "your token") to make a file for your teacher.')
    if len(student) > LONGEST_NAME:
        raise SafeExplorerError(f"A name of more than {LONGEST_NAME} characters is too long.")
    lessons = sorted({id[:2] for id, record in done.records.items() if record.attempts or record.hints}) or ["none"]
    name = re.sub(r"[^\w-]+", "_", student)
    path = Path(folder) / f"hand-in-{name}-{'-'.join(lessons)}.json"
    path.write_text(
        json.dumps(results(student, str(token).strip(), done), indent=1, ensure_ascii=False), encoding="utf-8"
    )
    return say(f"{so_far} Written: {path.name}{'' if token else ', unsigned'}.")


@dataclasses.dataclass(frozen=True)
class Checked:
    """One file that a teacher has collected.

    Args:
        file: its name.
        student: whom it says it is from.
        signature: "good", "wrong" or "unsigned".
        right: ids that the file calls right.
        confirmed: those whose answer is a value and is right when it is judged again here.
        refuted: those whose answer is a value and is not right when it is judged again.
        to_read: those that are code; nobody runs it here, the file holds its source.
        hints: hints used, summed.
        attempts: answers given, summed.
    """

    file: str
    student: str
    signature: str
    right: tuple[str, ...]
    confirmed: tuple[str, ...]
    refuted: tuple[str, ...]
    to_read: tuple[str, ...]
    hints: int
    attempts: int


def checked(path: Path, key: str) -> Checked:
    """Verify the signature of a file and judge again every answer that is a value; SafeExplorerError for any other file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        student, met, signature = content["student"], content["exercises"], content["signature"]
        rows = {
            str(id): (bool(r["right"]), str(r["answer"]), int(r["hints"]), int(r["attempts"])) for id, r in met.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SafeExplorerError(f"{path.name} is no file of results: {type(error).__name__}: {error}") from error
    good = hmac.compare_digest(str(signature), signature_of(content, token_of(key, str(student))))
    state = "good" if good else UNSIGNED if signature == UNSIGNED else "wrong"
    right = tuple(id for id, row in rows.items() if row[0])
    again = {id: _again(id, rows[id][1]) for id in right}
    return Checked(
        path.name,
        str(student),
        state,
        right,
        tuple(id for id, found in again.items() if found is True),
        tuple(id for id, found in again.items() if found is False),
        tuple(id for id, found in again.items() if found is None),
        sum(row[2] for row in rows.values()),
        sum(row[3] for row in rows.values()),
    )


def _again(id: str, answer: str) -> bool | None:
    """Whether a kept answer is right, judged here; None where it is code."""
    try:
        found = exercise(id)
        return bool(found.grade(json.loads(answer)).right) if found.matcher.typed else None
    except (SafeExplorerError, ValueError):
        return False
