"""Where in code of the user's own something went wrong: file, line and the line itself, in words."""

from __future__ import annotations

import inspect
import linecache
import traceback
from collections.abc import Collection
from pathlib import Path
from typing import Any

LONGEST = 80
"""Characters of a line that are quoted."""


def place(file: str, line: int) -> str:
    """Such as "my_policy.py, line 12"; folders are left out, so that a page tells nobody how its server is laid out."""
    path = Path(file)
    if file.startswith("<") or "ipykernel" in file:
        return f"a notebook cell, line {line}"
    name = f"{path.parent.name}/{path.name}" if path.name == "__init__.py" else path.name
    return f"{name}, line {line}"


def told(error: BaseException, files: Collection[str]) -> str:
    """What went wrong in some files: "my_policy.py, line 12: ZeroDivisionError: division by zero, in `x = 1 / 0`."

    Args:
        error: as it was caught.
        files: the user's own; the innermost line in one of them is named.
    """
    what = type(error).__name__
    if isinstance(error, SyntaxError) and error.filename is not None and error.filename in files:
        text, line, said = error.text or "", error.lineno or 1, error.msg
        return f"{place(error.filename, line)}: {what}: {said}{_quoted(text)}."
    said = f"{what}: {error}".removesuffix(".") if str(error) else what
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename in files:
            return f"{place(frame.filename, frame.lineno or 1)}: {said}{_quoted(frame.line or '')}."
    return f"{said}."


def in_files(error: BaseException, files: Collection[str]) -> bool:
    """Whether what went wrong passed through a line of some files' that `told` can name as its place."""
    return any(frame.filename in files for frame in traceback.extract_tb(error.__traceback__))


def own_files(cls: type) -> set[str]:
    """Files that a class is written in, those of `core` and of Python left out; empty for one that is shipped."""
    classes = [c for c in cls.__mro__ if c.__module__.partition(".")[0] not in ("core", "abc", "builtins", "typing")]
    return {function.__code__.co_filename for c in classes for function in _functions(c)}


def where_defined(function: Any) -> str:
    """Place of the first line of a function; "" where Python does not know it."""
    code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
    if code is None:
        return ""
    # a decorator is the first line of what it decorates
    lines = enumerate(linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :], code.co_firstlineno)
    line = next((n for n, text in lines if text.lstrip().startswith(("def ", "async def "))), code.co_firstlineno)
    return place(code.co_filename, line)


def _functions(cls: type) -> list[Any]:
    return [v for v in vars(cls).values() if inspect.isfunction(v)]


def _quoted(line: str) -> str:
    text = line.strip()
    text = text[:LONGEST] + ("…" if len(text) > LONGEST else "")
    return f", in `{text}`" if text else ""
