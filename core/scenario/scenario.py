"""Scenario: every number a run depends on, frozen, hashable, validated, and written as YAML."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import hashlib
import json
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from core.errors import ScenarioError
from core.scenario.groups import AllocationFields, ControlFields, Group, MissionFields, NetworkFields, TwinFields
from core.scenario.loader import PlainLoader
from core.scenario.own import (
    BUILDINGS_FIELD,
    FOLLOWING,
    LINKS_FIELD,
    MISSION_FIELD,
    check_own,
    following,
    with_files,
)
from core.scenario.quantity import Affects, Quantity, quantity, shown

FORMULATIONS = ("predicted", "repaired", "paper")
MAX_YAML_BYTES = 64_000
"""A scenario file is a few kilobytes; anything larger is refused before it is parsed."""
MAX_YAML_BRACKETS = 200
"""A scenario has a dozen; the parser's time grows with the square of nested ones (3 s for 64 kB of them)."""
EXAMPLE = "'network: {slots: 120}'"


@dataclass(frozen=True)
class Scenario:
    """All inputs of a run. `Scenario()` is the paper's Table I with our choices where it is silent.

    One printed value is not used: a certification horizon of one control period, which holds a single opportunity (D19).
    """

    control: ControlFields = field(default_factory=ControlFields)
    network: NetworkFields = field(default_factory=NetworkFields)
    twin: TwinFields = field(default_factory=TwinFields)
    allocation: AllocationFields = field(default_factory=AllocationFields)
    mission: MissionFields = field(default_factory=MissionFields)
    formulation: str = quantity(
        "predicted",
        "",
        "form",
        "Value of an action: predicted from what the twin knows, or by the repaired or printed formulas.",
        "D23",
        choices=FORMULATIONS,
        affects=Affects.CERTIFICATES,
    )

    def __post_init__(self) -> None:
        for name, default in _GROUPS.items():
            value = getattr(self, name)
            if not isinstance(value, type(default)):
                raise ScenarioError(f"{name} must be a {type(default).__name__}, not {type(value).__name__}.")
        formulation = quantity_of("formulation").check("formulation", self.formulation, FORMULATIONS[0])
        object.__setattr__(self, "formulation", formulation)
        _check_together(self)

    @property
    def cycles(self) -> int:
        """Number of control periods in the mission."""
        return max(1, round(self.mission.duration_s / self.control.Ts))

    def value(self, name: str) -> Any:
        """The value of a field by its dotted name, such as "network.slots"."""
        known(name)
        return operator.attrgetter(name)(self)

    def replace(self, **changes: Any) -> Scenario:
        """A copy with fields changed by dotted name: `replace(**{"network.slots": 120})`."""
        by_group: dict[str, dict[str, Any]] = {}
        top: dict[str, Any] = {}
        for name, value in changes.items():
            known(name)
            group, _, leaf = name.partition(".")
            if leaf:
                by_group.setdefault(group, {})[leaf] = value
            else:
                top[group] = value
        groups = {g: dataclasses.replace(getattr(self, g), **kw) for g, kw in by_group.items()}
        return dataclasses.replace(self, **groups, **top)

    def with_own(
        self, mission: str | Path | None = None, buildings: str | Path | None = None, links: str | Path | None = None
    ) -> Scenario:
        """A copy with files of one's own (D27); swarm size, duration and speed become the mission's.

        Args:
            mission: path of a .csv, .plan or .ulg file, or of a folder with one .plan or .ulg file per UAV.
            buildings: path of a .csv or .geojson file.
            links: path of a .csv file.
        """
        given = {MISSION_FIELD: mission, BUILDINGS_FIELD: buildings, LINKS_FIELD: links}
        paths = {name: str(path) for name, path in given.items() if path is not None}
        changes = with_files(paths, Path(), self.network.gcs[:2])
        return self.replace(**following(changes, self.control.Ts), **changes)

    def to_dict(self) -> dict[str, Any]:
        """Nested plain values, tuples as lists; own files are left out where there are none."""
        plain = dataclasses.asdict(self)
        return {
            g: {k: list(v) if isinstance(v, tuple) else v for k, v in sub.items() if v != "" or k not in _own_leaves()}
            if isinstance(sub, dict)
            else sub
            for g, sub in plain.items()
        }

    def differences(self, other: Scenario | None = None) -> dict[str, Any]:
        """Fields whose value differs from another scenario's (default: from `Scenario()`), by dotted name."""
        base = other or Scenario()
        if self == base:
            return {}
        groups = {f.name for f in dataclasses.fields(self) if getattr(self, f.name) != getattr(base, f.name)}
        names = [name for name in field_names() if name.partition(".")[0] in groups]
        return {name: self.value(name) for name in names if self.value(name) != base.value(name)}

    def digest(self) -> str:
        """A short fingerprint of all values."""
        text = json.dumps(self.to_dict(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], folder: Path | None = None) -> Scenario:
        """A scenario from nested values; what is not given keeps its default, unknown keys are errors.

        Args:
            values: by group, or by dotted name. With `mission.file`, swarm size, duration and speed are the file's where they
                are not given.
            folder: where the paths of own files begin; None = the values come from outside and may name no path (D27).
        """
        if not isinstance(values, Mapping):
            raise ScenarioError(f"A scenario must be a mapping of groups, such as {EXAMPLE}, not {shown(values)}.")
        changes: dict[str, Any] = {}
        for group, sub in values.items():
            if group in _GROUPS:
                if not isinstance(sub, Mapping):
                    raise ScenarioError(
                        f"{group} = {shown(sub)} must be a mapping of fields, such as '{group}: {{...}}'."
                    )
                named = {f"{group}.{leaf}": value for leaf, value in sub.items()}
            else:
                known(str(group))
                named = {str(group): sub}  # formulation, or a dotted name, such as "network.slots"
            for name, value in named.items():
                if name in changes:
                    raise ScenarioError(
                        f"{shown(name)} is given twice, as {shown(changes[name])} and as {shown(value)}; leave one out."
                    )
                changes[name] = value
        plain = cls()
        if folder is not None:
            changes = with_files(changes, folder, plain.network.gcs[:2])
        return plain.replace(**following(changes, plain.control.Ts), **changes)

    @classmethod
    def from_yaml(cls, source: str | Path) -> Scenario:
        """A scenario from a YAML file, or from YAML text: a string with a line break, a colon-space or a brace.

        A file may name own files by path, relative to itself; text names them by content only (D27).
        """
        text, folder = str(source), None
        if isinstance(source, Path) or not ("\n" in text or ": " in text or text.lstrip().startswith("{")):
            text, folder = _read(source), Path(source).parent
        if len(text) > MAX_YAML_BYTES:
            raise ScenarioError(f"The scenario text is longer than {MAX_YAML_BYTES} characters.")
        if text.count("[") + text.count("{") > MAX_YAML_BRACKETS:
            raise ScenarioError(f"The scenario is not valid YAML: more than {MAX_YAML_BRACKETS} opening brackets.")
        try:
            values = yaml.load(text, Loader=PlainLoader)
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise ScenarioError(f"The scenario is not valid YAML: {str(error)[:300]}") from error
        return cls.from_dict(values if values is not None else {}, folder)

    def to_yaml(self, path: str | Path | None = None, *, only_changes: bool = False) -> str:
        """The scenario as YAML text; written to a file when a path is given."""
        values: dict[str, Any] = self.to_dict()
        if only_changes:
            values = {}
            told = {name: self.value(name) for name in FOLLOWING} if self.value(MISSION_FIELD) else {}
            for name, value in (self.differences() | told).items():
                group, _, leaf = name.partition(".")
                plain = list(value) if isinstance(value, tuple) else value
                if leaf:
                    values.setdefault(group, {})[leaf] = plain
                else:
                    values[group] = plain
        text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text


def _read(source: str | Path) -> str:
    """The text of a scenario file."""
    if not str(source).strip():
        raise ScenarioError(f"The scenario text is empty; give the path of a scenario file or YAML such as {EXAMPLE}.")
    path = Path(source)
    named = shown(str(path), 200)
    try:
        if not path.is_file():
            raise ScenarioError(f"No scenario file at {named}; give the path of a file or YAML such as {EXAMPLE}.")
        if path.stat().st_size > MAX_YAML_BYTES:
            raise ScenarioError(f"{named} is larger than {MAX_YAML_BYTES} bytes; a scenario file is a few kB.")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ScenarioError(f"The scenario file {named} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ScenarioError(f"The scenario file {named} cannot be read as UTF-8 text: {error}.") from error


_GROUPS: dict[str, Any] = {
    "control": ControlFields(),
    "network": NetworkFields(),
    "twin": TwinFields(),
    "allocation": AllocationFields(),
    "mission": MissionFields(),
}


@functools.cache
def _quantities() -> dict[str, Quantity]:
    found = {
        f"{g}.{f.name}": _in_group(f.metadata["quantity"], d) for g, d in _GROUPS.items() for f in dataclasses.fields(d)
    }
    formulation = next(f for f in dataclasses.fields(Scenario) if f.name == "formulation")
    return {**found, "formulation": formulation.metadata["quantity"]}


@functools.cache
def _own_leaves() -> frozenset[str]:
    """Last names of the fields that stand for an own file."""
    return frozenset(name.rpartition(".")[2] for name, q in _quantities().items() if q.own is not None)


def _in_group(own: Quantity, group: Group) -> Quantity:
    return own if own.affects is not None else dataclasses.replace(own, affects=group.affects)


def field_names() -> Iterator[str]:
    """Dotted names of all fields, in the order they are declared."""
    return iter(_quantities())


def group_titles() -> dict[str, tuple[str, str]]:
    """Title of every group of fields, and what is in it, by name."""
    return {name: (group.title, (type(group).__doc__ or "").partition("\n")[0]) for name, group in _GROUPS.items()}


@functools.cache
def fields_affecting(effect: Affects) -> tuple[str, ...]:
    """Dotted names of the fields whose change has this effect, in the order they are declared."""
    return tuple(n for n, q in _quantities().items() if q.affects is not None and effect in q.affects)


def quantity_of(name: str) -> Quantity:
    """Metadata of a field by its dotted name."""
    known(name)
    return _quantities()[name]


def known(name: str) -> None:
    """Raise ScenarioError with the nearest name unless the dotted name exists."""
    if name in _quantities():
        return
    if name in _GROUPS:
        first = next(n for n in _quantities() if n.startswith(f"{name}."))
        raise ScenarioError(f"{name!r} is a group of fields; change them one by one, such as {first!r}.")
    leaves = {n.rpartition(".")[2]: n for n in _quantities()}
    near = difflib.get_close_matches(name, [*_quantities(), *_GROUPS], n=1, cutoff=0.5)
    near = near or [leaves[m] for m in difflib.get_close_matches(name.rpartition(".")[2], leaves, n=1, cutoff=0.5)]
    hint = f" Did you mean {near[0]!r}?" if near else f" Groups are: {', '.join(_GROUPS)}, formulation."
    raise ScenarioError(f"Unknown scenario field {shown(name)}.{hint}")


_ORDERED = (
    ("mission.altitude_min_m", "mission.altitude_max_m"),
    ("mission.gust_cycles_min", "mission.gust_cycles_max"),
    ("mission.gust_min_mps2", "mission.gust_max_mps2"),
)


def _check_together(s: Scenario) -> None:
    """Conditions between fields; each message names the fields and what to change."""
    c, n, m = s.control, s.network, s.mission
    if c.h_max >= c.H:
        lower = f" or lower control.h_max to {c.H - 1}" if c.H > 1 else ""
        raise ScenarioError(
            f"control.h_max = {c.h_max} must be below control.H = {c.H} (D4: else the certificate sees no value "
            f"in the downlink); raise control.H to {c.h_max + 1}{lower}."
        )
    if c.w_u + c.w_d > 1.0 + 1e-12:
        raise ScenarioError(
            f"control.w_u = {c.w_u:g} plus control.w_d = {c.w_d:g} must be ≤ 1, not {c.w_u + c.w_d:g}; "
            "lower control.w_u or control.w_d."
        )
    if n.frame_s > c.Ts + 1e-12:
        most = int((c.Ts + 1e-12) / n.tau_slot_s)
        raise ScenarioError(
            f"network.slots = {n.slots} slots of {n.tau_slot_s * 1e3:g} ms do not fit in control.Ts = {c.Ts:g} s; "
            f"use at most {most} slots, shorter slots, or a longer control period."
        )
    if s.twin.online_beta and not s.twin.link_quality:
        raise ScenarioError(
            "twin.online_beta learns from measured link qualities, but twin.link_quality is off; switch it on, or "
            "switch twin.online_beta off."
        )
    for low, high in _ORDERED:
        if s.value(high) < s.value(low):
            raise ScenarioError(
                f"{high} = {s.value(high):g} must be ≥ {low} = {s.value(low):g}; raise {high} or lower {low}."
            )
    check_own(s)
    half = m.building_side_m / 2 + (0.0 if m.file else m.facade_offset_m)
    if not m.buildings and max(abs(n.gcs_x_m), abs(n.gcs_y_m)) <= half:
        raise ScenarioError(
            f"network.gcs_x_m = {n.gcs_x_m:g} or network.gcs_y_m = {n.gcs_y_m:g} must be beyond ±{half:g} m, so that the "
            "ground station stands outside the flight area (mission.building_side_m/2 + mission.facade_offset_m); "
            "move network.gcs_x_m or network.gcs_y_m."
        )
