"""Records and samples of a study, damaged or misplaced: the same table as before, or a sentence that names the file."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from fuzzing import Fuzz, budget
from mutation import atom, mutated_bytes, mutated_plain, mutated_text, plain

from core import Scenario
from core.errors import StudyError
from core.studies import Study, StudyStore
from core.studies.axis import Axis
from core.studies.record import Flown, keys_of
from core.studies.record_file import read_record, write_record

STUDY = Study(Scenario(), (Axis("network.slots", (100, 120)),), ("SAFE", "VoI-Sched"), (1, 2))
OTHER = Study(Scenario(), (Axis("network.slots", (130, 140)),), ("SAFE", "CALLS"), (2, 3))


def made(folder: Path, study: Study, first: float) -> StudyStore:
    store = StudyStore(folder)
    folder.mkdir()
    store.begin(study)
    for i, task in enumerate(study.tasks()):
        metrics = {"mean_rmse_m": first + i, "p95_v": 0.1 + 0.01 * i, "mean_delay_ms": math.nan}
        store.write(task, Flown({**keys_of(task), **metrics}, {}), study.fixed_yaml())
    return store


@pytest.fixture
def store(tmp_path: Path) -> StudyStore:
    return made(tmp_path / "s", STUDY, 7.5)


def same(frame: pd.DataFrame, expected: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(frame, expected)


def test_damaged_bytes(store: StudyStore) -> None:
    files, expected = sorted(store.records.glob("*/*.parquet")), store.frame()
    with Fuzz("record files") as fuzz:
        for i in range(budget(300)):
            path = files[i % len(files)]
            good = path.read_bytes()
            bad = mutated_bytes(np.random.default_rng((51, i)), good)
            path.write_bytes(bad)
            read_record.__globals__["_read"].cache_clear()  # two changes within one tick of the clock
            fuzz.attempt(bad, lambda: same(store.frame(), expected))
            path.write_bytes(good)
        read_record.__globals__["_read"].cache_clear()
        same(store.frame(), expected)


def test_misplaced_records(store: StudyStore, tmp_path: Path) -> None:
    """Any record in the place of any other, also one of another study."""
    other = made(tmp_path / "o", OTHER, 1.5)
    files, expected = sorted(store.records.glob("*/*.parquet")), store.frame()
    sources = files + sorted(other.records.glob("*/*.parquet"))
    with Fuzz("misplaced records", least_refused=0.3) as fuzz:
        for i in range(budget(100)):
            rng = np.random.default_rng((52, i))
            place, source = files[int(rng.integers(len(files)))], sources[int(rng.integers(len(sources)))]
            kept, content = place.read_bytes(), source.read_bytes()
            extra = store.records / str(rng.choice(["SAFE", "VoI-Sched", "CALLS", "x"])) / f"{i}-{source.name}"
            target = place if i % 3 else extra
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(content)
            read_record.__globals__["_read"].cache_clear()
            fuzz.attempt((source.name, target.name), lambda: same(store.frame(), expected))
            extra.unlink(missing_ok=True)
            place.write_bytes(kept)


def test_forged_rows(store: StudyStore) -> None:
    """Rows written by our own writer, checksum and all, whose values do not belong there."""
    path = sorted(store.records.glob("*/*.parquet"))[0]
    good, keys, expected = read_record(path), ("cell", "network.slots", "policy", "seed"), store.frame()
    with Fuzz("forged records", least_refused=0.3) as fuzz:
        for i in range(budget(150)):
            rng = np.random.default_rng((53, i))
            name = str(rng.choice(list(good)))
            value = plain(rng)
            if not isinstance(value, bool | int | float | str) or (isinstance(value, int) and abs(value) > 2**62):
                value = atom(rng)
            try:
                write_record(path, {**good, name: value}, {})
            except (UnicodeError, ValueError):
                continue

            def fits(name: str = name) -> None:
                frame = store.frame()
                same(frame[list(keys)], expected[list(keys)])
                assert {str(x) for x in frame.drop(columns=list(keys)).dtypes} == {"float64"}, name

            fuzz.attempt((name, value), fits)


def test_headers(store: StudyStore) -> None:
    path = store.folder / "study.yaml"
    good = path.read_text(encoding="utf-8")
    with Fuzz("headers of study folders") as fuzz:
        for i in range(budget(150)):
            rng = np.random.default_rng((54, i))
            if i % 3 == 0:
                content = mutated_bytes(rng, good.encode())
            elif i % 3 == 1:
                content = mutated_text(rng, good).encode("utf-8", "replace")
            else:
                try:
                    content = yaml.safe_dump(mutated_plain(rng, yaml.safe_load(good))).encode()
                except (yaml.YAMLError, UnicodeError):
                    continue
            path.write_bytes(content)

            def opened() -> None:
                store.study().check()
                store.frame()
                if reason := store.in_the_way(STUDY):
                    raise StudyError(reason)

            fuzz.attempt(content, opened)
