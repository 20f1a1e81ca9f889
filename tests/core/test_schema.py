"""The JSON Schemas say what the loaders do: shipped files pass both, and what a schema refuses, its loader refuses."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from core.errors import SafeExplorerError
from core.folders import DATA
from core.scenario import Scenario, field_names, quantity_of
from core.scenario.loader import PlainLoader
from core.scenario.schema import scenario_schema
from core.studies import Study
from core.studies.schema import study_schema

SCENARIO, STUDY = Draft7Validator(scenario_schema()), Draft7Validator(study_schema())
SCENARIO_FILES = [*sorted((DATA / "scenarios").glob("*.yaml")), *sorted(DATA.rglob("scenario.yaml"))]
STUDY_FILES = sorted((DATA / "studies").glob("*.yaml"))


def plain(text: str) -> Any:
    return yaml.load(text, Loader=PlainLoader)


def read_scenario(values: Any) -> bool:
    try:
        Scenario.from_dict({} if values is None else values)
    except SafeExplorerError:
        return False
    return True


def read_study(values: Any) -> bool:
    """Whether the loader takes it, with every cell's scenario."""
    try:
        study = Study.from_dict({} if values is None else values)
        for cell in study.cells():
            study.scenario_of(cell)
    except SafeExplorerError:
        return False
    return True


@pytest.mark.parametrize("kind", ["scenario", "study"])
@pytest.mark.slow
def test_shipped_schemas_are_what_the_command_prints(kind: str) -> None:
    """In a process of its own: tests register policies of theirs. `python -m core schema … --out data/schemas/…` mends it."""
    printed = subprocess.run(
        [sys.executable, "-m", "core", "schema", kind], capture_output=True, text=True, check=True
    ).stdout
    assert (DATA / "schemas" / f"{kind}.json").read_text(encoding="utf-8") == printed
    Draft7Validator.check_schema(json.loads(printed))


@pytest.mark.parametrize("path", SCENARIO_FILES, ids=lambda p: str(p.relative_to(DATA)))
def test_shipped_scenarios_pass(path: Path) -> None:
    assert [e.message for e in SCENARIO.iter_errors(plain(path.read_text(encoding="utf-8")))] == []


@pytest.mark.parametrize("path", STUDY_FILES, ids=lambda p: p.name)
def test_shipped_studies_pass(path: Path) -> None:
    assert [e.message for e in STUDY.iter_errors(plain(path.read_text(encoding="utf-8")))] == []
    folder = path.with_suffix("")  # what was flown, every value written out
    stored = plain((folder / "study.yaml").read_text(encoding="utf-8"))["study"]
    assert [e.message for e in STUDY.iter_errors(stored)] == []


@pytest.mark.parametrize("path", [*sorted((DATA / "scenarios").glob("*.yaml")), *STUDY_FILES], ids=lambda p: p.name)
def test_editors_are_told_the_schema_of_shipped_files(path: Path) -> None:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    named = first.removeprefix("# yaml-language-server: $schema=")
    assert (
        path.parent / named
    ).resolve() == DATA / "schemas" / f"{'study' if path in STUDY_FILES else 'scenario'}.json"


def test_there_are_files_to_check() -> None:
    assert len(SCENARIO_FILES) >= 6
    assert len(STUDY_FILES) >= 3


def test_the_default_written_out_and_left_out_passes() -> None:
    assert SCENARIO.is_valid(Scenario().to_dict())
    assert SCENARIO.is_valid(None)
    assert SCENARIO.is_valid({"network.slots": 120, "formulation": "paper"})


@pytest.mark.parametrize("name", [n for n in field_names() if quantity_of(n).own is not None])
def test_files_of_one_s_own_are_named_by_text(name: str) -> None:
    assert SCENARIO.is_valid({name: "survey.csv"})
    for value in (1, True, {}):
        assert not SCENARIO.is_valid({name: value}), value
        assert not read_scenario({name: value}), value


@pytest.mark.parametrize("name", [n for n in field_names() if quantity_of(n).own is None])
def test_bounds_and_choices_of_every_field_are_the_schema_s(name: str) -> None:
    """At its bounds a field passes; beyond them, in another type or by another name it is refused by both."""
    quantity, default = quantity_of(name), Scenario().value(name)
    one = default[0] if isinstance(default, tuple) else default
    numeric = isinstance(one, (int, float)) and not isinstance(one, bool)
    good = [quantity.lo, quantity.hi] if numeric else list(quantity.choices or (True, False))
    bad: list[Any] = [None, {}, "nonsense", [[]]] + ([quantity.lo - 1, quantity.hi + 1, True] if numeric else [1])
    wrap = (lambda v: [v]) if isinstance(default, tuple) else (lambda v: v)
    for value in good:
        assert SCENARIO.is_valid({name: wrap(value)}), value
    for value in bad:
        assert not SCENARIO.is_valid({name: wrap(value)}), value
        assert not read_scenario({name: wrap(value)}), value
    assert not SCENARIO.is_valid({f"{name}_": wrap(one)})


def values_of(name: str) -> st.SearchStrategy[Any]:
    """Good and bad values of a field, near its bounds and far from them."""
    quantity, default = quantity_of(name), Scenario().value(name)
    likely = [default, quantity.lo, quantity.hi, *(quantity.choices or ())]
    near = [x + d for x in (quantity.lo, quantity.hi) if x is not None for d in (-1, -0.5, 0.5, 1)]
    one = st.one_of(
        st.sampled_from([v for v in (*likely, *near) if v is not None]),
        st.integers(),
        st.floats(),
        st.booleans(),
        st.none(),
        st.sampled_from(["", "12", "1:3:1", "true", "drift,reach", "ul-first", "gap"]),
    ).map(lambda v: list(v) if isinstance(v, tuple) else v)
    return st.one_of(one, st.lists(one, max_size=4))


NAMES = st.sampled_from([*field_names(), "network.slot", "twin"])
FIELD = NAMES.flatmap(lambda n: st.tuples(st.just(n), values_of(n) if n in field_names() else st.just(1)))
CHANGES = st.lists(FIELD, max_size=3).map(dict)


def nested(changes: dict[str, Any]) -> dict[str, Any]:
    """The same fields in their groups."""
    found: dict[str, Any] = {}
    for name, value in changes.items():
        group, _, leaf = name.partition(".")
        if leaf:
            found.setdefault(group, {})[leaf] = value
    return {**{name: value for name, value in changes.items() if "." not in name}, **found}


@given(st.one_of(CHANGES, CHANGES.map(nested), st.integers(), st.text(max_size=3), st.lists(st.integers(), max_size=2)))
def test_what_the_scenario_schema_refuses_the_loader_refuses(values: Any) -> None:
    if not SCENARIO.is_valid(values):
        assert not read_scenario(values)


ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 3), st.floats(), st.text(max_size=3), st.lists(st.integers(), max_size=2)
)
ENTRY = st.one_of(
    st.tuples(st.just("vary"), st.one_of(CHANGES, ODD)),
    st.tuples(st.just("settings"), st.one_of(st.dictionaries(st.sampled_from("ab"), CHANGES, max_size=2), ODD)),
    st.tuples(st.just("policies"), st.one_of(st.sampled_from(["SAFE", "SAFE,CALLS", ["SAFE"], ["Nobody"], []]), ODD)),
    st.tuples(st.just("trials"), st.one_of(st.integers(-1, 3), st.just(100_001), ODD)),
    st.tuples(st.just("seed_start"), st.one_of(st.sampled_from([-1, 0, 2**31]), ODD)),
    st.tuples(st.just("seeds"), st.one_of(st.lists(st.sampled_from([-1, 5, 2**31, True, "5"]), max_size=2), ODD)),
    st.tuples(
        st.just("scenario"), st.one_of(st.sampled_from(["table-1", "nothing"]), CHANGES, CHANGES.map(nested), ODD)
    ),
    st.tuples(st.just("points"), st.one_of(st.lists(st.lists(ODD, max_size=2), max_size=2), ODD)),
    st.tuples(st.just("samples"), st.one_of(st.sampled_from(["rmse_m", ["rmse_m"], ["no"]]), ODD)),
    st.tuples(st.just("polices"), ODD),
)


@given(st.one_of(st.lists(ENTRY, max_size=3).map(dict), ODD))
def test_what_the_study_schema_refuses_the_loader_refuses(values: Any) -> None:
    if not STUDY.is_valid(values):
        assert not read_study(values)


@pytest.mark.parametrize(
    "text",
    [
        "vary: {network.slots: 100:200:10, twin.beta: [0.01, 0.05]}\npolicies: SAFE, Fixed-Service(usable=0.5)\ntrials: 3",
        "vary: [network.slots=100:120:10]\nscenario: teaching-swarm\nseeds: 7",
        "settings: {small: {mission.uavs: 20}, own: }\nscenario: {network: {slots: 120}}\nsamples: [rmse_m]",
        "vary: {network.slots: [120, 160], control.supervisor: 'true,false'}\npoints: [[120, true], [160, false]]",
        "",
    ],
)
def test_every_spelling_of_a_study_passes_both(text: str) -> None:
    assert [e.message for e in STUDY.iter_errors(plain(text))] == []
    assert read_study(plain(text))


@pytest.mark.parametrize(
    "text",
    [
        "vary: 0",
        "vary: false",
        "vary: {network.blocklengths: [600]}",
        "vary: {network.slots: [120, 451]}",
        "vary: {network.slot: [120]}",
        "settings: ''",
        "settings: {small: {mission.uavs: 0}}",
        "settings: [small]",
        "policies: []",
        "trials: 0",
        "seeds: []",
        "seeds: [5]\ntrials: 2",
        "seeds: [5]\nseed_start: 2",
        "scenario: {network: {slots: 451}}",
        "scenario: 5",
        "points: []",
        "samples: [nothing]",
        "polices: SAFE",
        "[]",
    ],
)
def test_bad_studies_are_refused_by_both(text: str) -> None:
    assert not STUDY.is_valid(plain(text))
    assert not read_study(plain(text))
