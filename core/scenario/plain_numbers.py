"""How numbers in texts are read and written: plain decimals of a size that anything here can take, and no digit lost."""

from __future__ import annotations

import re
from decimal import Decimal

PLAIN = re.compile(
    r"[+-]?(?:[0-9]{1,15}(?:\.[0-9]{0,25})?|\.[0-9]{1,25})(?:[eE](?:[+-]?[0-9]{1,2}|-[0-9]{3}))?", re.ASCII
)
"""ASCII digits, as many as a float may have when it is written in full; no large exponent, no underscore, no inf, no nan."""
WHOLE = re.compile(r"[+-]?[0-9]{1,30}", re.ASCII)


def plain_number(text: str) -> Decimal:
    """The number that a text spells; ValueError when it is none, or one that no field could take."""
    if not PLAIN.fullmatch(text.strip()):
        raise ValueError(f"{text[:40]!r} is not a plain number")
    return Decimal(text.strip())


def whole_number(text: str) -> int:
    """The whole number that a text spells; ValueError when it is none. `int` itself takes 3_0 and digits of other scripts."""
    if not WHOLE.fullmatch(text.strip()):
        raise ValueError(f"{text[:40]!r} is not a whole number")
    return int(text)


def number_text(number: float) -> str:
    """The shortest usual way to write a number that reads back as the very same one: 0.25, 30, 0.1234567890123456."""
    short = f"{number:.12g}"
    return short if float(short) == number else repr(float(number))
