"""Records on disk: a damaged or misplaced one is refused in words, never counted."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core import Scenario
from core.errors import StudyError
from core.studies import Study, StudyStore, Task
from core.studies.axis import Axis
from core.studies.record import Flown, keys_of
from core.studies.record_file import read_record, read_table, write_record

STUDY = Study(
    scenario=Scenario(), axes=(Axis("network.slots", (100, 120)),), policies=("SAFE", "VoI-Sched"), seeds=(1, 2)
)


@pytest.fixture
def store(tmp_path: Path) -> StudyStore:
    found = StudyStore(tmp_path / "s")
    found.folder.mkdir()
    found.begin(STUDY)
    for i, task in enumerate(STUDY.tasks()):
        metrics = {"mean_rmse_m": 7.5 + i, "p95_v": 0.1, "mean_delay_ms": math.nan}
        found.write(task, Flown({**keys_of(task), **metrics}, {}), STUDY.fixed_yaml())
    return found


def files(store: StudyStore) -> list[Path]:
    return sorted(store.records.glob("*/*.parquet"))


def test_what_is_written_is_read(store: StudyStore) -> None:
    frame = store.frame()
    assert len(frame) == STUDY.size == 8
    assert frame["mean_delay_ms"].isna().all()
    assert frame["seed"].dtype == frame["network.slots"].dtype == np.int64


def test_a_flipped_bit_is_refused_or_changes_nothing(store: StudyStore) -> None:
    path = files(store)[3]
    whole, row = path.read_bytes(), read_record(path)
    rng = np.random.default_rng(4)
    refused = 0
    for bit in rng.choice(8 * len(whole), 600, replace=False):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << (bit % 8)
        other = path.with_name(f"flip-{bit}.parquet")
        other.write_bytes(bytes(damaged))
        try:
            found = read_table(other).to_pylist()[0]
        except StudyError:
            refused += 1
        else:
            np.testing.assert_equal(found, row)
    assert refused > 300, "the others hit padding and names that nobody reads"


def _swap(store: StudyStore) -> None:
    a, b = files(store)[:2]
    shutil.copy(b, a)


def _foreign_policy(store: StudyStore) -> None:
    task = Task(next(iter(STUDY.cells())), "CALLS", 1)
    store.write(task, Flown({**keys_of(task), "mean_rmse_m": 1.0}, {}), "")


def _foreign_seed(store: StudyStore) -> None:
    task = Task(next(iter(STUDY.cells())), "SAFE", 99)
    store.write(task, Flown({**keys_of(task), "mean_rmse_m": 1.0}, {}), "")


def _rewritten(store: StudyStore, change: object) -> None:
    path = files(store)[0]
    table = pq.read_table(path)
    pq.write_table(change(table), path)  # type: ignore[operator]


def _two_rows(store: StudyStore) -> None:
    _rewritten(store, lambda t: pa.concat_tables([t, t]))


def _no_row(store: StudyStore) -> None:
    _rewritten(store, lambda t: t.slice(0, 0))


def _nan(store: StudyStore) -> None:
    _rewritten(store, lambda t: t.set_column(t.schema.get_field_index("p95_v"), "p95_v", pa.array([math.nan])))


def _no_column(store: StudyStore) -> None:
    _rewritten(store, lambda t: t.drop_columns(["mean_rmse_m"]))


def _no_seed(store: StudyStore) -> None:
    _rewritten(store, lambda t: t.drop_columns(["seed"]).replace_schema_metadata({}))


def _other_cell(store: StudyStore) -> None:
    row = read_record(files(store)[0])
    write_record(files(store)[0], {**row, "network.slots": 101}, {})


def _cut(store: StudyStore) -> None:
    path = files(store)[0]
    path.write_bytes(path.read_bytes()[:-40])


def _empty(store: StudyStore) -> None:
    files(store)[0].write_bytes(b"")


@pytest.mark.parametrize(
    "damage",
    [_swap, _foreign_policy, _foreign_seed, _two_rows, _no_row, _nan, _no_column, _no_seed, _other_cell, _cut, _empty],
)
def test_a_damaged_or_misplaced_record_is_refused_in_words(store: StudyStore, damage: object) -> None:
    store.frame()  # what was read before must not hide it
    damage(store)  # type: ignore[operator]
    with pytest.raises(StudyError, match=r"Delete that file and run the study again"):
        store.frame()


def test_a_header_that_would_never_end_is_refused(store: StudyStore) -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)
    )
    (store.folder / "study.yaml").write_text(bomb)
    with pytest.raises(StudyError, match="alias"):
        store.header()
