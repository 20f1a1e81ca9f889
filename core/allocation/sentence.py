"""A sentence whose every number can be asked where it comes from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import NamedTuple

from core.numerals import numeral

Value = float | str
"""A number, or a name such as a route."""
NEAR = 1e-6
"""Share of the last digit by which a computed value may miss the number it stands for."""


class Part(NamedTuple):
    """A piece of a sentence.

    Args:
        text: as it reads.
        value: what was formatted, unrounded; None for plain words.
        source: name of the value; "" for plain words.
    """

    text: str
    value: Value | None = None
    source: str = ""


@dataclass(frozen=True)
class Sentence:
    """One or more sentences in pieces; `str` gives the text."""

    parts: tuple[Part, ...] = ()

    @classmethod
    def of(cls, template: str, values: Mapping[str, Value] | None = None) -> Sentence:
        """Fill a template such as "U = {U:.4g} m²" by name; every name must be a value, and plain words hold no numbers."""
        parts = []
        for text, name, form, _ in Formatter().parse(template):
            if text:
                parts.append(Part(text))
            if name is not None:
                value = (values or {})[name]
                parts.append(Part(written(value, form or ""), value, name))
        return cls(tuple(parts))

    def __str__(self) -> str:
        return "".join(part.text for part in self.parts)

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    def __add__(self, other: Sentence) -> Sentence:
        """Both in a row, nothing between them."""
        return Sentence(self.parts + other.parts)

    def then(self, other: Sentence) -> Sentence:
        """Both as sentences that follow each other."""
        return self + Sentence((Part(" "),)) + other if self and other else self + other

    def capitalised(self) -> Sentence:
        """The same with a capital first letter."""
        if not self.parts:
            return self
        first, *rest = self.parts
        return Sentence((first._replace(text=first.text[:1].upper() + first.text[1:]), *rest))

    @property
    def numbers(self) -> tuple[Part, ...]:
        """The pieces that come from a value."""
        return tuple(part for part in self.parts if part.source)


def written(value: Value, form: str) -> str:
    """A value for a reader: large numbers in digits (12440, not 1.244e+04), bounds never rounded to what they do not promise.

    Args:
        value: number, or a name.
        form: as `format` has it; ".3f↓" rounds down, for what is at least so large, ".3f↑" up.
    """
    if isinstance(value, str):
        return format(value, form)
    if form.endswith(("↓", "↑")):
        unit = 10.0 ** -int(form[1:-2])
        whole = math.floor(value / unit + NEAR) if form.endswith("↓") else math.ceil(value / unit - NEAR)
        return numeral(whole * unit, form[:-1])
    text = format(value, form)
    if "e+" not in text:
        return numeral(value, form)
    return numeral(float(text), "+.0f" if text.startswith("+") else ".0f")


def listed(pieces: list[Sentence]) -> Sentence:
    """Pieces in a row as "a, b and c"."""
    found = Sentence()
    for i, piece in enumerate(pieces):
        between = "" if i == 0 else " and " if i == len(pieces) - 1 else ", "
        found = found + (Sentence((Part(between),)) if between else Sentence()) + piece
    return found
