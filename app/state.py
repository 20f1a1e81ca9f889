"""The one state object of a session: every control as a bounded parameter, generated from field metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import param

from app.course import Changes, course_of, settings_from
from core.control import ControlModel
from core.errors import SafeExplorerError, ScenarioError
from core.instant.takeoff import FLOWN, Settings, takeoff
from core.instant.vary import STATE as LOOP_STATE
from core.instant.vary import varied
from core.plugins import try_plugins
from core.scenario import SLOT_PATTERNS, Quantity, Scenario, field_names, quantity_of
from core.simulation import PAPER_FIVE, POLICIES

NOT_LOADED: tuple[str, ...] = tuple(str(error) for _, error in try_plugins())
"""What is wrong with plug-ins of this server. They are loaded here, once, before anything lists policies."""

POLICY_NAMES: tuple[str, ...] = ("SAFE", *(name for name in POLICIES if name != "SAFE"))
"""Registered policies, the paper's own first, those of plug-ins last."""

SNR = "snr_offset_db"
"""What is varied before any slider has moved, and where the policy has the quantity its own way."""

VIEW: dict[str, tuple[Any, Quantity]] = {
    **{name: (None, meta) for name, meta in LOOP_STATE.items()},
    "focus": (0, Quantity(
        "", "UAV", "Focused loop; 0 lets the page pick the one with the most instructive frontier.",
        "eq:feasible-action-set", "ours", 0, 1000, 1)),
    "cycle": (22, Quantity(
        "cycles", "k", "Cycle of the flight that tabs 1 to 5 look at.", "eq:dt-state-map", "ours",
        0, 2400, 1)),
    "seed": (0, Quantity(
        "", "seed", "Seed of mission, channel and noise; the same for every policy.", "D16", "ours", 0, 9999, 1)),
    "policy": ("SAFE", Quantity(
        "", "policy", "Policy of the flight that the timeline plays.", "eq:rmse", "ours", choices=POLICY_NAMES)),
    "hold": (True, Quantity(
        "", "hold", "Keep the action in focus while sliders move; off follows whatever the allocator sends.", "D25", "ours")),
    "policies": (PAPER_FIVE, Quantity(
        "", "π", "Policies that the flight tab compares.", "eq:rmse", "ours", choices=POLICY_NAMES)),
    "solve_for": (SNR, Quantity(
        "", "vary", "Quantity that the tab Solve for varies.", "D25", "ours",
        choices=tuple(name.rpartition(".")[2] for name in varied()))),
    "follow": (True, Quantity(
        "", "follow", "The tab Solve for varies the slider that was moved last; off keeps the quantity picked there.", "D25",
        "ours")),
}  # fmt: skip
"""Controls that belong to the view, not to the scenario: name → (default, metadata); None = as flown."""

STATE: tuple[str, ...] = tuple(name for name, (default, _) in VIEW.items() if default is None)
"""Controls that replace the focused loop's flown state."""

FIELDS: dict[str, str] = {name.rpartition(".")[2]: name for name in field_names()}
"""Control name → dotted scenario field (leaf names are unique; a test keeps them so)."""


_PLAIN = Scenario()


def default_of(name: str) -> Any:
    """Default value of a control."""
    return VIEW[name][0] if name in VIEW else _PLAIN.value(FIELDS[name])


def sample_of(name: str) -> Any:
    """A value of the control's type: its default, or its lower bound where the default is whatever was flown."""
    default = default_of(name)
    return metadata_of(name).lo if default is None else default


def metadata_of(name: str) -> Quantity:
    """Unit, symbol, help, bounds and step of a control, from the only place where they are written."""
    return VIEW[name][1] if name in VIEW else quantity_of(FIELDS[name])


def checked(name: str, value: Any) -> Any:
    """The value in the control's type and within its bounds, with all its digits; ScenarioError says what is wrong."""
    if value is None and default_of(name) is None:
        return None
    return metadata_of(name).check(name, value, sample_of(name))


def on_step(name: str, value: Any) -> Any:
    """The value where the control's slider can stand; what is no number, or has no steps, as it is."""
    meta = metadata_of(name)
    if not isinstance(value, float) or not meta.step or meta.lo is None or meta.hi is None:
        return value
    if not meta.lo <= value <= meta.hi:
        return value  # refused by `checked`
    return min(max(round(round(value / meta.step) * meta.step, meta.digits), meta.lo), meta.hi)


def _parameter(name: str) -> param.Parameter:
    default, meta = default_of(name), metadata_of(name)
    label = f"{meta.symbol} [{meta.unit}]" if meta.unit else meta.symbol
    if isinstance(default, bool):
        return param.Boolean(default, label=label, doc=meta.doc)
    if meta.own is not None:
        return param.String(default, label=label, doc=meta.doc)
    if isinstance(default, str):
        return param.Selector(default=default, objects=list(meta.choices or ()), label=label, doc=meta.doc)
    if isinstance(default, tuple):
        return param.ClassSelector(default=default, class_=tuple, label=label, doc=meta.doc)
    kind = param.Integer if isinstance(sample_of(name), int) else param.Number
    return kind(
        default, bounds=(meta.lo, meta.hi), step=meta.step, label=label, doc=meta.doc, allow_None=default is None
    )


def _settings_of(scenario: Scenario) -> Settings:
    """With which a flight takes off that has this scenario from its start."""
    return settings_from(_PLAIN, scenario)


class State(param.Parameterized):
    """All controls of one session; `apply` is the only door through which outside values come in."""

    action = param.String(
        "",
        regex=rf"^$|^(?:[0-9]{{1,4}}(?:-[0-9]{{1,4}}){{1,3}}\.[0-9]{{1,5}}\.[0-9]_){{2}}(?:{'|'.join(SLOT_PATTERNS)})\Z",
        doc="Key of the action to hold on to (core.twin.Exchange); empty is the allocator's.",
    )
    takeoff = param.ClassSelector(
        default=(),
        class_=tuple,
        doc="Settings at take-off; empty = those that no slider changes (core.instant.takeoff).",
    )
    changes = param.ClassSelector(default=(), class_=tuple, doc="What was changed in flight: cycle → settings.")
    pin = param.String("", doc="Query of the settings pinned for comparison (app/share_links.py); empty = none are.")
    tab = param.String(
        "boundary",
        regex=r"^[a-z]{1,20}\Z",
        doc="The visible tab by its name in a link; the page knows which there are.",
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        # Reading a hundred parameters takes milliseconds and every move of a slider needs them several times: plain copies.
        # This watcher is the first, so whoever else hears of a change finds them up to date.
        self._plain: dict[str, Any] = {n: getattr(self, n) for n in CONTROLS}
        self._scenario = _PLAIN.replace(**{FIELDS[n]: self._plain[n] for n in FIELDS})
        self.param.watch(self._take, list(CONTROLS))
        self.param.watch(self._grip, ["hold", "action"])

    def _take(self, *events: param.parameterized.Event) -> None:
        new = {e.name: e.new for e in events}
        self._plain.update(new)
        self._scenario = self.with_values(new)
        if not (self.takeoff or self.changes):
            return
        if any(FIELDS.get(name) in FLOWN for name in new):
            self.changes = ()  # another mission: nothing has been changed in it yet
        try:
            course_of(takeoff(self._scenario, self.takeoff), self.changes)
        except SafeExplorerError:
            self.param.update(takeoff=(), changes=())

    def _grip(self, *events: param.parameterized.Event) -> None:
        """Who picks an action holds it; who follows the allocator holds none."""
        if events[-1].name == "action" and self.action:
            self.hold = True
        elif not self.hold:
            self.action = ""

    def in_force(self, cycle: int) -> Scenario:
        """The scenario that the flight has in a cycle."""
        start = takeoff(self._scenario, self.takeoff)
        return next((s for k, s in reversed(course_of(start, self.changes)) if k <= cycle), start)

    def fly(self, settings: Settings, changes: Changes = ()) -> None:
        """Look at another flight of the mission; SafeExplorerError says why it cannot be flown, and nothing changes.

        Args:
            settings: what is not at its default at take-off; empty = what no slider changes.
            changes: made on the way.
        """
        course_of(takeoff(self._scenario, settings), changes)
        self.param.update(takeoff=settings, changes=changes)

    def fly_as_set(self) -> None:
        """Look at the flight that takes off with the controls as they are; SafeExplorerError as for `fly`."""
        self.fly(_settings_of(self._scenario))

    def take(self, other: State, **instead: Any) -> None:
        """Become like another state in one event.

        Args:
            other: whose values are good.
            instead: values that take the place of its own.
        """
        values = {n: getattr(other, n) for n in (*CONTROLS, "action", "takeoff", "changes", "pin", "tab")} | instead
        self.param.update(**values)
        if (self.takeoff, self.changes) != (values["takeoff"], values["changes"]):  # another mission had dropped them
            self.param.update(takeoff=values["takeoff"], changes=values["changes"])

    def apply(self, changes: Mapping[str, Any]) -> None:
        """Check all changes together and make them in one event; nothing changes when one of them is refused.

        Values keep all their digits: links and files say what they mean.
        """
        self.param.update(**self.check(changes))

    def move(self, changes: Mapping[str, Any]) -> None:
        """Changes made by hand, with a slider or a click: as `apply`, each to the nearest step of its slider."""
        self.apply({name: on_step(name, value) if name in DEFAULTS else value for name, value in changes.items()})

    def check(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """The changes as they would be made, with what follows from them; ScenarioError says what is wrong."""
        clean = {name: checked(name, value) for name, value in changes.items() if name in FIELDS or name in VIEW}
        unknown = [name for name in changes if name not in clean]
        if unknown:
            raise ScenarioError(f"Unknown control {unknown[0]!r}.")
        return clean | self._following(clean)

    def _following(self, clean: Mapping[str, Any]) -> dict[str, Any]:
        """What must follow these values: UAV and cycle stay within the mission; refused when they are asked for beyond it."""
        scenario, found = self.with_values(clean), {}
        N, last = scenario.mission.uavs, scenario.cycles - 1
        if clean.get("focus", self._plain["focus"]) > N:
            if "focus" in clean:
                raise ScenarioError(
                    f"There is no UAV {clean['focus']}: the swarm has {N}, choose one from 1 to {N} (0: the page picks)."
                )
            found["focus"] = 0
        if clean.get("cycle", self._plain["cycle"]) > last:
            if "cycle" in clean:
                raise ScenarioError(f"There is no cycle {clean['cycle']}: the mission has the cycles 0 to {last}.")
            found["cycle"] = last
        if self.changes and "cycle" in clean and scenario == self.in_force(self._plain["cycle"]):
            # nothing is asked "what if": the sliders go on showing what is flown
            there = self.in_force(clean["cycle"])
            found |= {leaf: there.value(name) for leaf, name in FIELDS.items() if leaf not in clean}
        return found

    def with_values(self, changes: Mapping[str, Any]) -> Scenario:
        """The scenario that these control values would make; ScenarioError when they do not fit together."""
        fields = {FIELDS[n]: value for n, value in changes.items() if n in FIELDS}
        return self._scenario.replace(**fields) if fields else self._scenario

    @property
    def scenario(self) -> Scenario:
        """The current scenario."""
        return self._scenario

    @property
    def varied(self) -> str:
        """Control that the tab Solve for varies: the one asked for, unless the policy has it its own way whatever the slider says."""
        own = POLICIES[self._plain["policy"]].view_changes
        name: str = self._plain["solve_for"]
        return name if FIELDS.get(name, name) not in own else SNR

    def load(self, scenario: Scenario) -> None:
        """Take every field from a scenario (a preset or an uploaded file), and look at the flight that takes off with it."""
        values = self.check({leaf: scenario.value(name) for leaf, name in FIELDS.items()})
        settings = _settings_of(scenario)
        ControlModel.of(takeoff(scenario, settings))  # refused here, in words, before anything has changed
        self.param.update(**values, takeoff=settings, changes=())

    def values(self) -> dict[str, Any]:
        """Control values by name, tuples as lists (plain JSON)."""
        return {n: list(v) if isinstance(v, tuple) else v for n, v in self._plain.items()}

    def differences(self) -> dict[str, Any]:
        """Controls that differ from their default."""
        return {n: v for n, v in self._plain.items() if v != DEFAULTS[n]}


CONTROLS: tuple[str, ...] = (*FIELDS, *VIEW)
"""All controls."""

DEFAULTS: dict[str, Any] = {name: default_of(name) for name in CONTROLS}
"""Default value of every control."""

for _name in CONTROLS:
    State.param.add_parameter(_name, _parameter(_name))
