"""Share links and "copy as Python": the state as a query string or as code, and back, one value at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlencode

from app.state import CONTROLS, FIELDS, State, checked, default_of
from core.errors import ScenarioError
from core.scenario import Scenario
from core.scenario.scenario import MAX_YAML_BYTES

MAX_ARGUMENTS = 200
MAX_LENGTH = 400


def query_of(state: State, *, tab: bool = True) -> str:
    """Query string with every control that differs from its default, plus the focused action and the tab."""
    pairs = [(name, _text(value)) for name, value in state.changes().items()]
    if state.action:
        pairs.append(("action", state.action))
    if tab and state.tab:
        pairs.append(("tab", str(state.tab)))
    return "?" + urlencode(pairs, safe=",") if pairs else ""


def parse_query(text: str) -> dict[str, list[str]]:
    """Arguments of a query string as a browser would send them."""
    return parse_qs(text.removeprefix("?"), keep_blank_values=True, max_num_fields=10 * MAX_ARGUMENTS)


def read_query(state: State, arguments: Mapping[str, list[bytes] | list[str]]) -> list[str]:
    """Set the state from link arguments, keep every good value, and return one plain sentence per bad one."""
    good: dict[str, Any] = {}
    complaints: list[str] = []
    for key, raw in list(arguments.items())[:MAX_ARGUMENTS]:
        values = [_decoded(value) for value in raw]
        if key in ("tab", "action"):
            complaints += _set_plain(state, key, values)
            continue
        if key not in CONTROLS:
            complaints.append(f"“{plain(key)}” is not a control and was ignored.")
            continue
        if len(values) > 1:
            complaints.append(f"{key} was given {len(values)} times; the first good value was used.")
        problem = ""
        for value in values:
            try:
                good[key] = checked(key, _parsed(key, value))
                break
            except (ScenarioError, ValueError, OverflowError):
                problem = f"{key} = “{plain(value)}” is not usable; the default {_text(default_of(key))} was kept."
        if key not in good and problem:
            complaints.append(problem)
    if len(arguments) > MAX_ARGUMENTS:
        complaints.append(f"Only the first {MAX_ARGUMENTS} values of the link were read.")
    return complaints + _apply_good(state, good)


def python_of(state: State) -> str:
    """Lines that reproduce the current view in a notebook."""
    scenario = {FIELDS[n]: v for n, v in state.changes().items() if n in FIELDS}
    view = {n: v for n, v in state.changes().items() if n not in FIELDS}
    if state.action:
        view["action"] = state.action
    lines = [
        "from app.picture import compute",
        "from app.state import State",
        "from core import Scenario",
        "from core.control import ControlModel",
        "from core.instant import Flight, interesting_loop, takeoff",
        "",
        f"scenario = Scenario().replace(**{scenario!r})" if scenario else "scenario = Scenario()",
        "model = ControlModel.of(scenario)",
        f"flight = Flight.of(takeoff(scenario), policy='SAFE', seed={state.seed})    # the run behind tabs 1 to 3",
        f"focus = {_focus(state)}",
        f"instant = flight.instant({state.cycle}).replace(scenario=scenario, focus=focus{_moved(state)})",
        "print(instant.states.V / model.V_max)      # every loop as flown, but for what was moved",
        "print(instant.allocation.choice)           # whom the frame serves",
        "",
        "state = State()                            # the same as the page shows it",
        "state.load(scenario)",
    ]
    if view:
        lines.append(f"state.param.update({', '.join(f'{k}={v!r}' for k, v in view.items())})")
    lines += [
        "picture = compute(state)",
        "print(picture.chain)                       # SNR → ε → ρ → g → ᾱ → Φ → verdict",
        "",
        "from core.simulation import simulate",
        f"run = simulate(scenario, policy={state.policies[0]!r}, seed={state.seed})",
        "print(run.summary())",
    ]
    return "\n".join(lines) + "\n"


def _focus(state: State) -> str:
    ours = not 1 <= state.focus <= state.scenario.mission.uavs
    return f"interesting_loop(flight, {state.cycle})" if ours else f"{state.focus - 1}      # loops count from 0"


def _moved(state: State) -> str:
    """What replaces the focused loop's flown state, as arguments."""
    domain = "model.sigma_min + {} * (model.sigma_max - model.sigma_min)"
    texts = {"v_ratio": "V={} * model.V_max", "sigma_share": f"tr_sigma={domain}", "c": "c={}", "c_fail": "c_fail={}"}
    changes = state.changes()
    return "".join(f", {text.format(changes[n])}" for n, text in texts.items() if n in changes)


def plain(text: Any, length: int = 40) -> str:
    """Outside text reduced to harmless characters, so that no pane or notification can run it."""
    clean = re.sub(r"[^\w .,+\-]", "·", str(text))
    return clean[:length] + ("…" if len(clean) > length else "")


def _apply_good(state: State, good: dict[str, Any]) -> list[str]:
    try:
        state.apply(good)
        return []
    except ScenarioError:
        pass
    complaints: dict[str, str] = {}
    kept: dict[str, Any] = {}
    for _ in range(2):  # a second pass takes values that only fit once another one is in
        for name, value in good.items():
            if name in kept:
                continue
            try:
                state.with_values({n: v for n, v in {**kept, name: value}.items() if n in FIELDS})
                kept[name] = value
                complaints.pop(name, None)
            except ScenarioError as error:
                complaints[name] = f"{name} = {_text(value)} does not fit the rest: {error}"
    state.apply(kept)
    return list(complaints.values())


def _set_plain(state: State, key: str, values: list[str]) -> list[str]:
    try:
        setattr(state, key, int(_number(values[0])) if key == "tab" else values[0])
    except (ValueError, IndexError, TypeError):
        return [f"{key} = “{plain(values[0] if values else '')}” is not usable and was ignored."]
    return []


def _decoded(value: bytes | str) -> str:
    return value.decode("utf-8", errors="replace") if isinstance(value, bytes) else str(value)


def _parsed(name: str, text: str) -> Any:
    """Text of a link in the control's type; raises ValueError when it does not read as one."""
    if len(text) > MAX_LENGTH:
        raise ValueError("too long")
    default = default_of(name)
    text = text.strip()
    if isinstance(default, bool):
        return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text)
    if isinstance(default, tuple):
        items = [item.strip() for item in text.split(",") if item.strip()]
        return tuple(items) if isinstance(default[0], str) else tuple(_number(item) for item in items)
    return text if isinstance(default, str) else _number(text)


def _number(text: str) -> float:
    if not re.fullmatch(r"[+-]?([0-9]{1,12}(\.[0-9]{0,12})?|\.[0-9]{1,12})([eE][+-]?[0-9]{1,2})?", text):
        raise ValueError(f"{text!r} is not a plain number")
    return float(text)


def _text(value: Any) -> str:
    if value is None:
        return "(as flown)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(_text(item) for item in value)
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def scenario_from_upload(data: bytes) -> Scenario:
    """The scenario in an uploaded file, after checks of size, encoding and content."""
    if len(data) > MAX_YAML_BYTES:
        raise ScenarioError(f"The file has {len(data)} bytes; a scenario has at most {MAX_YAML_BYTES}.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ScenarioError("The file is not UTF-8 text; upload a scenario in YAML.") from error
    return Scenario.from_yaml(text + "\n")
