"""One varied field of a study: its name and its values, read from `network.slots=100:200:10`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from core.errors import ScenarioError, StudyError
from core.scenario import Scenario, quantity_of
from core.scenario.plain_numbers import plain_number
from core.scenario.quantity import shown

Value = int | float | str | bool

MAX_VALUES = 2000
"""A single axis with more values is a typing error, not a study."""


@dataclass(frozen=True)
class Axis:
    """A scenario field and the values it takes, checked against the field's own bounds.

    Args:
        name: dotted name of the scenario field.
        values: values in the order given, in the field's type [unit of the field].
    """

    name: str
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", checked_values(self.name, self.values))

    @property
    def unit(self) -> str:
        """Unit of the field, "" when it has none."""
        return quantity_of(self.name).unit

    @property
    def numeric(self) -> bool:
        """Whether the values can be drawn along a number line."""
        return all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in self.values)

    def text(self) -> str:
        """The axis as the command line spells it."""
        return f"{self.name}={','.join(spelled(v) for v in self.values)}"


def parse_axis(text: str) -> Axis:
    """An axis from `name=lo:hi:step`, `name=a,b,c` or a mixture; both ends of a range belong to it.

    The step may be left out; the field's slider step is then used. Ranges are counted in decimal, so that
    `0.1:0.3:0.1` ends at 0.3 exactly.
    """
    name, equals, spec = text.partition("=")
    name = name.strip()
    if not equals:
        raise StudyError(f"{text!r} has no '='; write it like network.slots=100:200:10 or twin.beta=0.01,0.05.")
    known_field(name)
    values: list[Value] = []
    parts = spec.split(",")
    if len(parts) > MAX_VALUES:
        raise StudyError(f"{name} has {len(parts)} values; at most {MAX_VALUES}. Use a larger step.")
    for part in parts:
        part = part.strip()
        if not part:
            raise StudyError(f"{name} has an empty value in {spec!r}; write it like {name}=1,2,3 or {name}=1:3:1.")
        values.extend(_range(name, part) if ":" in part else [_scalar(name, part)])
    return Axis(name, tuple(values))


def spelled(value: Value) -> str:
    """A value as the command line and file names spell it: true, 0.05, 120, paper."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def checked_values(name: str, values: Iterable[object]) -> tuple[Value, ...]:
    """The values in the field's type; StudyError when one is out of bounds, repeated or missing."""
    known_field(name)
    default = Scenario().value(name)
    if isinstance(default, tuple):
        raise StudyError(f"{name} holds a list; a study varies single values. Set it in the scenario file instead.")
    found: dict[Value, None] = {}
    for value in values:
        if len(found) >= MAX_VALUES:
            raise StudyError(f"{name} has more than {MAX_VALUES} values. Use a larger step.")
        try:
            good: Value = quantity_of(name).check(name, value, default)
        except ScenarioError as error:
            raise StudyError(str(error)) from error
        if good in found:
            raise StudyError(f"{name} has the value {spelled(good)} twice; give each value once.")
        found[good] = None
    if not found:
        raise StudyError(f"{name} has no value; give at least one, such as {name}={spelled(default)}.")
    return tuple(found)


def known_field(name: str) -> None:
    """StudyError with the nearest name unless the scenario has this field."""
    try:
        quantity_of(name)
    except ScenarioError as error:
        raise StudyError(str(error)) from error


def _scalar(name: str, text: str) -> Value:
    default = Scenario().value(name)
    if isinstance(default, bool):
        if text.lower() not in ("true", "false"):
            raise StudyError(f"{name} = {text!r} must be true or false.")
        return text.lower() == "true"
    if isinstance(default, (int, float)):
        number = _decimal(name, text)
        return int(number) if number == number.to_integral_value() and isinstance(default, int) else float(number)
    return text


def _range(name: str, text: str) -> list[Value]:
    default = Scenario().value(name)
    if isinstance(default, (bool, str, tuple)):
        raise StudyError(f"{name} is not a number, so {text!r} cannot be a range; list its values with commas.")
    ends = text.split(":")
    if len(ends) not in (2, 3):
        raise StudyError(f"{name}: {text!r} is not a range; write lo:hi:step.")
    lo, hi = _decimal(name, ends[0]), _decimal(name, ends[1])
    step = _decimal(name, ends[2]) if len(ends) == 3 else Decimal(str(quantity_of(name).step))
    if step <= 0:
        raise StudyError(f"{name}: the step of {text!r} must be positive.")
    if hi < lo:
        raise StudyError(f"{name}: the range {text!r} is reversed; write {ends[1]}:{ends[0]}:{step}.")
    if (hi - lo) / step >= MAX_VALUES:
        raise StudyError(f"{name}: {text!r} has more than {MAX_VALUES} values; use a larger step.")
    count = int((hi - lo) / step)
    numbers = [lo + i * step for i in range(count + 1)]
    whole = isinstance(default, int)
    return [int(x) if whole and x == x.to_integral_value() else float(x) for x in numbers]


def _decimal(name: str, text: str) -> Decimal:
    try:
        number = plain_number(text)
    except ValueError as error:
        raise StudyError(
            f"{name}: {shown(text)} is not a plain number of a size that a field could have; write it like 120 or 0.05."
        ) from error
    if number and not Decimal("1e-12") <= abs(number) <= Decimal("1e12"):
        raise StudyError(f"{name} = {text} is far outside anything this field can take.")
    return number
