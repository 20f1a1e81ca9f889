"""The one state object of a session: every control as a bounded parameter, generated from field metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import param

from core.errors import ScenarioError
from core.scenario import Quantity, Scenario, field_names, quantity_of
from core.simulation import PAPER_FIVE, POLICIES

POLICY_NAMES: tuple[str, ...] = ("SAFE", *(name for name in POLICIES if name != "SAFE"))
"""Registered policies, the paper's own first."""

VIEW: dict[str, tuple[Any, Quantity]] = {
    "v_ratio": (None, Quantity(
        "", "V/V_max", "Tracking energy of the focused loop, as a share of the admissible domain; 1 is its edge.",
        "eq:safe-certification-domain", "ours", 0.0, 1.2, 0.01)),
    "sigma_share": (None, Quantity(
        "of the domain", "tr Σ", "Estimation uncertainty of the focused loop: 0 is σ_min, 1 is σ_max.",
        "eq:safe-certification-domain", "ours", 0.0, 1.2, 0.01)),
    "c": (None, Quantity(
        "cycles", "c", "Staleness: cycles since the focused loop's last bidirectional success (holds count too).",
        "D11", "ours", 0, 12, 1)),
    "c_fail": (None, Quantity(
        "failures", "c_fail", "Failed attempts in a row: the first widens the twin's margin, the paper's gate c < g counts them all.",
        "D11", "ours", 0, 12, 1)),
    "focus": (0, Quantity(
        "", "UAV", "Focused loop; 0 lets the page pick the one with the most instructive frontier.",
        "eq:feasible-action-set", "ours", 0, 1000, 1)),
    "cycle": (22, Quantity(
        "cycles", "k", "Cycle of the flight that tabs 1 to 3 look at; after its end, the last one.", "eq:dt-state-map", "ours",
        0, 2400, 1)),
    "seed": (0, Quantity(
        "", "seed", "Seed of mission, channel and noise; the same for every policy.", "D16", "ours", 0, 9999, 1)),
    "downlink": ("equal", Quantity(
        "", "ρ_dl", "Downlink guarantee of the left map on tab 1: equal to ρ_ul, or the focused action's own.",
        "eq:drift-bound", "ours", choices=("equal", "focused"))),
    "policies": (PAPER_FIVE, Quantity(
        "", "π", "Policies that fly side by side in the live tab.", "eq:rmse", "ours", choices=POLICY_NAMES)),
}  # fmt: skip
"""Controls that belong to the view, not to the scenario: name → (default, metadata); None = as flown."""

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


def decimals(step: float | None) -> int:
    """Digits after the point that a step needs: 0.005 → 3."""
    return len(f"{step:.9f}".rstrip("0").partition(".")[2]) if step else 0


def checked(name: str, value: Any) -> Any:
    """The value in the control's type, within its bounds and on its step; ScenarioError says what is wrong."""
    if value is None and default_of(name) is None:
        return None
    meta = metadata_of(name)
    value = meta.check(name, value, sample_of(name))
    if isinstance(value, float) and meta.step:
        value = round(round(value / meta.step) * meta.step, decimals(meta.step))
        value = min(max(value, meta.lo), meta.hi) if meta.lo is not None and meta.hi is not None else value
    return value


def _parameter(name: str) -> param.Parameter:
    default, meta = default_of(name), metadata_of(name)
    label = f"{meta.symbol} [{meta.unit}]" if meta.unit else meta.symbol
    if isinstance(default, bool):
        return param.Boolean(default, label=label, doc=meta.doc)
    if isinstance(default, str):
        return param.Selector(default=default, objects=list(meta.choices or ()), label=label, doc=meta.doc)
    if isinstance(default, tuple):
        return param.ClassSelector(default=default, class_=tuple, label=label, doc=meta.doc)
    kind = param.Integer if isinstance(sample_of(name), int) else param.Number
    return kind(
        default, bounds=(meta.lo, meta.hi), step=meta.step, label=label, doc=meta.doc, allow_None=default is None
    )


class State(param.Parameterized):
    """All controls of one session; `apply` is the only door through which outside values come in."""

    action = param.String(
        "",
        regex=r"^$|^[0-9]\.[0-9]{1,5}\.[0-9]-[0-9]\.[0-9]{1,5}\.[0-9]-[0-9]\Z",
        doc="""
        The focused action: ul route rank.n.n_re - dl route rank.n.n_re - pattern; empty lets the page pick.""",
    )
    tab = param.Integer(0, bounds=(0, 20), doc="Index of the visible tab.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        # Reading a hundred parameters takes milliseconds and every move of a slider needs them several times: plain copies.
        # This watcher is the first, so whoever else hears of a change finds them up to date.
        self._plain: dict[str, Any] = {n: getattr(self, n) for n in CONTROLS}
        self._scenario = Scenario().replace(**{FIELDS[n]: self._plain[n] for n in FIELDS})
        self.param.watch(self._take, list(CONTROLS))

    def _take(self, *events: param.parameterized.Event) -> None:
        new = {e.name: e.new for e in events}
        self._plain.update(new)
        self._scenario = self.with_values(new)

    def apply(self, changes: Mapping[str, Any]) -> None:
        """Check all changes together and make them in one event; nothing changes when one of them is refused."""
        clean = {name: checked(name, value) for name, value in changes.items() if name in FIELDS or name in VIEW}
        unknown = [name for name in changes if name not in clean]
        if unknown:
            raise ScenarioError(f"Unknown control {unknown[0]!r}.")
        self.with_values(clean)
        self.param.update(**clean)

    def with_values(self, changes: Mapping[str, Any]) -> Scenario:
        """The scenario that these control values would make; ScenarioError when they do not fit together."""
        fields = {FIELDS[n]: value for n, value in changes.items() if n in FIELDS}
        return self._scenario.replace(**fields) if fields else self._scenario

    @property
    def scenario(self) -> Scenario:
        """The current scenario."""
        return self._scenario

    def load(self, scenario: Scenario) -> None:
        """Take every scenario field from a scenario (a preset or an uploaded file)."""
        self.apply({leaf: scenario.value(name) for leaf, name in FIELDS.items()})

    def values(self) -> dict[str, Any]:
        """Control values by name, tuples as lists (plain JSON)."""
        return {n: list(v) if isinstance(v, tuple) else v for n, v in self._plain.items()}

    def changes(self) -> dict[str, Any]:
        """Controls that differ from their default."""
        return {n: v for n, v in self._plain.items() if v != DEFAULTS[n]}


CONTROLS: tuple[str, ...] = (*FIELDS, *VIEW)
"""All controls."""

DEFAULTS: dict[str, Any] = {name: default_of(name) for name in CONTROLS}
"""Default value of every control."""

for _name in CONTROLS:
    State.param.add_parameter(_name, _parameter(_name))
