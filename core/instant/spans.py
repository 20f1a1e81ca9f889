"""For which values of a quantity something holds: never "from" where there is a gap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.allocation import Part, Sentence
from core.allocation.sentence import listed
from core.instant.flight import Floats
from core.instant.vary import Variable

NAMED = 3
"""Separate ranges that are named; more are counted."""


@dataclass(frozen=True)
class Spans:
    """Ranges of one quantity in which something holds, both ends included; `str` says where.

    Attributes:
        name: what holds, such as "certifiable".
        ranges: first and last value of each range at which it was seen to hold, in rising order; the value looked at
            before and after a range is at most `tolerance` away, and there it does not hold.
        ends: first and last value that could be asked for.
        tolerance: how far an end may be from where it really changes.
        variable: the quantity.
        complete: whether every value looked at could be asked for.
    """

    name: str
    ranges: tuple[tuple[float, float], ...]
    ends: tuple[float, float]
    tolerance: float
    variable: Variable
    complete: bool = True

    @classmethod
    def of(cls, name: str, variable: Variable, x: Floats, holds: NDArray[np.bool_], asked: NDArray[np.bool_]) -> Spans:
        """From the values looked at.

        Args:
            name: what holds.
            variable: the quantity.
            x: its values, rising.
            holds: whether it holds at each.
            asked: whether each could be asked for; what could not ends a range.
        """
        holds = holds & asked
        edge = np.diff(np.concatenate([[False], holds, [False]]).astype(np.int8))
        firsts, lasts = np.flatnonzero(edge == 1), np.flatnonzero(edge == -1) - 1
        ranges = tuple((float(x[a]), float(x[b])) for a, b in zip(firsts, lasts, strict=True))
        gaps = [float(x[i + 1] - x[i]) for i in np.flatnonzero(np.diff(holds))]
        known = x[asked]
        return cls(
            name, ranges, (float(known[0]), float(known[-1])), max(gaps, default=0.0), variable, bool(asked.all())
        )

    @property
    def never(self) -> bool:
        """Whether it holds nowhere."""
        return not self.ranges

    @property
    def always(self) -> bool:
        """Whether it holds wherever the quantity can be."""
        return self.ranges == (self.ends,)

    @property
    def start(self) -> float | None:
        """The value from which on it holds without a gap, and below which it nowhere does; None when there is none."""
        return self.ranges[0][0] if len(self.ranges) == 1 and self.ranges[0][1] == self.ends[1] else None

    @property
    def end(self) -> float | None:
        """The value up to which it holds without a gap, and beyond which it nowhere does; None when there is none."""
        return self.ranges[0][1] if len(self.ranges) == 1 and self.ranges[0][0] == self.ends[0] else None

    @property
    def changes(self) -> tuple[float, ...]:
        """The ends of the ranges inside what can be asked for: where it begins and ceases to hold."""
        return tuple(v for pair in self.ranges for v, edge in zip(pair, self.ends, strict=True) if v != edge)

    def __contains__(self, x: float) -> bool:
        return any(a <= x <= b for a, b in self.ranges)

    def __str__(self) -> str:
        return str(self.said)

    @property
    def said(self) -> Sentence:
        """Where it holds, such as "from −10.5 dB" or "from 3 to 7 and at 12 slots"."""
        if self.never:
            return Sentence.of("at no value")
        if self.always:
            return Sentence.of("at every value" if self.complete else "at every value that is not refused")
        if len(self.ranges) > NAMED:
            many = Part(str(len(self.ranges)), len(self.ranges), f"{self.name}.many")
            first, last = self.ranges[0][0], self.ranges[-1][1]
            return (
                Sentence((Part("in "), many, Part(" separate ranges between ")))
                + self._value(0, "first", first)
                + Sentence.of(" and ")
                + self._value(len(self.ranges) - 1, "last", last)
                + self._unit
            )
        return listed([self._range(i) for i in range(len(self.ranges))]) + self._unit

    def _range(self, i: int) -> Sentence:
        first, last = self.ranges[i]
        low, high = self._value(i, "first", first), self._value(i, "last", last)
        if first == last:
            return Sentence.of("at ") + low
        if last == self.ends[1]:
            return Sentence.of("from ") + low
        if first == self.ends[0]:
            return Sentence.of("up to ") + high
        return Sentence.of("from ") + low + Sentence.of(" to ") + high

    def _value(self, i: int, end: str, value: float) -> Sentence:
        return Sentence((Part(self.variable.text(value), value, f"{self.name}.{i}.{end}"),))

    @property
    def _unit(self) -> Sentence:
        return Sentence.of(f" {self.variable.meta.unit}") if self.variable.meta.unit else Sentence()


def changed_between(columns: Sequence[NDArray[np.bool_]]) -> NDArray[np.int64]:
    """Positions i such that something changes between values i and i + 1."""
    found: NDArray[np.int64] = np.flatnonzero(np.any([np.diff(c) for c in columns], axis=0))
    return found
