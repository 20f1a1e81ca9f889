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
from core.scenario import Scenario, preset
from core.scenario.loader import PlainLoader
from core.scenario.scenario import MAX_YAML_BYTES
from core.studies.axis import Axis, Value, checked_values, parse_axis, spelled
from core.studies.policies import checked_policies

EVALUATION_SEED = 10_000
"""First evaluation seed; seeds below 1000 are for calibration and for choosing parameters."""
MAX_RECORDS = 1_000_000


@dataclass(frozen=True)
class Cell:
    """One point of the study: the values of the varied fields, in the order of the axes."""

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
    """A what-if study: every cell × policy × seed is one closed-loop run, seeds matched across cells and policies.

    Args:
        scenario: everything that is not varied.
        axes: the varied fields; their product is the grid of cells. No axis = the scenario itself.
        policies: names in core.simulation.POLICIES.
        seeds: evaluation seeds, ascending.
        points: values per cell in the order of the axes, in place of the full grid (sensitivity designs).
    """

    scenario: Scenario = field(default_factory=Scenario)
    axes: tuple[Axis, ...] = ()
    policies: tuple[str, ...] = ("SAFE",)
    seeds: tuple[int, ...] = (EVALUATION_SEED,)
    points: tuple[tuple[Value, ...], ...] | None = None

    def __post_init__(self) -> None:
        names = [a.name for a in self.axes]
        twice = sorted({n for n in names if names.count(n) > 1})
        if twice:
            raise StudyError(f"{twice[0]} is varied twice; give all its values in one place.")
        object.__setattr__(self, "policies", checked_policies(self.policies))
        object.__setattr__(self, "seeds", _checked_seeds(self.seeds))
        if self.points is not None:
            object.__setattr__(self, "points", _checked_points(self.axes, self.points))
        if self.size > MAX_RECORDS:
            raise StudyError(
                f"This study has {self.size} runs; at most {MAX_RECORDS}. Use larger steps or fewer trials."
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the varied fields."""
        return tuple(a.name for a in self.axes)

    @property
    def size(self) -> int:
        """Number of runs."""
        cells = 1
        for axis in self.axes:
            cells *= len(axis.values)
        cells = cells if self.points is None else len(self.points)
        return cells * len(self.policies) * len(self.seeds)

    def cells(self) -> Iterator[Cell]:
        """All cells, the last axis running fastest."""
        rows = self.points if self.points is not None else itertools.product(*(a.values for a in self.axes))
        for row in rows:
            yield Cell(tuple(zip(self.names, row, strict=True)))

    def tasks(self) -> Iterator[Task]:
        """All runs, seed by seed, so that an interrupted study is a smaller complete one."""
        for seed in self.seeds:
            for cell in self.cells():
                for policy in self.policies:
                    yield Task(cell, policy, seed)

    def scenario_of(self, cell: Cell) -> Scenario:
        """The scenario of one cell; StudyError naming the cell when the fields do not go together."""
        try:
            return self.scenario.replace(**dict(cell.values))
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
        """YAML of every scenario field that is not varied, one line per group: what all records have in common."""
        plain = self.scenario.to_dict()
        for name in self.names:
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
        return plain

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], folder: Path = Path()) -> Study:
        """A study from plain values: vary, policies, trials and seed_start (or seeds), scenario, points.

        Args:
            values: the scenario is a mapping, the name of a preset, or a path to a YAML file.
            folder: where a relative path begins.
        """
        if not isinstance(values, Mapping):
            raise StudyError("A study must be a mapping with vary, policies, trials, seed_start and scenario.")
        allowed = {"vary", "policies", "trials", "seed_start", "seeds", "scenario", "points"}
        unknown = sorted(str(k) for k in set(values) - allowed)
        if unknown:
            raise StudyError(f"A study has no entry {unknown[0]!r}; it has {', '.join(sorted(allowed))}.")
        if "seeds" in values and ("trials" in values or "seed_start" in values):
            raise StudyError("Give either seeds, or trials and seed_start, not both.")
        return cls(
            scenario=_scenario(values.get("scenario"), folder),
            axes=tuple(_axes(values.get("vary") or {})),
            policies=_names(values.get("policies", ["SAFE"])),
            seeds=(
                _integers("seeds", values["seeds"])
                if "seeds" in values
                else seed_range(values.get("trials", 1), values.get("seed_start", EVALUATION_SEED))
            ),
            points=_points(values.get("points")),
        )

    @classmethod
    def from_yaml(cls, source: str | Path) -> Study:
        """A study from a YAML file; a scenario file it names lies relative to it."""
        path = Path(source)
        if not path.is_file():
            raise StudyError(f"No study file at {path}.")
        if path.stat().st_size > 16 * MAX_YAML_BYTES:
            raise StudyError(f"{path} is larger than {16 * MAX_YAML_BYTES} bytes; a study file is a few kB.")
        try:
            values = yaml.load(path.read_text(encoding="utf-8"), Loader=PlainLoader)
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise StudyError(f"{path} is not valid YAML: {error}") from error
        return cls.from_dict(values if values is not None else {}, path.parent)


def seed_range(trials: Any, start: Any = EVALUATION_SEED) -> tuple[int, ...]:
    """The seeds start, start+1, … of a number of trials."""
    for name, value in (("trials", trials), ("seed_start", start)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise StudyError(f"{name} = {value!r} must be a whole number.")
    if not 1 <= trials <= 100_000:
        raise StudyError(f"trials = {trials} must be between 1 and 100000.")
    return tuple(range(start, start + trials))


def _checked_seeds(seeds: Iterable[int]) -> tuple[int, ...]:
    found = tuple(sorted(set(seeds)))
    if not found:
        raise StudyError("A study needs at least one seed; give trials.")
    if not 0 <= found[0] <= found[-1] < 2**31:
        raise StudyError(f"Seeds must lie between 0 and {2**31 - 1}.")
    return found


def _checked_points(axes: tuple[Axis, ...], points: Iterable[tuple[Value, ...]]) -> tuple[tuple[Value, ...], ...]:
    rows: dict[tuple[Value, ...], None] = {}
    for point in points:
        if len(point) != len(axes):
            raise StudyError(f"The point {point} needs {len(axes)} values, one per varied field.")
        rows[tuple(checked_values(a.name, [v])[0] for a, v in zip(axes, point, strict=True))] = None
    if not rows:
        raise StudyError("A study needs at least one point.")
    return tuple(rows)


def scenario_named(text: str, folder: Path = Path()) -> Scenario:
    """A preset by name, or the scenario of a YAML file, relative to the folder."""
    return Scenario.from_yaml(folder / text) if Path(text).suffix in (".yaml", ".yml") else preset(text)


def _scenario(source: Any, folder: Path) -> Scenario:
    if source is None:
        return Scenario()
    try:
        return scenario_named(source, folder) if isinstance(source, str) else Scenario.from_dict(source)
    except ScenarioError as error:
        raise StudyError(str(error)) from error


def _points(spec: Any) -> tuple[tuple[Value, ...], ...] | None:
    if spec is None:
        return None
    if not isinstance(spec, list) or not all(isinstance(p, list) for p in spec):
        raise StudyError(
            f"points = {spec!r} must be a list of lists, each with one value per varied field: [[100, 0.05]]."
        )
    return tuple(tuple(p) for p in spec)


def _axes(vary: Any) -> Iterator[Axis]:
    if isinstance(vary, list):
        for text in vary:
            yield parse_axis(str(text))
    elif isinstance(vary, Mapping):
        for name, spec in vary.items():
            values: list[Value] = []
            for item in _listed(spec):
                values.extend(parse_axis(f"{name}={item}").values if isinstance(item, str) else (item,))
            yield Axis(str(name), tuple(values))
    else:
        raise StudyError("vary must be a mapping such as 'network.slots: 100:200:10' or a list of such texts.")


def _listed(spec: Any) -> tuple[Any, ...]:
    return tuple(spec) if isinstance(spec, (list, tuple)) else (spec,)


def _names(spec: Any) -> tuple[str, ...]:
    return tuple(str(x).strip() for x in (spec.split(",") if isinstance(spec, str) else _listed(spec)))


def _integers(name: str, spec: Any) -> tuple[int, ...]:
    for value in _listed(spec):
        if isinstance(value, bool) or not isinstance(value, int):
            raise StudyError(f"{name} has {value!r}, which is not a whole number.")
    return tuple(_listed(spec))
