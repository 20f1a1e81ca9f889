"""The advice in a refusal, read as a person would: which fields to change, and to what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from core.scenario import Scenario, quantity_of

FIELD = r"([a-z]+\.[A-Za-z]\w*)\b"
TO = re.compile(rf"(?:raise|lower|set) {FIELD} to (?:at least )?(-?[0-9.]*[0-9])")
SWITCH = re.compile(rf"switch {FIELD} (on|off)")
TOWARDS = re.compile(rf"(raise|lower) {FIELD}(?! to)(?: or {FIELD})?")
BETWEEN = re.compile(rf"^{FIELD} = .* (?:between|from) (-?[0-9.e+-]*[0-9]) (?:and|to) (-?[0-9.e+-]*[0-9])")
MOST_SLOTS = re.compile(r"use at most (\d+) slots")
BEYOND = re.compile(r"must be beyond ±([0-9.]*[0-9]) m")
TRIED = 25
"""Values tried in a direction that the advice names without a number."""


def remedies(message: str, scenario: Scenario) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Each alternative that the message offers, in words, with the changes that would follow it: one of them must help.

    Args:
        message: the refusal.
        scenario: a valid one, for the types of the fields.
    """
    for part in re.split(r"; | or (?=raise|lower|switch|set)", message):
        made: dict[str, Any] = {name: _typed(scenario, name, value) for name, value in TO.findall(part)}
        made |= {name: way == "on" for name, way in SWITCH.findall(part)}
        if made:
            yield part, [made]
    for way, *names in TOWARDS.findall(message):
        for name in filter(None, names):
            yield f"{way} {name}", [{name: value} for value in _towards(name, way, scenario)]
    if found := BETWEEN.search(message):
        yield "between", [{found[1]: _typed(scenario, found[1], end)} for end in found.groups()[1:]]
    if found := MOST_SLOTS.search(message):
        yield "slots", [{"network.slots": int(found[1])}]
    if found := BEYOND.search(message):
        far = float(found[1]) * 1.001 + 0.001
        yield "move", [{"network.gcs_x_m": -far}]
        yield "move", [{"network.gcs_y_m": far}]


def _typed(scenario: Scenario, name: str, text: str) -> Any:
    return int(float(text)) if isinstance(scenario.value(name), int) else float(text)


def _towards(name: str, way: str, scenario: Scenario) -> list[Any]:
    meta = quantity_of(name)
    values = np.linspace(meta.lo, meta.hi, TRIED)
    whole = isinstance(scenario.value(name), int)
    return list(dict.fromkeys(round(v) if whole else float(v) for v in values))[:: 1 if way == "lower" else -1]
