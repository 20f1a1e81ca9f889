"""Share links: the state as a query string and back. Values are read one by one, and put together all at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, urlencode

from app.link_values import parsed_value, plain, usable, value_text
from app.state import CONTROLS, FIELDS, State, checked, default_of
from core.errors import OwnFileError, SafeExplorerError, ScenarioError
from core.files.store import is_stored_name
from core.instant.takeoff import FLOWN, Settings
from core.scenario import Scenario
from core.scenario.scenario import MAX_YAML_BYTES

MAX_ARGUMENTS = 200
MAX_COURSE = 6000
MAX_PIN = 8000
NOT_PINNED = ("policies", "hold")
"""Controls that a pinned picture does not depend on."""

FIRST_TAB = State.param.tab.default
NUMBERED_TABS = ("boundary", "frontier", "allocation", "flight", "claims", "whatif", "reproduction")
"""What a number means as `tab` in a link, whatever the order of the tabs is."""


def query_of(state: State, *, tab: bool = True) -> str:
    """Query string with all that differs from its default: controls, course of the flight, action held, pin, tab."""
    return query_from(pairs_of(state, tab=tab))


def query_from(pairs: Iterable[tuple[str, str]]) -> str:
    """Query string of names and texts; "" without any."""
    text = _encoded(pairs)
    return f"?{text}" if text else ""


def pairs_of(state: State, *, tab: bool = True) -> list[tuple[str, str]]:
    """Names and texts of a link: controls that are not at their default, course of the flight, action held, pin, tab."""
    pairs = [(name, value_text(value)) for name, value in state.differences().items()]
    if state.takeoff:
        pairs.append(("flown", _settings_text(state.takeoff)))
    if state.changes:
        pairs.append(("changed", ";".join(f"{k}~{_settings_text(made)}" for k, made in state.changes)))
    pairs += [(name, text) for name in ("action", "pin") if (text := getattr(state, name))]
    if tab and state.tab != FIRST_TAB:
        pairs.append(("tab", state.tab))
    return pairs


def pin_of(state: State, **instead: str) -> str:
    """The settings as the `pin` of a link; the cycle is always named, so that it is never empty.

    Args:
        state: whose settings.
        instead: texts that take the place of its own, such as the UAV that the page picked.
    """
    pairs = {"cycle": value_text(state.cycle)} | dict(pairs_of(state)) | instead
    order = [name for name in (*CONTROLS, "flown", "changed", "action") if name not in NOT_PINNED]
    return _encoded((name, pairs[name]) for name in order if pairs.get(name))


def pinned_state(pin: str) -> State:
    """The settings that a pin names, everything else at its default."""
    found = State()
    read_query(found, parse_query(pin))
    return found


def _encoded(pairs: Iterable[tuple[str, str]]) -> str:
    return urlencode(list(pairs), safe=",:~;/")


def moved_since(state: State, start: State) -> list[tuple[str, str]]:
    """What a link must add to another one's: name and text of everything that differs and that a link can say; not the tab."""
    now, then = (dict(pairs_of(each, tab=False)) for each in (state, start))
    gone = [name for name in then.keys() - now.keys() if name in CONTROLS and default_of(name) is not None]
    back = {name: value_text(default_of(name)) for name in gone}
    return [(name, text) for name, text in (now | back).items() if then.get(name) != text]


def _settings_text(settings: Settings) -> str:
    """Such as "snr_offset_db:3,slots:140"; entries of a list are joined by a slash."""
    return ",".join(f"{name.rpartition('.')[2]}:{value_text(value).replace(',', '/')}" for name, value in settings)


def parse_query(text: str) -> dict[str, list[str]]:
    """Arguments of a query string as a browser would send them."""
    return parse_qs(text.removeprefix("?"), keep_blank_values=True, max_num_fields=10 * MAX_ARGUMENTS)


def read_query(state: State, arguments: Mapping[str, list[bytes] | list[str]]) -> list[str]:
    """Set the state from link arguments, keep every good value, and return one plain sentence per bad one."""
    good: dict[str, Any] = {}
    complaints: list[str] = []
    plain_keys: dict[str, list[str]] = {}
    for key, raw in list(arguments.items())[:MAX_ARGUMENTS]:
        values = [_decoded(value) for value in raw]
        if key in ("tab", "action", "flown", "changed", "pin"):
            plain_keys[key] = values
            continue
        if key not in CONTROLS:
            complaints.append(f"“{plain(key)}” is not a control and was ignored.")
            continue
        if len(values) > 1:
            complaints.append(f"{key} was given {len(values)} times; the first good value was used.")
        problem = ""
        for value in values:
            try:
                good[key] = checked(key, parsed_value(key, value))
                break
            except (ScenarioError, ValueError, OverflowError) as error:
                default = value_text(default_of(key))
                problem = (
                    f"{key} = “{plain(value)}” is not usable; the default {default} was kept. Choose {usable(key)}."
                )
                if isinstance(error, OwnFileError) and is_stored_name(value):
                    problem = f"The link has a file that was left out. {error}"
        if key not in good and problem:
            complaints.append(problem)
    if len(arguments) > MAX_ARGUMENTS:
        complaints.append(f"Only the first {MAX_ARGUMENTS} values of the link were read.")
    complaints += _apply_good(state, good)
    course = {key: plain_keys.pop(key)[:1] for key in ("flown", "changed") if key in plain_keys}
    complaints += _fly(state, *("".join(course.get(key, [])) for key in ("flown", "changed")))
    complaints += _pin(state, "".join(plain_keys.pop("pin", [])[:1]))
    for key, values in plain_keys.items():
        complaints += _set_plain(state, key, values)
    return complaints


def _pin(state: State, text: str) -> list[str]:
    """Take what a link says of the pinned settings, read as a link of its own: what is good of it, and sentences about the rest."""
    if not text:
        return []
    if len(text) > MAX_PIN:
        return [f"What the link pins is longer than {MAX_PIN} characters and was ignored."]
    try:
        arguments = parse_query(text)
    except ValueError:
        return ["What the link pins has too many values and was ignored."]
    known = {n: v for n, v in arguments.items() if n in CONTROLS or n in ("action", "flown", "changed")}
    if not known:
        return [f"pin = “{plain(text)}” names no setting and was ignored."]
    found = State()
    complaints = [
        f"pin: {words}" for words in read_query(found, {n: v for n, v in known.items() if n not in NOT_PINNED})
    ]
    complaints += [f"pin: “{plain(name)}” cannot be pinned and was ignored." for name in arguments if name not in known]
    state.pin = pin_of(found)
    return complaints


def _fly(state: State, flown: str, changed: str) -> list[str]:
    """Take the course of the flight from a link: what is good of it, and sentences about the rest."""
    if len(flown) + len(changed) > MAX_COURSE:
        return [f"What the link says of the flight is longer than {MAX_COURSE} characters and was ignored."]
    takeoff, complaints = _settings("flown", flown)
    changes: list[tuple[int, Settings]] = []
    for text in changed.split(";") if changed else ():
        cycle, _, settings = text.partition("~")
        made, more = _settings("changed", settings)
        complaints += more
        if re.fullmatch(r"[0-9]{1,4}", cycle) and made:
            changes.append((int(cycle), made))
        elif not more:
            complaints.append(f"changed = “{plain(text)}” does not name a cycle and what changed then; it was ignored.")
    try:
        state.fly(takeoff)
    except SafeExplorerError as error:
        complaints.append(f"flown = “{plain(flown)}” does not fit the mission: {error}")
    for change in changes:
        try:
            state.fly(state.takeoff, (*state.changes, change))
        except SafeExplorerError as error:
            complaints.append(f"The change at cycle {change[0]} was ignored. {error}")
    return complaints


def _settings(key: str, text: str) -> tuple[Settings, list[str]]:
    found: dict[str, Any] = {}
    complaints = []
    for part in text.split(",") if text else ():
        name, _, value = part.partition(":")
        try:
            if FIELDS[name] in FLOWN:
                complaints.append(f"{name} in {key} belongs to the mission, so it is a value of its own in a link.")
                continue
            found[FIELDS[name]] = checked(name, parsed_value(name, value.replace("/", ",")))
        except (KeyError, ScenarioError, ValueError, OverflowError):
            complaints.append(f"“{plain(part)}” in {key} is not usable and was ignored.")
    return tuple((name, found[name]) for name in FIELDS.values() if name in found), complaints


def _apply_good(state: State, good: dict[str, Any]) -> list[str]:
    """Take all values together; where they do not fit together, as many as do, and a sentence about each of the others."""
    complaints: list[str] = []
    kept = next((found for found in _all_but_one(good) if not _refusal(state, found)), None)
    if kept is None:
        kept = {}
        before = -1
        while len(kept) > before:  # one that only fits once another is in is taken on the next round
            before = len(kept)
            for name, value in good.items():
                if name not in kept and not _refusal(state, {**kept, name: value}):
                    kept[name] = value
    for name, value in good.items():
        if name not in kept:
            refusal = _refusal(state, {**kept, name: value})
            complaints.append(f"{name} = {value_text(value)} does not fit the rest: {refusal}")
    state.apply(kept)
    return complaints


def _all_but_one(values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The values themselves, and then without one of them, those named last first."""
    yield values
    for name in reversed(values):
        yield {n: v for n, v in values.items() if n != name}


def _refusal(state: State, values: dict[str, Any]) -> str:
    """Empty, or why these values do not go together."""
    try:
        state.check(values)
    except ScenarioError as error:
        return str(error)
    return ""


def _set_plain(state: State, key: str, values: list[str]) -> list[str]:
    try:
        setattr(state, key, _tab_name(values[0]) if key == "tab" else values[0])
    except (ValueError, IndexError, TypeError):
        return [f"{key} = “{plain(values[0] if values else '')}” is not usable and was ignored."]
    return []


def _tab_name(text: str) -> str:
    return NUMBERED_TABS[int(text)] if re.fullmatch(r"[0-9]{1,2}", text) else text


def _decoded(value: bytes | str) -> str:
    return value.decode("utf-8", errors="replace") if isinstance(value, bytes) else str(value)


def scenario_from_upload(data: bytes) -> Scenario:
    """The scenario in an uploaded file, after checks of size, encoding and content."""
    if len(data) > MAX_YAML_BYTES:
        raise ScenarioError(f"The file has {len(data)} bytes; a scenario has at most {MAX_YAML_BYTES}.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ScenarioError("The file is not UTF-8 text; upload a scenario in YAML.") from error
    return Scenario.from_yaml(text + "\n")
