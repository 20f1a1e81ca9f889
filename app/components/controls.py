"""The sidebar: all controls in one light component, generated from the metadata of the fields."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from app.panel_fixes.debounce import AT_ONCE_MS
from app.picture import Picture
from app.state import CONTROLS, FIELDS, State, default_of, metadata_of
from core.errors import ScenarioError
from core.scenario import Scenario, quantity_of

FIRST: tuple[str, ...] = ("snr_offset_db", "beta", "delta_T", "H_T", "slots", "v_ratio", "sigma_share", "c")
"""What is always in view."""

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("State of the focused loop", ("c_fail",)),
    ("Frame and swarm", ("uavs", "tx_power_dbm")),
    ("Control law", ("Ts", "Q", "R", "H", "w_u", "w_d", "eta", "corridor_radius_m", "feed_forward")),
    ("Policies compared on the flight tab", ("policies",)),
)
"""What comes first behind *All settings*; every other field follows in the groups of the scenario."""

OWN = tuple(leaf for leaf, field in FIELDS.items() if quantity_of(field).own is not None)
"""Files of the visitor's own: in a dialog (app.components.own_files)."""
ELSEWHERE = ("formulation", "policy", "focus", "cycle", "seed", "hold", "solve_for", "follow", *OWN)
"""Controls that have their own place: in the header, on the timeline, on their tab, in the dialog for own files."""


def group_of(*names: str) -> list[dict[str, Any]]:
    """One group of these controls, always in view."""
    return [{"title": "", "items": [_item(name) for name in names]}]


def groups() -> list[dict[str, Any]]:
    """Groups of controls as plain data for the browser; the first one is always in view and has no title."""
    named = {name for _, names in GROUPS for name in names} | {*FIRST, *ELSEWHERE}
    found = [("", FIRST), *GROUPS]
    for group in ("control", "network", "twin", "allocation", "mission"):
        rest = tuple(leaf for leaf, field in FIELDS.items() if field.startswith(group + ".") and leaf not in named)
        if rest:
            found.append((f"More: {getattr(Scenario(), group).title.lower()}", rest))
    return [{"title": title, "items": [_item(name) for name in names]} for title, names in found]


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
        "field": FIELDS.get(name, name),
        "ref": meta.ref,
        "origin": meta.origin,
        "lo": meta.lo,
        "hi": meta.hi,
        "step": meta.step,
        "digits": meta.digits,
        "choices": list(meta.choices or ()),
        "default": list(default) if isinstance(default, tuple) else default,
    }


class Controls(JSComponent):
    """Sliders, switches and lists with unit, symbol, help and reset; `values` is what the browser shows."""

    groups = param.List(doc="Groups of controls: title, items.")
    values = param.Dict(doc="Value of every control, plain JSON.")
    notes = param.Dict(default={}, doc="A short remark beside a control, such as its value in m².")
    flown = param.Dict(default={}, doc="What controls show that are at rest and follow the flight.")

    about = param.String("", doc="A sentence above the controls.")

    _debounce: ClassVar[int] = AT_ONCE_MS

    _esm = Path(__file__).with_name("controls.js")
    _stylesheets: ClassVar[list[str]] = [Path(__file__).with_name("controls.css").read_text()]

    def __init__(self, state: State, complain: Any, **params: Any) -> None:
        self._state, self._complain, self._busy = state, complain, False
        params.setdefault("groups", groups())
        self._names = [item["name"] for group in params["groups"] for item in group["items"]]
        super().__init__(values=self._shown(), **params)
        self.param.watch(self._from_browser, "values")
        state.param.watch(self._from_state, list(CONTROLS))

    def _from_browser(self, event: param.parameterized.Event) -> None:
        if self._busy:
            return
        new = event.new if isinstance(event.new, dict) else {}
        now = self._shown()
        changed = {n: v for n, v in new.items() if n in now and v != now[n]}
        try:
            self._state.move({n: tuple(v) if isinstance(v, list) else v for n, v in changed.items()})
        except ScenarioError as error:
            self._complain(str(error))
        self._from_state()

    def _from_state(self, *_: param.parameterized.Event) -> None:
        values = self._shown()
        if values == self.values:
            return
        self._busy = True
        try:
            self.values = values
        finally:
            self._busy = False

    def _shown(self) -> dict[str, Any]:
        """Values of its controls; what the timeline moves is not among the sidebar's, so that no late echo moves it back."""
        values = self._state.values()
        return {name: values[name] for name in self._names}


def notes(picture: Picture) -> dict[str, str]:
    """Short remarks beside controls: what a normalised value means in units, what is as flown."""
    loop, inputs = picture.focus.state, picture.inputs
    units = {"v_ratio": f"V = {loop.V:.0f} m²", "sigma_share": f"= {loop.tr_sigma:.2f} m²", "c": "", "c_fail": ""}
    return {n: "as flown" if getattr(inputs, n) is None else unit for n, unit in units.items()}
