"""Study files and `--vary`: a study that may be run, or a sentence, however long or odd the text."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from fuzzing import Fuzz, budget
from mutation import NUMBERS, atom, mutated_bytes, mutated_plain, mutated_text

from core.folders import DATA
from core.scenario import quantity_of
from core.scenario.scenario import field_names
from core.studies import Study
from core.studies.axis import MAX_VALUES, Axis, parse_axis

GOOD = [
    "vary: {network.slots: '100:200:20', twin.beta: [0.01, 0.05]}\npolicies: [SAFE, VoI-Sched]\ntrials: 5\nscenario: {mission: {uavs: 5}}\n",
    "vary: [network.slots=10:40:10, twin.beta=0.1]\npolicies: SAFE,CALLS\nseeds: [1, 2, 3]\nscenario: stressed\n",
    "settings: {small: {mission.uavs: 4}, large: {mission.uavs: 40}}\npolicies: ['SAFE(lookahead_cycles=2)']\nsamples: [delay_ms]\n",
    "vary: {network.slots: [20, 40], twin.beta: [0.1, 0.2]}\npoints: [[20, 0.1], [40, 0.2]]\nseed_start: 7\ntrials: 2\n",
] + [p.read_text(encoding="utf-8") for p in sorted((DATA / "studies").rglob("study.yaml"))[:3]]
TINY = {"mission": {"uavs": 3, "duration_s": 2}}


def sound(study: Study) -> None:
    """A study that was taken can be checked, counted and written, and reads back as itself."""
    study.check()
    assert study.size == len(study.policies) * len(study.seeds) * sum(1 for _ in study.cells())
    assert Study.from_dict(study.to_dict()) == study


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    with Fuzz("study files") as fuzz:
        for i in range(budget(300)):
            rng = np.random.default_rng((11, i))
            good = GOOD[int(rng.integers(4))]
            content = (
                mutated_text(rng, good).encode("utf-8", "replace"),
                mutated_bytes(rng, good.encode()),
                _plain(rng, good),
            )
            path.write_bytes(content[i % 3])
            fuzz.attempt(content[i % 3], lambda: sound(Study.from_yaml(path)))


def _plain(rng: np.random.Generator, good: str) -> bytes:
    try:
        return yaml.safe_dump(mutated_plain(rng, yaml.safe_load(good))).encode()
    except (yaml.YAMLError, UnicodeError):
        return atom(rng).encode("utf-8", "replace")


def test_plain_values() -> None:
    with Fuzz("study values") as fuzz:
        for i in range(budget(300)):
            rng = np.random.default_rng((12, i))
            values = mutated_plain(rng, yaml.safe_load(GOOD[int(rng.integers(4))]))
            fuzz.attempt(values, lambda values=values: sound(Study.from_dict(values)))


def vary(rng: np.random.Generator) -> str:
    """A text for `--vary`: mostly well spelled, with values from anywhere."""
    name = str(rng.choice(list(field_names())))
    meta = quantity_of(name)
    value = lambda: _value(rng, meta)  # noqa: E731
    way = int(rng.integers(6))
    spec = {
        0: f"{value()}",
        1: f"{value()}:{value()}:{value()}",
        2: ",".join(value() for _ in range(int(rng.integers(1, 6)))),
        3: f"{value()}:{value()}",
        4: f"{value()},{value()}:{value()}:{value()}",
        5: mutated_text(rng, f"{value()}:{value()}:{value()}"),
    }[way]
    return mutated_text(rng, f"{name}={spec}") if rng.uniform() < 0.15 else f"{name}={spec}"


def _value(rng: np.random.Generator, meta: Any) -> str:
    if meta.choices:
        return str(rng.choice(meta.choices))
    if rng.uniform() < 0.2 or meta.lo is None:
        return str(NUMBERS[int(rng.integers(len(NUMBERS)))])
    step = meta.step or 1.0
    return f"{float(rng.choice([meta.lo, meta.hi, meta.lo + step, 0.5 * (meta.lo + meta.hi), step])):.6g}"


def checked(axis: Axis) -> None:
    assert 0 < len(axis.values) <= MAX_VALUES
    assert all(math.isfinite(v) for v in axis.values if isinstance(v, int | float))
    assert parse_axis(axis.text()) == axis


def test_vary() -> None:
    with Fuzz("--vary") as fuzz:
        for i in range(budget(600)):
            text = vary(np.random.default_rng((13, i)))
            fuzz.attempt(text, lambda text=text: checked(parse_axis(text)))


def test_vary_of_any_length() -> None:
    with Fuzz("--vary, long", least_taken=0.0) as fuzz:
        for n in range(1, budget(8) + 1):
            for text in ("7," * 20_000 * n, ",".join(map(str, range(20_000 * n))), "1:" * 20_000 * n, "9" * 20_000 * n):
                fuzz.attempt(text, lambda text=text: checked(parse_axis(f"network.slots={text}")))
            fuzz.attempt("1e-12", lambda n=n: checked(parse_axis(f"twin.beta=0.005:0.5:{n}e-12")))
