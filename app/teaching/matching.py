"""How an answer is read and compared with the right one; whatever a student types, the reply is a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np


class Unanswered(Exception):
    """A stub that nobody has filled in yet."""


@dataclass(frozen=True)
class Matcher:
    """One kind of answer.

    Args:
        form: what such an answer looks like, in words.
        read: turns an answer into its plain value; TypeError or ValueError when it has another form.
        same: whether two plain values agree.
        typed: whether it can be typed into a box; code cannot.
        where: where a wrong value departs from the right one, in words; "" = nothing is said.
        found: what is worth saying of a right value; "" = nothing.
    """

    form: str
    read: Callable[[Any], Any]
    same: Callable[[Any, Any], bool]
    typed: bool = True
    where: Callable[[Any, Any], str] = lambda given, right: ""
    found: Callable[[Any], str] = lambda given: ""


def number(unit: str = "", rel: float = 0.01, absolute: float = 0.0) -> Matcher:
    """One number within a relative or an absolute tolerance."""
    return Matcher(
        f"a number [{unit}]" if unit else "a number",
        _float,
        lambda given, right: math.isclose(given, right, rel_tol=rel, abs_tol=absolute),
    )


def whole(unit: str = "") -> Matcher:
    """One whole number, exactly."""
    return Matcher(f"a whole number of {unit}" if unit else "a whole number", _int, lambda a, b: a == b)


def word(*choices: str) -> Matcher:
    """One of some words, capitals and spaces aside."""
    return Matcher(
        "one of " + ", ".join(repr(c) for c in choices), lambda given: _choice(given, choices), lambda a, b: a == b
    )


def set_of(what: str) -> Matcher:
    """A collection of whole numbers in any order."""
    return Matcher(f"a list of {what} in any order, e.g. [0, 2]", _ints, lambda a, b: a == b)


def _float(given: Any) -> float:
    if isinstance(given, (bool, np.bool_, str)):
        raise TypeError
    value = float(np.asarray(given, dtype=float).reshape(-1)[0]) if np.size(given) == 1 else float(given)
    if math.isnan(value):
        raise ValueError
    return value


def _int(given: Any) -> int:
    value = _float(given)
    if not math.isfinite(value) or value != round(value):
        raise ValueError
    return round(value)


def _choice(given: Any, choices: Iterable[str]) -> str:
    plain = {_plain(c): c for c in choices}
    if not isinstance(given, str) or _plain(given) not in plain:
        raise ValueError
    return plain[_plain(given)]


def _plain(text: str) -> str:
    return "".join(ch for ch in text.casefold() if ch.isalnum())


def _ints(given: Any) -> frozenset[int]:
    if isinstance(given, (str, bytes, dict)):
        raise TypeError
    return frozenset(
        _int(x) for x in (given if np.ndim(list(given) if isinstance(given, (set, frozenset)) else given) else [given])
    )
