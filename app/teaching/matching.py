"""How an answer is read and compared with the right one; whatever a student types, the reply is a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Matcher:
    """One kind of answer.

    Args:
        form: what such an answer looks like, in words.
        read: turns an answer into its plain value; TypeError or ValueError when it has another form.
        same: whether two plain values agree.
        typed: whether it can be typed into a box; code cannot.
    """

    form: str
    read: Callable[[Any], Any]
    same: Callable[[Any, Any], bool]
    typed: bool = True


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


def truth() -> Matcher:
    """True or False."""
    return Matcher("True or False", _bool, lambda a, b: a is b)


def word(*choices: str) -> Matcher:
    """One of some words, capitals and spaces aside."""
    return Matcher(
        "one of " + ", ".join(repr(c) for c in choices), lambda given: _choice(given, choices), lambda a, b: a == b
    )


def numbers(count: int, rel: float = 0.01, absolute: float = 1e-9) -> Matcher:
    """Several numbers in order."""
    return Matcher(
        f"{count} numbers in order, e.g. [1.0, 2.0]",
        lambda given: _floats(given, count),
        lambda a, b: bool(np.allclose(a, b, rtol=rel, atol=absolute)),
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


def _bool(given: Any) -> bool:
    if not isinstance(given, (bool, np.bool_)):
        raise TypeError
    return bool(given)


def _choice(given: Any, choices: Iterable[str]) -> str:
    plain = {_plain(c): c for c in choices}
    if not isinstance(given, str) or _plain(given) not in plain:
        raise ValueError
    return plain[_plain(given)]


def _plain(text: str) -> str:
    return "".join(ch for ch in text.casefold() if ch.isalnum())


def _floats(given: Any, count: int) -> np.ndarray:
    value = np.asarray(given, dtype=float).reshape(-1)
    if value.size != count or not np.isfinite(value).all():
        raise ValueError
    return value


def _ints(given: Any) -> frozenset[int]:
    if isinstance(given, (str, bytes, dict)):
        raise TypeError
    return frozenset(
        _int(x) for x in (given if np.ndim(list(given) if isinstance(given, (set, frozenset)) else given) else [given])
    )
