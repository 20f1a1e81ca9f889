"""What every scenario field carries besides its value: unit, bounds, step, symbol, meaning, origin."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Literal

from core.errors import ScenarioError

Origin = Literal["paper", "ours"]


@dataclass(frozen=True)
class Quantity:
    """Metadata of one scenario field, the only place where its bounds and its help text are written.

    Args:
        unit: unit of the value, "" when it has none.
        symbol: the paper's symbol, or the nearest readable one.
        doc: one sentence for a person who has not read the paper.
        ref: equation label of the paper or decision number (D1–D20) or "Table I".
        origin: "paper" when the default is printed in the paper, "ours" when we chose it.
        lo, hi: inclusive bounds of a number (or of every element of a tuple).
        step: slider step; also the rounding of shared links.
        choices: allowed values of an enumerated field.
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

    def check(self, name: str, value: Any, default: Any) -> Any:
        """Return the value in the default's type, or raise ScenarioError saying what to change."""
        if isinstance(default, bool):
            if not isinstance(value, bool):
                raise ScenarioError(f"{name} = {value!r} must be true or false.")
            return value
        if isinstance(default, str):
            if value not in (self.choices or ()):
                raise ScenarioError(f"{name} = {value!r} must be one of {', '.join(self.choices or ())}.")
            return value
        if isinstance(default, tuple):
            if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
                raise ScenarioError(f"{name} = {value!r} must be a list of values, such as {list(default)}.")
            items = tuple(value)
            if not items:
                raise ScenarioError(f"{name} is empty; give at least one value, such as {list(default)}.")
            if isinstance(default[0], str):
                for item in items:
                    if item not in (self.choices or ()):
                        raise ScenarioError(f"{name} has {item!r}; allowed: {', '.join(self.choices or ())}.")
                return items
            return tuple(self._number(name, item, default[0]) for item in items)
        return self._number(name, value, default)

    def _number(self, name: str, value: Any, default: Any) -> int | float:
        plain = value if isinstance(value, (int, float)) and not isinstance(value, bool) else _plain_number(value)
        if plain is None:
            raise ScenarioError(
                f"{name} = {str(value)[:40]!r} must be a number between {self.lo:g} and {self.hi:g}{self._unit()}."
            )
        try:
            value = float(plain)
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            raise ScenarioError(f"{name} = {value} must be finite, between {self.lo:g} and {self.hi:g}{self._unit()}.")
        number: int | float = float(value)
        if isinstance(default, int):
            if number != int(number):
                raise ScenarioError(f"{name} = {number:g} must be a whole number{self._unit()}.")
            number = int(number)
        if (self.lo is not None and number < self.lo) or (self.hi is not None and number > self.hi):
            raise ScenarioError(
                f"{name} = {number:g} lies outside [{self.lo:g}, {self.hi:g}]{self._unit()}; "
                f"choose a value between {self.lo:g} and {self.hi:g}."
            )
        return number

    def _unit(self) -> str:
        return f" {self.unit}" if self.unit else ""


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
) -> Any:
    """A dataclass field with its default and its Quantity."""
    meta = Quantity(unit, symbol, doc, ref, origin, lo, hi, step, choices)
    return dataclasses.field(default=default, metadata={"quantity": meta})
