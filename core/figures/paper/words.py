"""What a caption says of the settings: where it was flown, what differs from the default, what was asked beyond it."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from core.instant import Flight, Focus, Instant
from core.numerals import numeral, readable
from core.scenario import Scenario, quantity_of
from core.scenario.plain_numbers import number_text

DEFAULT = "the paper's Table I"
"""What a scenario without a change is."""


def value_words(name: str, value: Any) -> str:
    """A field as a caption writes it: symbol, value and unit, and the field's name."""
    quantity = quantity_of(name)
    text = ", ".join(map(_plain, value)) if isinstance(value, tuple) else _plain(value)
    unit = f" {quantity.unit}" if quantity.unit else ""
    return f"{quantity.symbol} = {text}{unit} ({name})"


def changes_words(changes: Mapping[str, Any]) -> str:
    """Several fields, one after the other."""
    return ", ".join(value_words(name, value) for name, value in changes.items())


def settings_words(scenario: Scenario, besides: Container[str] = ()) -> str:
    """The settings in words: what differs from the default.

    Args:
        scenario: whose.
        besides: dotted names of fields that are left out, such as those that a study varies.
    """
    changed = changes_words({name: value for name, value in scenario.differences().items() if name not in besides})
    return f"{DEFAULT} with {changed}" if changed else DEFAULT


def flight_words(flight: Flight, policies: str = "") -> str:
    """A flight in words: policy, seed, settings at take-off, and what changed on the way.

    Args:
        flight: which.
        policies: named in place of its policy.
    """
    said = f"{policies or flight.key.policy.name}, seed {flight.key.seed}, flown at {settings_words(flight.scenario)}"
    before = flight.scenario
    for change in flight.key.changes:
        said += f"; from cycle {change.cycle} on {changes_words(change.scenario.differences(before))}"
        before = change.scenario
    return said


def instant_words(instant: Instant) -> str:
    """An instant in words: cycle, flight, and what is asked of it that was not flown."""
    said = f"Cycle {instant.cycle} of a flight of {flight_words(instant.flight)}."
    if asked := instant.scenario.differences(instant.flight.seen_at(instant.cycle)):
        said += f" Asked at this cycle only: {changes_words(asked)}."
    replaced = {"V": "m²", "tr_sigma": "m²", "c": "cycles", "c_fail": "failures"}
    moved = [(n, u, v) for n, u in replaced.items() if (v := getattr(instant, n)) is not None]
    if moved and instant.focus is not None:
        symbol = {"tr_sigma": "tr Σ"}
        state = ", ".join(f"{symbol.get(name, name)} = {numeral(value, '.4g')} {unit}" for name, unit, value in moved)
        said += f" State of UAV {instant.focus + 1} that was not flown: {state}."
    return said


def focus_words(focus: Focus) -> str:
    """The loop and the action in focus, in words, and where."""
    held = focus.held
    action = f" Action in focus: {held.slots} slots, {focus.verdict}." if held is not None else ""
    return f"{instant_words(focus.instant)}{action}"


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (int, float)):
        return readable(number_text(value) if isinstance(value, float) else str(value))
    return str(value)
