"""What every scenario field carries besides its value: unit, bounds, step, symbol, meaning, origin."""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from core.errors import ScenarioError

Origin = Literal["paper", "ours"]


class Affects(enum.Flag):
    """What a change of a field asks for; every list of fields with one of these effects is made from it."""

    NOTHING = 0
    CALIBRATION = enum.auto()
    """Shapes the residuals or the bursts of the channel: the twin is calibrated anew."""
    LINKS = enum.auto()
    """Shapes the predicted links other than by one shift of them all (the link budget)."""
    CERTIFICATES = enum.auto()
    """Shapes which actions are on offer or what is certified of them."""
    FLIGHT = enum.auto()
    """Shapes the state of a run: it cannot change while one is in flight, and another flight is flown behind the instants."""


MOST_SHOWN = 60
"""Characters of a refused value that a message repeats; the rest would bury the advice."""


def shown(value: Any, most: int = MOST_SHOWN) -> str:
    """A value as messages show it: quoted as in Python, with the middle left out when it is long."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 2 :]}"


@dataclass(frozen=True)
class Quantity:
    """Metadata of one scenario field, the only place where its bounds and its help text are written.

    Args:
        unit: unit of the value, "" when it has none.
        symbol: the paper's symbol, or the nearest readable one.
        doc: one sentence for a person who has not read the paper.
        ref: label of the paper, decision number (docs/DECISIONS.md) or "Table I".
        origin: "paper" when the default is printed in the paper, "ours" when we chose it.
        lo, hi: inclusive bounds of a number (or of every element of a tuple).
        step: of its slider; a value from a link or a file may lie between two.
        choices: allowed values of an enumerated field.
        most: largest number of entries of a list.
        affects: what a change asks for; None = what its group says.
        neutral: at its default everything is as it was before there was this field, so a calibration without it fits.
        own: of a field that stands for something the user brought (D27), what makes its value out of what is given; takes
            the field's name and the value.
    """

    unit: str
    symbol: str
    doc: str
    ref: str
    origin: Origin
    lo: float | None = None
    hi: float | None = None
    step: float | None = None
    choices: tuple[str, ...] | None = None
    most: int | None = None
    affects: Affects | None = None
    neutral: bool = False
    own: Callable[[str, Any], str] | None = None

    @property
    def digits(self) -> int:
        """Digits after the point that the step needs: 0.005 → 3."""
        return len(f"{self.step:.9f}".rstrip("0").partition(".")[2]) if self.step else 0

    def check(self, name: str, value: Any, default: Any) -> Any:
        """Return the value in the default's type, or raise ScenarioError saying what to change."""
        if self.own is not None:
            return self.own(name, value)
        if isinstance(default, bool):
            if not isinstance(value, bool):
                raise ScenarioError(f"{name} = {shown(value)} must be true or false.")
            return value
        if isinstance(default, str):
            return self._choice(name, value)
        if isinstance(default, tuple):
            return self._list(name, value, default)
        return self._number(name, value, default)

    def _choice(self, name: str, value: Any) -> str:
        allowed = self.choices or ()
        if not isinstance(value, str) or value not in allowed:
            raise ScenarioError(f"{name} = {shown(value)} must be one of {', '.join(allowed)}.")
        return str(value)

    def _list(self, name: str, value: Any, default: tuple[Any, ...]) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            raise ScenarioError(f"{name} = {shown(value)} must be a list of values, such as {list(default)}.")
        if not value:
            raise ScenarioError(f"{name} is empty; give at least one value, such as {list(default)}.")
        if self.most is not None and len(value) > self.most:
            raise ScenarioError(f"{name} has {len(value)} entries and must have at most {self.most}; leave some out.")
        if isinstance(default[0], str):
            items: tuple[Any, ...] = tuple(self._choice(name, item) for item in value)
        else:
            items = tuple(self._number(name, item, default[0]) for item in value)
        for i, item in enumerate(items):
            if item in items[:i]:
                raise ScenarioError(
                    f"{name} has {shown(item)} more than once; give each value once (at most {self.most})."
                )
        return items

    def _number(self, name: str, value: Any, default: Any) -> int | float:
        plain = value if isinstance(value, (int, float)) and not isinstance(value, bool) else _plain_number(value)
        if plain is None:
            raise ScenarioError(f"{name} = {shown(str(value))} must be a number {self._between()}.")
        try:
            value = float(plain)
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            raise ScenarioError(f"{name} = {value} must be finite, {self._between()}.")
        number: int | float = value + 0.0  # −0.0 becomes 0.0: equal scenarios have equal digests
        if isinstance(default, int):
            if number != int(number):
                raise ScenarioError(f"{name} = {number:.12g} must be a whole number {self._between()}; round it.")
            number = int(number)
        if (self.lo is not None and number < self.lo) or (self.hi is not None and number > self.hi):
            unit = f" {self.unit}" if self.unit else ""
            raise ScenarioError(
                f"{name} = {number:.12g} lies outside [{self.lo:g}, {self.hi:g}]{unit}; "
                f"choose a value between {self.lo:g} and {self.hi:g}."
            )
        return number

    def _between(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return f"between {self.lo:g} and {self.hi:g}{unit}"


def _plain_number(value: Any) -> int | float | None:
    """A numpy scalar as a Python number; None for everything that is not a number."""
    item = getattr(value, "item", None)
    if item is None or isinstance(value, (bool, str, bytes)):
        return None
    try:
        plain = item()
    except (TypeError, ValueError):  # an array of several values
        return None
    return plain if isinstance(plain, (int, float)) and not isinstance(plain, bool) else None


def quantity(
    default: Any,
    unit: str,
    symbol: str,
    doc: str,
    ref: str,
    origin: Origin = "ours",
    *,
    lo: float | None = None,
    hi: float | None = None,
    step: float | None = None,
    choices: tuple[str, ...] | None = None,
    most: int | None = None,
    affects: Affects | None = None,
    neutral: bool = False,
    own: Callable[[str, Any], str] | None = None,
) -> Any:
    """A dataclass field with its default and its Quantity."""
    meta = Quantity(unit, symbol, doc, ref, origin, lo, hi, step, choices, most, affects, neutral, own)
    return dataclasses.field(default=default, metadata={"quantity": meta})
