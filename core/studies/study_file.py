"""A study as plain values, the way YAML files and folders spell it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from core.errors import ScenarioError, StudyError
from core.scenario import Scenario, preset
from core.scenario.loader import PlainLoader
from core.scenario.scenario import MAX_YAML_BYTES
from core.studies.axis import Axis, Value, parse_axis
from core.studies.policies import split_policies
from core.studies.seeds import EVALUATION_SEED, seed_range
from core.studies.setting import Setting

ENTRIES = ("vary", "settings", "policies", "trials", "seed_start", "seeds", "scenario", "points", "samples")


def read_yaml(path: Path) -> Any:
    """The plain values of a YAML file; StudyError when there is none or it cannot be one of ours."""
    if not path.is_file():
        raise StudyError(f"No study file at {path}.")
    if path.stat().st_size > 16 * MAX_YAML_BYTES:
        raise StudyError(f"{path} is larger than {16 * MAX_YAML_BYTES} bytes; a study file is a few kB.")
    try:
        values = yaml.load(path.read_text(encoding="utf-8"), Loader=PlainLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise StudyError(f"{path} is not valid YAML: {error}") from error
    return values if values is not None else {}


def study_arguments(values: Any, folder: Path) -> dict[str, Any]:
    """Arguments of `Study` from plain values: the entries of ENTRIES, each in any of its spellings.

    Args:
        values: the scenario is a mapping, the name of a preset, or a path to a YAML file.
        folder: where a relative path begins.
    """
    if not isinstance(values, Mapping):
        raise StudyError("A study must be a mapping with vary, policies, trials, seed_start and scenario.")
    unknown = sorted(str(k) for k in set(values) - set(ENTRIES))
    if unknown:
        raise StudyError(f"A study has no entry {unknown[0]!r}; it has {', '.join(sorted(ENTRIES))}.")
    if "seeds" in values and ("trials" in values or "seed_start" in values):
        raise StudyError("Give either seeds, or trials and seed_start, not both.")
    return {
        "scenario": _scenario(values.get("scenario"), folder),
        "axes": tuple(_axes(_given(values, "vary", {}))),
        "policies": _names(values.get("policies", ["SAFE"])),
        "seeds": (
            _integers("seeds", values["seeds"])
            if "seeds" in values
            else seed_range(values.get("trials", 1), values.get("seed_start", EVALUATION_SEED))
        ),
        "points": _points(values.get("points")),
        "settings": tuple(_settings(_given(values, "settings", {}))),
        "samples": _names(_given(values, "samples", [])),
    }


def _given(values: Mapping[str, Any], entry: str, default: Any) -> Any:
    """An entry; one that is left empty (`vary:`) counts as not given."""
    found = values.get(entry)
    return default if found is None else found


def scenario_named(text: str, folder: Path = Path()) -> Scenario:
    """A preset by name, or the scenario of a YAML file, relative to the folder."""
    return Scenario.from_yaml(folder / text) if Path(text).suffix in (".yaml", ".yml") else preset(text)


def _scenario(source: Any, folder: Path) -> Scenario:
    if source is None:
        return Scenario()
    try:
        return scenario_named(source, folder) if isinstance(source, str) else Scenario.from_dict(source, folder)
    except ScenarioError as error:
        raise StudyError(str(error)) from error


def _settings(spec: Any) -> Iterator[Setting]:
    if not isinstance(spec, Mapping) or not all(isinstance(c, Mapping) or c is None for c in spec.values()):
        raise StudyError("settings must be a mapping of names to fields, such as '20 UAVs: {mission.uavs: 20}'.")
    for name, changes in spec.items():
        yield Setting.of(str(name), changes or {})


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
    return split_policies(spec) if isinstance(spec, str) else tuple(str(x).strip() for x in _listed(spec))


def _integers(name: str, spec: Any) -> tuple[int, ...]:
    for value in _listed(spec):
        if isinstance(value, bool) or not isinstance(value, int):
            raise StudyError(f"{name} has {value!r}, which is not a whole number.")
    return tuple(_listed(spec))
