"""Study: what is varied, under which policies, for which seeds; checked as a whole before anything runs."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from core.errors import SafeExplorerError, ScenarioError, StudyError
from core.scenario import Scenario
from core.studies.axis import Axis, Value, checked_values, spelled
from core.studies.policies import checked_policies
from core.studies.samples import checked_samples
from core.studies.seeds import EVALUATION_SEED, checked_seeds
from core.studies.setting import SETTING, Setting, checked_settings
from core.studies.study_file import read_yaml, study_arguments

MAX_RECORDS = 1_000_000


@dataclass(frozen=True)
class Cell:
    """One point of the study: the name of its setting if there are any, then the values of the varied fields."""

    values: tuple[tuple[str, Value], ...]

    @property
    def id(self) -> str:
        """Short fingerprint of the values, independent of the order of the axes; names the record files."""
        text = json.dumps(sorted((n, spelled(v)) for n, v in self.values))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def __str__(self) -> str:
        return ", ".join(f"{n} = {spelled(v)}" for n, v in self.values) or "the scenario itself"


@dataclass(frozen=True)
class Task:
    """One closed-loop run of a study: a cell, a policy and a seed."""

    cell: Cell
    policy: str
    seed: int


@dataclass(frozen=True)
class Study:
    """Every cell × policy × seed is one closed-loop run, seeds matched across cells and policies.

    Args:
        scenario: everything that is not varied.
        axes: the varied fields; their product is the grid of cells. No axis = the scenario itself.
        policies: names in core.simulation.POLICIES, with other constants where asked for: `Fixed-Service(usable=0.5)`.
        seeds: ascending.
        points: values per cell in the order of the axes, in place of the full grid (sensitivity designs).
        settings: named changes of several fields at once; each is combined with every point of the grid.
        samples: distributions that every run keeps beside its record, by name in core.studies.samples.SAMPLES.
    """

    scenario: Scenario = field(default_factory=Scenario)
    axes: tuple[Axis, ...] = ()
    policies: tuple[str, ...] = ("SAFE",)
    seeds: tuple[int, ...] = (EVALUATION_SEED,)
    points: tuple[tuple[Value, ...], ...] | None = None
    settings: tuple[Setting, ...] = ()
    samples: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = [a.name for a in self.axes]
        twice = sorted({n for n in names if names.count(n) > 1})
        if twice:
            raise StudyError(f"{twice[0]} is varied twice; give all its values in one place.")
        object.__setattr__(self, "policies", checked_policies(self.policies))
        object.__setattr__(self, "seeds", checked_seeds(self.seeds))
        object.__setattr__(self, "settings", checked_settings(self.settings, names))
        object.__setattr__(self, "samples", checked_samples(self.samples))
        if self.points is not None:
            object.__setattr__(self, "points", _checked_points(self.axes, self.points))
        if self.size > MAX_RECORDS:
            raise StudyError(
                f"This study has {self.size} runs; at most {MAX_RECORDS}. Use larger steps or fewer trials."
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Columns that tell the cells apart: `setting` if there are any, then the varied fields."""
        return (*((SETTING,) if self.settings else ()), *(a.name for a in self.axes))

    @property
    def fields(self) -> tuple[str, ...]:
        """Every scenario field that is not the same in all cells."""
        changed = (f for s in self.settings for f in s.fields)
        return tuple(dict.fromkeys((*changed, *(a.name for a in self.axes))))

    def levels(self, name: str) -> tuple[Value, ...]:
        """What one of `names` takes, in the order given."""
        if name == SETTING:
            return tuple(s.name for s in self.settings)
        return next(a.values for a in self.axes if a.name == name)

    @property
    def size(self) -> int:
        """Number of runs."""
        cells = 1
        for axis in self.axes:
            cells *= len(axis.values)
        cells = cells if self.points is None else len(self.points)
        return cells * max(1, len(self.settings)) * len(self.policies) * len(self.seeds)

    def cells(self) -> Iterator[Cell]:
        """All cells, the last axis running fastest."""
        for setting in self.levels(SETTING) if self.settings else (None,):
            rows = self.points if self.points is not None else itertools.product(*(a.values for a in self.axes))
            for row in rows:
                yield Cell(tuple(zip(self.names, row if setting is None else (setting, *row), strict=True)))

    def tasks(self) -> Iterator[Task]:
        """All runs, seed by seed, so that an interrupted study is a smaller complete one."""
        for seed in self.seeds:
            for cell in self.cells():
                for policy in self.policies:
                    yield Task(cell, policy, seed)

    def scenario_of(self, cell: Cell) -> Scenario:
        """The scenario of one cell; StudyError naming the cell when the fields do not go together."""
        try:
            values = dict(cell.values)
            named = values.pop(SETTING, None)
            changes = next((dict(s.changes) for s in self.settings if s.name == named), {})
            return self.scenario.replace(**changes, **values)
        except ScenarioError as error:
            raise StudyError(f"At {cell}: {error}") from error

    def check(self) -> None:
        """Build every cell's scenario and controller, so that nothing is refused after the first run has begun."""
        from core.control import ControlModel

        for cell in self.cells():
            scenario = self.scenario_of(cell)
            try:
                ControlModel.of(scenario)
            except SafeExplorerError as error:
                raise StudyError(f"At {cell}: {error}") from error

    def fixed_yaml(self) -> str:
        """YAML of every scenario field that no cell changes, one line per group: what all records have in common."""
        plain = self.scenario.to_dict()
        for name in self.fields:
            group, _, own = name.rpartition(".")
            del (plain[group] if group else plain)[own]
        text: str = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, default_flow_style=None, width=1_000_000)
        return text

    def to_dict(self) -> dict[str, Any]:
        """Plain values for YAML; `from_dict` reads them back."""
        plain: dict[str, Any] = {
            "vary": {a.name: list(a.values) for a in self.axes},
            "policies": list(self.policies),
            "seeds": list(self.seeds),
            "scenario": self.scenario.to_dict(),
        }
        if self.points is not None:
            plain["points"] = [list(p) for p in self.points]
        if self.settings:
            plain["settings"] = {
                s.name: {f: list(v) if isinstance(v, tuple) else v for f, v in s.changes} for s in self.settings
            }
        if self.samples:
            plain["samples"] = list(self.samples)
        return plain

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], folder: Path = Path()) -> Study:
        """A study from plain values, see `study_arguments`; a relative path of a scenario begins in the folder."""
        return cls(**study_arguments(values, folder))

    @classmethod
    def from_yaml(cls, source: str | Path) -> Study:
        """A study from a YAML file; a scenario file it names lies relative to it."""
        path = Path(source)
        return cls.from_dict(read_yaml(path), path.parent)


def _checked_points(axes: tuple[Axis, ...], points: Iterable[tuple[Value, ...]]) -> tuple[tuple[Value, ...], ...]:
    rows: dict[tuple[Value, ...], None] = {}
    for point in points:
        if len(point) != len(axes):
            raise StudyError(f"The point {point} needs {len(axes)} values, one per varied field.")
        rows[tuple(checked_values(a.name, [v])[0] for a, v in zip(axes, point, strict=True))] = None
    if not rows:
        raise StudyError("A study needs at least one point.")
    return tuple(rows)
