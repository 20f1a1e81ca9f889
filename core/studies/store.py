"""The folder of a study: header, one Parquet file per record, summary.

::

    results/slots-beta/
      study.yaml                          definition, and everything else that shapes a record (core/studies/header.py)
      records/<policy>/<cell>-<seed>.parquet
      samples/<policy>/<cell>-<seed>.parquet   whole distributions, in studies that keep them
      summary.csv                         statistics per cell, policy and metric
      differences.csv                     every pair of policies on matched seeds, per cell and metric
      ro-crate-metadata.json              what all this is, for a machine (core/studies/crate.py)

`pandas.read_parquet("results/slots-beta/records")` reads every record as one tidy table with units and scenario in `.attrs`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import yaml

from core.errors import StudyError
from core.folders import write_atomically
from core.scenario.quantity import shown
from core.simulation import simulate
from core.studies.crate import CRATE
from core.studies.definition import Cell, Study, Task
from core.studies.header import ENTRIES, differences, grown, header_of
from core.studies.metrics import metric_columns, unit_of
from core.studies.record import Flown, Row, RunFunction, keys_of
from core.studies.record_file import ADVICE, read_record, read_table, write_record, write_table
from core.studies.setting import SETTING
from core.studies.study_file import read_yaml

HEADER = "study.yaml"
RECORDS, SAMPLES = "records", "samples"
SUMMARY, DIFFERENCES, SENSITIVITY = "summary.csv", "differences.csv", "sensitivity.csv"
TABLES = (SUMMARY, DIFFERENCES, SENSITIVITY, CRATE)
"""What is made from the records and can be made again."""


class _Spelled(yaml.SafeDumper):
    """YAML without aliases, which the reader refuses."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True


@dataclass(frozen=True)
class StudyStore:
    """A study folder.

    Args:
        folder: where the study lives.
    """

    folder: Path

    @property
    def records(self) -> Path:
        """The folder that pandas reads."""
        return self.folder / RECORDS

    def exists(self) -> bool:
        """Whether a study has been begun here."""
        return (self.folder / HEADER).is_file()

    def header(self) -> dict[str, Any]:
        """Definition, code fingerprint and calibration digest as written."""
        try:
            values = read_yaml(self.folder / HEADER)
        except (OSError, StudyError, ValueError) as error:
            raise StudyError(f"{self.folder} has no readable {HEADER}: {error}") from error
        if not isinstance(values, Mapping) or not isinstance(values.get("study"), Mapping):
            raise StudyError(f"{self.folder / HEADER} is not the header of a study.")
        if odd := [name for name, kind in ENTRIES.items() if not isinstance(values.get(name), kind | None)]:
            raise StudyError(f"{self.folder / HEADER} is damaged: its entry {odd[0]!r} is {shown(values[odd[0]])}.")
        return dict(values)

    def study(self) -> Study:
        """The definition that was stored, with everything that has been added to it since."""
        return Study.from_dict(self.header()["study"])

    def begin(self, study: Study, *, fresh: bool = False, run: RunFunction = simulate) -> None:
        """Write the header, or check that an existing one belongs to this study and extend it.

        Raises:
            StudyError: the folder holds something else, or records made by other code, another hook, policy, calibration
                or scenario, which must never be mixed with new ones.
        """
        if fresh:
            self.clear()
        for left_over in self._files("*/.*.tmp"):
            left_over.unlink(missing_ok=True)
        header = header_of(study, run)
        if self.exists() and (count := sum(1 for _ in self.records.glob("*/*.parquet"))):
            header = grown(self.header(), study, run, f"{self.folder} holds {count} records made with")
        elif any(self.records.glob("*/*.parquet")) or any(not _own(p) for p in self.folder.iterdir()):
            raise StudyError(f"{self.folder} is not empty and is not a study; choose another --out.")
        text = yaml.dump(
            header, Dumper=_Spelled, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120
        )
        write_atomically(self.folder / HEADER, text.encode())

    def in_the_way(self, study: Study, run: RunFunction = simulate) -> str:
        """What keeps this study from being begun or continued here, in words; "" when nothing does."""
        if not self.folder.exists():
            return ""
        if self.exists() and any(self.records.glob("*/*.parquet")):
            try:
                return " ".join(differences(self.header(), study, run)[:1])
            except StudyError as error:
                return str(error)
        return "" if all(_own(p) for p in self.folder.iterdir()) else "something that is not a study."

    def clear(self) -> None:
        """Delete the records and the header; touches nothing that is not a study's own file."""
        if self.exists():
            for path in [*self._files("*/*.parquet"), *(self.folder / name for name in (*TABLES, HEADER))]:
                path.unlink(missing_ok=True)

    def path_of(self, task: Task) -> Path:
        """The file of one record."""
        return self._path(RECORDS, task)

    def _path(self, kind: str, task: Task) -> Path:
        plain = re.sub(r"[^A-Za-z0-9._-]", "_", task.policy)
        if plain != task.policy:  # two spellings may have the same plain letters
            plain += "-" + hashlib.sha256(task.policy.encode()).hexdigest()[:8]
        return self.folder / kind / plain / f"{task.cell.id}-{task.seed}.parquet"

    def _files(self, pattern: str) -> list[Path]:
        return [path for kind in (RECORDS, SAMPLES) for path in (self.folder / kind).glob(pattern)]

    def finished(self, tasks: Iterable[Task]) -> set[Task]:
        """Those tasks whose record is on disk."""
        names = {(p.parent.name, p.name) for p in self.records.glob("*/*.parquet")}
        return {t for t in tasks if (self.path_of(t).parent.name, self.path_of(t).name) in names}

    def write(self, task: Task, flown: Flown, scenario: str) -> None:
        """Write one record so that it is there whole or not at all; its samples are there before it.

        Args:
            task, flown: the run and what it left.
            scenario: `Study.fixed_yaml` of the study, kept with every record.
        """
        if flown.samples:
            columns = {n: pa.array([v], pa.list_(pa.float32())) for n, v in flown.samples.items()}
            metadata = {name: str(value) for name, value in keys_of(task).items()}
            write_table(self._path(SAMPLES, task), pa.table(columns, metadata=metadata))
        about = {"units": {name: unit_of(name) for name in flown.row}, "scenario": scenario}
        write_record(self.path_of(task), flown.row, about)

    def samples(self, study: Study, name: str, policy: str) -> npt.NDArray[np.float32]:
        """One distribution of a policy, pooled over the cells and seeds of a study that kept it, (values,)."""
        tasks = [t for t in study.tasks() if t.policy == policy]
        try:
            read = [read_table(self._path(SAMPLES, t)) for t in tasks]
        except StudyError as error:  # its record is there, so that nothing would fly it again
            raise StudyError(f"Samples of {self.folder} cannot be read: {error} Give --fresh.") from error
        return np.concatenate([table[name].combine_chunks().flatten().to_numpy() for table in read])

    def frame_of(self, study: Study) -> pd.DataFrame:
        """`frame` without the records that a study does not ask for: the folder may have grown beyond it."""
        frame = self.frame()
        asked = frame["cell"].isin([c.id for c in study.cells()]) & frame["seed"].isin(study.seeds)
        return tidy(frame[asked & frame["policy"].isin(study.policies)], study)

    def frame(self) -> pd.DataFrame:
        """Every record as one tidy table, sorted by cell, policy and seed; units and scenario in `.attrs`."""
        study = self.study()
        rows = [self._checked(read_record(path), path, study) for path in sorted(self.records.glob("*/*.parquet"))]
        if not rows:
            return pd.DataFrame(columns=["cell", *study.names, "policy", "seed"])
        # records written before a metric was added have no such column; one that none has is left out
        frame = tidy(pd.DataFrame.from_records(rows), study)
        frame.attrs["calibration"] = list(self.header().get("calibration") or ())
        return frame

    def _checked(self, row: Row, path: Path, study: Study) -> Row:
        """The row, refused where it is not the record of its own place in this study."""
        missing = [name for name in ("cell", *study.names, "policy", "seed") if name not in row]
        if missing:
            raise StudyError(f"{path} has no column {missing[0]}. {ADVICE}")
        if not isinstance(row["policy"], str) or type(row["seed"]) is not int:
            raise StudyError(f"{path} names no policy and seed. {ADVICE}")
        if words := [name for name in metric_columns(row, study.names) if not isinstance(row[name], float)]:
            raise StudyError(f"{path} holds something else than a number as {words[0][:80]!r}. {ADVICE}")
        task = Task(Cell(tuple((name, row[name]) for name in study.names)), row["policy"], row["seed"])
        if row["cell"] != task.cell.id or self.path_of(task) != path:
            raise StudyError(
                f"{path} is the record of another run ({task.policy}, seed {task.seed}, {task.cell}). {ADVICE}"
            )
        if task.policy not in study.policies or task.seed not in study.seeds:
            raise StudyError(f"{path} belongs to a policy or a seed that this study never asked for. {ADVICE}")
        for name in study.names:  # "120" and 120 are spelled alike in the name of a cell
            if type(row[name]) is not type(study.levels(name)[0]):
                raise StudyError(f"{path} has {name} = {shown(row[name])}, which is of another type. {ADVICE}")
        return row


def tidy(frame: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Columns in the order cell, varied fields, policy, seed, metrics; rows sorted; units and scenario attached."""
    keys = ["cell", *study.names, "policy", "seed"]
    order = {name: i for i, name in enumerate(study.policies)}
    ranked = frame.assign(rank=frame["policy"].map(order).fillna(len(order)))
    by = list(study.names)
    if study.settings:  # numbers in their order, settings in that of the study
        place = {name: i for i, name in enumerate(study.levels(SETTING))}
        ranked, by[0] = ranked.assign(place=ranked[SETTING].map(place)), "place"
    ranked = ranked.sort_values([*by, "rank", "policy", "seed"], kind="stable", ignore_index=True)
    frame = ranked[keys + [c for c in frame.columns if c not in keys]]
    frame.attrs["units"] = {str(c): unit_of(str(c)) for c in frame.columns}
    frame.attrs["scenario"] = study.fixed_yaml()
    return frame


def find_studies(*roots: Path) -> list[Path]:
    """Study folders directly below the given folders, by name."""
    return sorted(h.parent for root in roots for h in root.glob(f"*/{HEADER}"))


def _own(path: Path) -> bool:
    """Whether a study makes entries of this name in its folder; hidden ones are the lock and temporary files."""
    return path.name in (HEADER, RECORDS, SAMPLES, *TABLES) or path.name.startswith(".")
