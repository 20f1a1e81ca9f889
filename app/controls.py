"""The sidebar: all controls in one light component, generated from the metadata of the fields."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from app.state import CONTROLS, FIELDS, State, decimals, default_of, metadata_of
from core.errors import ScenarioError
from core.scenario import Scenario

GROUPS: tuple[tuple[str, tuple[str, ...], bool], ...] = (
    ("Channel and twin", ("snr_offset_db", "beta", "delta_T", "H_T"), True),
    ("Controller state of the focused loop", ("v_ratio", "sigma_share", "c", "c_fail"), True),
    ("Frame and swarm", ("slots", "uavs", "tx_power_dbm", "focus", "cycle", "seed", "downlink"), True),
    ("Control law", ("Ts", "Q", "R", "H", "w_u", "w_d", "eta", "corridor_radius_m", "feed_forward"), False),
    ("Policies of the live run", ("policies",), False),
)
"""What the user asked for by name comes first; every other field follows in the groups of the scenario, closed."""

HEADER = ("formulation",)
"""Controls that have their own place at the top of the page."""


def groups() -> list[dict[str, Any]]:
    """Groups of controls as plain data for the browser."""
    named = {name for _, names, _ in GROUPS for name in names} | set(HEADER)
    found = [(title, names, opened) for title, names, opened in GROUPS]
    for group in ("control", "network", "twin", "allocation", "mission"):
        rest = tuple(leaf for leaf, field in FIELDS.items() if field.startswith(group + ".") and leaf not in named)
        if rest:
            found.append((f"More: {getattr(Scenario(), group).title.lower()}", rest, False))
    return [{"title": t, "open": o, "items": [_item(n) for n in names]} for t, names, o in found]


def _item(name: str) -> dict[str, Any]:
    default, meta = default_of(name), metadata_of(name)
    if isinstance(default, bool):
        kind = "switch"
    elif isinstance(default, tuple):
        kind = "many" if meta.choices else "list"
    elif isinstance(default, str):
        kind = "choice"
    else:
        kind = "range"
    return {
        "name": name,
        "kind": kind,
        "symbol": meta.symbol,
        "unit": meta.unit,
        "help": meta.doc,
        "ref": meta.ref,
        "origin": meta.origin,
        "lo": meta.lo,
        "hi": meta.hi,
        "step": meta.step,
        "digits": decimals(meta.step),
        "choices": list(meta.choices or ()),
        "default": list(default) if isinstance(default, tuple) else default,
    }


class Controls(JSComponent):
    """Sliders, switches and lists with unit, symbol, help and reset; `values` is what the browser shows."""

    groups = param.List(doc="Groups of controls: title, open, items.")
    values = param.Dict(doc="Value of every control, plain JSON.")
    notes = param.Dict(default={}, doc="A short remark beside a control, such as its value in m².")
    flown = param.Dict(default={}, doc="What controls show that are at rest and follow the flight.")

    address = param.String("", doc="Query string that reproduces the page; shown in the address bar.")

    # Panel would let every change wait 50 ms for more; the script already sends no more often than the eye can follow.
    _debounce: ClassVar[int] = 1

    _esm = Path(__file__).with_name("controls.js")
    _stylesheets: ClassVar[list[str]] = [Path(__file__).with_name("controls.css").read_text()]

    def __init__(self, state: State, complain: Any, **params: Any) -> None:
        self._state, self._complain, self._busy = state, complain, False
        super().__init__(groups=groups(), values=state.values(), **params)
        self.param.watch(self._from_browser, "values")
        state.param.watch(self._from_state, list(CONTROLS))

    def _from_browser(self, event: param.parameterized.Event) -> None:
        if self._busy:
            return
        shown = event.new if isinstance(event.new, dict) else {}
        now = self._state.values()
        changed = {n: v for n, v in shown.items() if n in now and v != now[n]}
        try:
            self._state.apply({n: tuple(v) if isinstance(v, list) else v for n, v in changed.items()})
        except ScenarioError as error:
            self._complain(str(error))
        self._from_state()

    def _from_state(self, *_: param.parameterized.Event) -> None:
        values = self._state.values()
        if values == self.values:
            return
        self._busy = True
        try:
            self.values = values
        finally:
            self._busy = False
