"""Scenario: every number a run depends on, frozen, hashable, validated, and written as YAML."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from core.errors import ScenarioError
from core.scenario.groups import AllocationFields, ControlFields, MissionFields, NetworkFields, TwinFields
from core.scenario.quantity import Quantity, quantity

FORMULATIONS = ("repaired", "paper")
MAX_YAML_BYTES = 64_000
"""A scenario file is a few kilobytes; anything larger is refused before it is parsed."""
MAX_YAML_BRACKETS = 200
"""A scenario has a dozen; the parser's time grows with the square of nested ones (3 s for 64 kB of them)."""


@dataclass(frozen=True)
class Scenario:
    """All inputs of a run. `Scenario()` is the paper's Table I with our choices where it is silent."""

    control: ControlFields = field(default_factory=ControlFields)
    network: NetworkFields = field(default_factory=NetworkFields)
    twin: TwinFields = field(default_factory=TwinFields)
    allocation: AllocationFields = field(default_factory=AllocationFields)
    mission: MissionFields = field(default_factory=MissionFields)
    formulation: str = quantity(
        "repaired", "", "form", "The printed formulas, or the same with the repairs marked R.", "D8",
        choices=FORMULATIONS,
    )  # fmt: skip

    def __post_init__(self) -> None:
        for name, default in _GROUPS.items():
            value = getattr(self, name)
            if not isinstance(value, type(default)):
                raise ScenarioError(f"{name} must be a {type(default).__name__}, not {type(value).__name__}.")
        quantity_of("formulation").check("formulation", self.formulation, "repaired")
        _check_together(self)

    @property
    def cycles(self) -> int:
        """Number of control periods in the mission."""
        return max(1, round(self.mission.duration_s / self.control.Ts))

    def value(self, name: str) -> Any:
        """The value of a field by its dotted name, such as "network.slots"."""
        known(name)
        return functools.reduce(getattr, name.split("."), self)

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

    def to_dict(self) -> dict[str, Any]:
        """Nested plain values, tuples as lists."""
        plain = dataclasses.asdict(self)
        return {
            g: {k: list(v) if isinstance(v, tuple) else v for k, v in sub.items()} if isinstance(sub, dict) else sub
            for g, sub in plain.items()
        }

    def differences(self, other: Scenario | None = None) -> dict[str, Any]:
        """Fields whose value differs from another scenario's (default: from `Scenario()`), by dotted name."""
        base = other or Scenario()
        return {name: self.value(name) for name in field_names() if self.value(name) != base.value(name)}

    def digest(self) -> str:
        """A short fingerprint of all values."""
        text = json.dumps(self.to_dict(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Scenario:
        """A scenario from nested values; what is not given keeps its default, unknown keys are errors."""
        if not isinstance(values, Mapping):
            raise ScenarioError("A scenario must be a mapping of groups, such as 'network: {slots: 120}'.")
        changes: dict[str, Any] = {}
        for group, sub in values.items():
            if group == "formulation":
                changes["formulation"] = sub
            elif group in _GROUPS:
                if not isinstance(sub, Mapping):
                    raise ScenarioError(f"{group} must be a mapping of fields, such as '{group}: {{...}}'.")
                changes.update({f"{group}.{leaf}": value for leaf, value in sub.items()})
            else:
                known(str(group))
                changes[str(group)] = sub  # a dotted name, such as "network.slots"
        return cls().replace(**changes)

    @classmethod
    def from_yaml(cls, source: str | Path) -> Scenario:
        """A scenario from a YAML file, or from YAML text when the string has a line break or a colon-space."""
        text = str(source)
        if isinstance(source, Path) or ("\n" not in text and ": " not in text):
            path = Path(source)
            try:
                if not path.is_file():
                    raise ScenarioError(f"No scenario file at {path}.")
                if path.stat().st_size > MAX_YAML_BYTES:
                    raise ScenarioError(f"{path} is larger than {MAX_YAML_BYTES} bytes; a scenario file is a few kB.")
                text = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise ScenarioError(f"The scenario file cannot be read as UTF-8 text: {error}") from error
        if len(text) > MAX_YAML_BYTES:
            raise ScenarioError(f"The scenario text is longer than {MAX_YAML_BYTES} characters.")
        if text.count("[") + text.count("{") > MAX_YAML_BRACKETS:
            raise ScenarioError(f"The scenario is not valid YAML: more than {MAX_YAML_BRACKETS} opening brackets.")
        try:
            values = yaml.load(text, Loader=_PlainLoader)
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise ScenarioError(f"The scenario is not valid YAML: {error}") from error
        return cls.from_dict(values if values is not None else {})

    def to_yaml(self, path: str | Path | None = None, *, only_changes: bool = False) -> str:
        """The scenario as YAML text; written to a file when a path is given."""
        values: dict[str, Any] = self.to_dict()
        if only_changes:
            values = {}
            for name, value in self.differences().items():
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


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases, which could blow a small file up to any size, and without keys given twice."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not allowed in a scenario")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        mapping = super().construct_mapping(node, deep=deep)
        if len(mapping) < len(node.value):
            raise yaml.YAMLError(f"a key is given twice in one mapping{node.start_mark}")
        return mapping


_GROUPS: dict[str, Any] = {
    "control": ControlFields(),
    "network": NetworkFields(),
    "twin": TwinFields(),
    "allocation": AllocationFields(),
    "mission": MissionFields(),
}


@functools.cache
def _quantities() -> dict[str, Quantity]:
    found = {f"{g}.{f.name}": f.metadata["quantity"] for g, d in _GROUPS.items() for f in dataclasses.fields(d)}
    formulation = next(f for f in dataclasses.fields(Scenario) if f.name == "formulation")
    return {**found, "formulation": formulation.metadata["quantity"]}


def field_names() -> Iterator[str]:
    """Dotted names of all fields, in the order they are declared."""
    return iter(_quantities())


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
    raise ScenarioError(f"Unknown scenario field {name!r}.{hint}")


def _check_together(s: Scenario) -> None:
    """Conditions between fields; each message names the fields and what to change."""
    c, n, m = s.control, s.network, s.mission
    if c.h_max >= c.H:
        raise ScenarioError(
            f"control.h_max = {c.h_max} must be below control.H = {c.H} (D4: else the certificate sees no value "
            "in the downlink); raise control.H or lower control.h_max."
        )
    if c.w_u + c.w_d > 1.0 + 1e-12:
        raise ScenarioError(f"control.w_u + control.w_d = {c.w_u + c.w_d:g} must not exceed 1; lower one of them.")
    if n.slots * n.tau_slot_s > c.Ts + 1e-12:
        most = int(c.Ts / n.tau_slot_s + 1e-9)
        raise ScenarioError(
            f"network.slots = {n.slots} slots of {n.tau_slot_s * 1e3:g} ms do not fit in control.Ts = {c.Ts:g} s; "
            f"use at most {most} slots, shorter slots, or a longer control period."
        )
    if m.altitude_max_m < m.altitude_min_m:
        raise ScenarioError("mission.altitude_max_m must not be below mission.altitude_min_m.")
    if m.gust_cycles_max < m.gust_cycles_min:
        raise ScenarioError("mission.gust_cycles_max must not be below mission.gust_cycles_min.")
    if m.gust_max_mps2 < m.gust_min_mps2:
        raise ScenarioError("mission.gust_max_mps2 must not be below mission.gust_min_mps2.")
    half = m.building_side_m / 2 + m.facade_offset_m
    if max(abs(n.gcs_x_m), abs(n.gcs_y_m)) <= half:
        raise ScenarioError(
            f"The ground station must stand outside the flight area (|x| or |y| > {half:g} m); "
            "move network.gcs_x_m or network.gcs_y_m."
        )
