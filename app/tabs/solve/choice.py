"""What may be varied on the page, which of it moved last, and whether two pictures ask the same question."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from app.components.controls import FIRST
from app.moves import moved
from app.picture import Inputs, Picture
from app.state import FIELDS, STATE, metadata_of
from core.instant import FlightKey, varied
from core.scenario import Scenario, field_names

_PLAIN = Scenario()


def names() -> list[str]:
    """Controls that can be varied, those in view first."""
    known = [name.rpartition(".")[2] for name in varied()]
    return [*(name for name in FIRST if name in known), *(name for name in known if name not in FIRST)]


def field_of(control: str) -> str:
    """What `core.instant.solve` calls a control."""
    return FIELDS.get(control, control)


def options() -> dict[str, str]:
    """Labels and controls to choose from: symbol, unit and what it is."""
    found = {}
    for name in names():
        meta = metadata_of(name)
        unit = f" [{meta.unit}]" if meta.unit else ""
        found[f"{meta.symbol}{unit}: {_first(meta.doc)}"] = name
    return found


def more_about(control: str) -> str:
    """What its label in `options` leaves out; "" when that says it all."""
    doc = metadata_of(control).doc
    rest = doc.removeprefix(_first(doc)).lstrip(".;: ")
    return rest[:1].upper() + rest[1:] if rest[:1].isascii() else rest  # a symbol keeps its case


def _first(doc: str) -> str:
    """What a quantity is, up to the first stop."""
    return re.split("[.;:]", doc, maxsplit=1)[0]


def moved_last(picture: Picture) -> str:
    """The control of the last move at this instant that can be varied; "" = there is none."""
    made = moved(picture.before, picture) if picture.before is not None else {}
    own = picture.flight.key.policy.view_changes
    return next((name for name in made if field_of(name) in varied() and field_of(name) not in own), "")


Question = tuple[FlightKey, Inputs, tuple[Any, ...]]
"""The flight, inputs whose scenario says nothing, and the values of a scenario's fields but one."""


def question(picture: Picture, control: str) -> Question:
    """What the curves depend on: the inputs without the quantity that is varied."""
    inputs, focus = picture.inputs, picture.focus
    held = focus.held.key if focus.held is not None else focus.wanted
    asked = dataclasses.replace(inputs, action=held, focus=focus.uav, hold=True)
    unset: dict[str, Any] = {control: None} if control in STATE else {}
    fields = (inputs.scenario.value(name) for name in field_names() if name != field_of(control))
    return picture.flight.key, dataclasses.replace(asked, scenario=_PLAIN, **unset), tuple(fields)
