"""What a move of a control was, and what it changed: two pictures in, sentences out."""

from __future__ import annotations

import dataclasses
from typing import Any

from app.picture import Inputs, Picture
from app.state import FIELDS, STATE, metadata_of
from core.instant import changed, compared
from core.instant.takeoff import FLOWN
from core.numerals import numeral, readable
from core.scenario.plain_numbers import number_text

NAMED = 3
"""Moved controls that are named; more are counted."""
PINNED_NAMED = 4
"""Settings of a pinned picture that are named, besides its UAV and cycle."""
PLACE = ("policy", "seed", "cycle")
"""Controls that lead to another instant; the UAV does too, and may be the page's choice."""


def moved(before: Picture, after: Picture) -> dict[str, str]:
    """Controls that differ at one instant, by name, as "symbol old → new"."""
    return {name: _arrow(name, before, after) for name in _differing(before, after)}


def continued(last: Picture | None, now: Picture, resting: bool) -> Picture:
    """A new picture with the one before the move that led to it.

    Args:
        last: on the screen until now.
        now: the new one.
        resting: whether the controls had been let go in between, so that the same one moved again is another move.
    """
    if last is None or not now.same_instant(last):
        return now
    causes, before = moved(last, now), last.before
    if causes and (before is None or resting or not causes.keys() <= moved(before, last).keys()):
        before = alone(last)
    since = moved(before, now) if before is not None else {}
    if before is None or not since:
        return now
    key = now.focus.wanted
    if key and (before.focus.held is None or before.focus.held.key != key):  # another action was picked since
        before = dataclasses.replace(before, focus=before.focus.hold(key))
    return dataclasses.replace(now, before=before, move=_listed(list(since.values()), NAMED))


def alone(picture: Picture) -> Picture:
    """The picture without those it is compared with, so that it keeps no others alive."""
    return dataclasses.replace(picture, before=None, move="", pinned=None)


def what_changed(picture: Picture) -> str:
    """Cause and effect in one paragraph: what moved, and what that did; "" before the first move, or pin."""
    if picture.pinned is not None:
        return since_the_pin(picture.pinned, picture)
    before = picture.before
    if before is None:
        return ""
    effects = [str(changed(before.focus, picture.focus)), _counted(before, picture)]
    return f"{picture.move}: " + " ".join(text for text in effects if text)


def since_the_pin(pinned: Picture, now: Picture) -> str:
    """How this picture differs from the pinned one, in what was set and in what came of it."""
    names = _differing(pinned, now, place=True)
    causes = [_arrow(name, pinned, now) for name in names] + _other_course(pinned, now, names)
    if not causes:
        picked = (pinned.focus.held and pinned.focus.held.key) != (now.focus.held and now.focus.held.key)
        if not picked:
            return "Pinned: this is the pinned picture. Move anything, and this line compares with it."
        causes.append("another action in focus")
    effects = [str(compared(pinned.focus, now.focus)), _counted(pinned, now)]
    return f"Since the pin ({_listed(causes, NAMED)}): " + " ".join(text for text in effects if text)


def ghost_name(picture: Picture) -> str:
    """What the faint picture is: "before β 0.05 → 0.1", or "pinned: β 0.05, UAV 17, cycle 22"; "" without one."""
    if picture.pinned is None:
        return f"before {picture.move}" if picture.before is not None else ""
    return f"pinned: {settings_named(picture.pinned, picture)}"


def settings_named(pinned: Picture, now: Picture) -> str:
    """A pinned picture by what it has other than this one, its UAV and its cycle."""
    names = _differing(pinned, now, place=True)
    named = [_setting(name, pinned) for name in names if name not in ("uav", "cycle")]
    place = [f"UAV {pinned.focus.uav}", f"cycle {pinned.instant.cycle}", *_other_course(pinned, now, names)]
    return ", ".join([*([_listed(named, PINNED_NAMED)] if named else []), *place])


def text_of(value: Any) -> str:
    """A control's value for a reader."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (int, float)):
        return readable(number_text(value) if isinstance(value, float) else str(value))
    return ", ".join(map(text_of, value)) if isinstance(value, tuple) else str(value)


def _counted(before: Picture, after: Picture) -> str:
    """What changed about how many actions and loops there are."""
    counts = {
        name: (before.focus.counts[key], after.focus.counts[key])
        for key, name in (("admitted", "admitted actions"), ("frontier", "frontier points"))
    }
    served = tuple(int((p.instant.allocation.choice >= 0).sum()) for p in (before, after))
    counts["served loops"] = (served[0], served[1])
    text = "; ".join(f"{name} {old} → {new}" for name, (old, new) in counts.items() if old != new)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _differing(before: Picture, after: Picture, *, place: bool = False) -> list[str]:
    """Names of the controls that differ; with those that lead to another instant if asked for."""
    changed = before.inputs.scenario.differences(after.inputs.scenario)
    fields = [name for name, dotted in FIELDS.items() if dotted in changed]
    names = (*STATE, *((*PLACE, "uav") if place else ()))
    return [*fields, *(name for name in names if _value(before, name) != _value(after, name))]


def _other_course(pinned: Picture, now: Picture, names: list[str]) -> list[str]:
    """Words for flights that differ although nothing that is named decides them: take-off or changes on the way."""
    decided = any(name in ("policy", "seed") or FIELDS.get(name) in FLOWN for name in names)
    return ["another course of the flight"] if pinned.flight.key != now.flight.key and not decided else []


def _listed(causes: list[str], most: int) -> str:
    more = len(causes) - most
    return ", ".join(causes[:most]) + (f" and {more} more" if more > 0 else "")


def _value(picture: Picture, name: str) -> Any:
    inputs: Inputs = picture.inputs
    if name == "uav":
        return picture.focus.uav
    if name == "cycle":
        return picture.instant.cycle
    return inputs.scenario.value(FIELDS[name]) if name in FIELDS else getattr(inputs, name)


def _symbol(name: str) -> str:
    return {"uav": "UAV", "cycle": "cycle"}.get(name) or metadata_of(name).symbol


def _arrow(name: str, before: Picture, after: Picture) -> str:
    return f"{_symbol(name)} {_shown(before, name)} → {_shown(after, name)}"


def _setting(name: str, picture: Picture) -> str:
    unit = metadata_of(name).unit if name not in PLACE else ""
    return f"{_symbol(name)} {_shown(picture, name)}" + (f" {unit}" if unit else "")


def _shown(picture: Picture, name: str) -> str:
    value = _value(picture, name)
    return f"{numeral(picture.focus.flown[name], '.3g')} (as flown)" if value is None else text_of(value)
