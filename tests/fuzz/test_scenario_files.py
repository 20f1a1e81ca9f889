"""Scenario files, damaged in every way: a scenario whose fields lie within their bounds, or a sentence."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from fuzzing import Fuzz, budget
from mutation import NUMBERS, atom, mutated_bytes, mutated_plain, mutated_text

from core import Scenario
from core.folders import DATA
from core.scenario.quantity import Quantity
from core.scenario.scenario import field_names, quantity_of

GOOD = [p.read_text(encoding="utf-8") for p in sorted((DATA / "scenarios").glob("*.yaml"))] + [
    Scenario().to_yaml(),
    "network.slots: 120\nmission: {uavs: 7}\nformulation: paper\n",
]


def within_bounds(scenario: Scenario) -> None:
    """Every field of a scenario that was taken is what its metadata says, and written and read it is the same."""
    for name in field_names():
        meta, value = quantity_of(name), scenario.value(name)
        for item in value if isinstance(value, tuple) else (value,):
            assert _fits(meta, item), f"{name} = {item!r}"
    assert Scenario.from_yaml(scenario.to_yaml()) == scenario
    json.dumps(scenario.to_dict(), allow_nan=False)


def _fits(meta: Quantity, item: Any) -> bool:
    if meta.choices is not None:
        return item in meta.choices
    if isinstance(item, bool | str):
        return meta.lo is None
    return math.isfinite(item) and (meta.lo is None or item >= meta.lo) and (meta.hi is None or item <= meta.hi)


def one_field(rng: np.random.Generator) -> str:
    """A file with a few fields, each with a nasty value or one from around its bounds."""
    names = rng.choice(list(field_names()), size=int(rng.integers(1, 5)), replace=False)
    rows = []
    for name in names:
        meta = quantity_of(str(name))
        near = [x + d for x in (meta.lo, meta.hi) if x is not None for d in (0, meta.step or 0, -1e-9, 1e-9, -1)]
        pools = [NUMBERS, near, meta.choices or (), [Scenario().value(str(name))]]
        pool = [x for p in pools for x in p] if rng.uniform() < 0.3 else near or [Scenario().value(str(name))]
        value = pool[int(rng.integers(len(pool)))]
        rows.append(f"{name}: {list(value) if isinstance(value, tuple) else value}")
    return "\n".join(rows) + "\n"


def test_texts() -> None:
    with Fuzz("scenario files") as fuzz:
        for i in range(budget(400)):
            rng = np.random.default_rng((1, i))
            good = GOOD[int(rng.integers(len(GOOD)))]
            text = one_field(rng) if i % 3 == 0 else mutated_text(rng, good) if i % 3 == 1 else _replaced(rng, good)
            fuzz.attempt(text, lambda text=text: within_bounds(Scenario.from_yaml(text + "\n")))


def _replaced(rng: np.random.Generator, good: str) -> str:
    values = mutated_plain(rng, yaml.safe_load(good))
    try:
        return yaml.safe_dump(values)
    except (yaml.YAMLError, UnicodeError):
        return f"{atom(rng)}: {atom(rng)}"


def test_bytes_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    with Fuzz("scenario files, damaged bytes") as fuzz:
        for i in range(budget(200)):
            rng = np.random.default_rng((2, i))
            path.write_bytes(mutated_bytes(rng, GOOD[int(rng.integers(len(GOOD)))].encode()))
            fuzz.attempt(path.read_bytes(), lambda: within_bounds(Scenario.from_yaml(path)))


def test_plain_values() -> None:
    """What notebooks and the page hand over: nested values of any type, which no YAML could hold."""
    base = Scenario().to_dict()
    with Fuzz("scenario values") as fuzz:
        for i in range(budget(400)):
            rng = np.random.default_rng((3, i))
            values = mutated_plain(rng, base)
            fuzz.attempt(values, lambda values=values: within_bounds(Scenario.from_dict(values)))
