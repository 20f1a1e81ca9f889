"""An answer that is code: a function that a student wrote, called with inputs that the notebook does not show."""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from types import CodeType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.teaching.matching import Matcher, Unanswered
from core.errors import SafeExplorerError

Floats = NDArray[np.float64]
Arguments = tuple[Any, ...]

TOO_LONG = 220
"""Characters of a call that a reply quotes."""


def function(
    name: str,
    gives: str,
    cases: Callable[[], Sequence[Arguments]],
    *,
    shipped: Sequence[str] = (),
    rel: float = 1e-6,
    absolute: float = 1e-9,
) -> Matcher:
    """A function that must agree with the reference on every case.

    Args:
        name: of the function in the notebook, with its arguments: "margin(scores, beta)".
        gives: what it returns, in words.
        cases: arguments of the calls, the same at every check; none of them is in the notebook.
        shipped: functions of `core` that do the same, and which a student's code may therefore not ask.
        rel, absolute: tolerance of every number.
    """

    def outputs(given: Any) -> list[Floats]:
        if inspect.isclass(given) or not callable(given):
            raise TypeError
        if asked := _asked(given, shipped):
            raise SafeExplorerError(f"`{asked}` of core does this already; write it yourself, without asking it.")
        return [called(given, name, arguments) for arguments in cases()]

    def same(mine: list[Floats], right: list[Floats]) -> bool:
        return _first_difference(mine, right, rel, absolute) is None

    def where(mine: list[Floats], right: list[Floats]) -> str:
        at = _first_difference(mine, right, rel, absolute)
        if at is None:
            return ""
        wrong = sum(not _agree(a, b, rel, absolute) for a, b in zip(mine, right, strict=True))
        return (
            f"{wrong} of {len(right)} unseen inputs differ, first {quoted(name, cases()[at])}: "
            f"yours gives {shown(mine[at])}, core {shown(right[at])}."
        )

    return Matcher(f"a function {name} that gives {gives}", outputs, same, typed=False, where=where)


def _asked(given: Callable[..., Any], shipped: Sequence[str]) -> str:
    """The function of `core` that an answer is or names; "" for one that is a student's own."""
    plain = inspect.unwrap(given)
    home = str(getattr(plain, "__module__", "") or "").partition(".")[0]
    if home == "core":
        return str(getattr(plain, "__name__", "core"))
    code = getattr(plain, "__code__", None)
    if code is None or home == "app":  # the answers themselves are made with core
        return ""
    return next((n for n in _named_in(code) if n in shipped), "")


def _named_in(code: CodeType) -> Iterator[str]:
    """Every name that some code asks for, its inner functions included."""
    yield from code.co_names
    yield from code.co_freevars
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _named_in(inner)


def called(given: Callable[..., Any], name: str, arguments: Arguments) -> Floats:
    """What a student's function returns, as numbers; whatever goes wrong becomes a sentence."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = given(*copy.deepcopy(arguments))
        except (Exception, SystemExit) as error:
            text = f"{type(error).__name__}: {error}"
            raise SafeExplorerError(f"Your function stopped with {text} at {quoted(name, arguments)}.") from error
        if result is ...:
            raise Unanswered
        if result is None:
            raise SafeExplorerError(
                f"Your function gives nothing at {quoted(name, arguments)}: does every way through it return?"
            )
        try:
            return np.asarray(result, dtype=np.float64)
        except Exception as error:
            raise SafeExplorerError(
                f"Your function gives {_short(repr(type(result).__name__))} at {quoted(name, arguments)}; numbers are wanted."
            ) from error


def quoted(name: str, arguments: Arguments) -> str:
    """A call in words, cut where it gets long."""
    parts = ", ".join(f"{n.strip()} = {shown(a)}" for n, a in zip(_names(name), arguments, strict=True))
    return _short(f"{name.partition('(')[0]}({parts})")


def shown(value: Any) -> str:
    """A value as a reply quotes it."""
    if isinstance(value, (str, bool)) or value is None:
        return repr(value)
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except Exception:
        return f"a {type(value).__name__}"
    if numbers.ndim == 0:
        return f"{float(numbers):.6g}"
    return _short(np.array2string(numbers, precision=4, separator=", ", threshold=24).replace("\n", ""))


def _names(name: str) -> list[str]:
    return name.partition("(")[2].rstrip(")").split(",")


def _short(text: str) -> str:
    return text if len(text) <= TOO_LONG else text[: TOO_LONG - 1] + "…"


def _first_difference(mine: list[Floats], right: list[Floats], rel: float, absolute: float) -> int | None:
    pairs = enumerate(zip(mine, right, strict=True))
    return next((i for i, (a, b) in pairs if not _agree(a, b, rel, absolute)), None)


def _agree(a: Floats, b: Floats, rel: float, absolute: float) -> bool:
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=rel, atol=absolute, equal_nan=True))
