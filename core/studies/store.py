"""The folder of a study: header, one Parquet file per record, summary.

::

    results/slots-beta/
      study.yaml                          definition, and everything else that shapes a record (core/studies/header.py)
      records/<policy>/<cell>-<seed>.parquet
      samples/<policy>/<cell>-<seed>.parquet   whole distributions, in studies that keep them
      summary.csv                         statistics per cell, policy and metric
      differences.csv                     every pair of policies on matched seeds, per cell and metric

`pandas.read_parquet("results/slots-beta/records")` reads every record as one tidy table with units and scenario in `.attrs`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import yaml

from core.errors import StudyError
from core.folders import write_atomically
from core.simulation import simulate
from core.studies.definition import Study, Task
from core.studies.header import grown, header_of
from core.studies.metrics import unit_of
from core.studies.record import Flown, RunFunction
from core.studies.setting import SETTING

HEADER = "study.yaml"
RECORDS, SAMPLES = "records", "samples"
SUMMARY, DIFFERENCES, SENSITIVITY = "summary.csv", "differences.csv", "sensitivity.csv"
TABLES = (SUMMARY, DIFFERENCES, SENSITIVITY)
"""What is made from the records and can be made again."""


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
            values = yaml.safe_load((self.folder / HEADER).read_text(encoding="utf-8"))
        except (OSError, yaml.YAMLError, ValueError) as error:
            raise StudyError(f"{self.folder} has no readable {HEADER}: {error}") from error
        if not isinstance(values, Mapping) or not isinstance(values.get("study"), Mapping):
            raise StudyError(f"{self.folder / HEADER} is not the header of a study.")
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
        text = yaml.safe_dump(header, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)
        write_atomically(self.folder / HEADER, text.encode())

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
        row = flown.row
        if flown.samples:
            columns = {n: pa.array([v], pa.list_(pa.float32())) for n, v in flown.samples.items()}
            _write_table(self._path(SAMPLES, task), pa.table(columns))
        # PANDAS_ATTRS is where pandas keeps DataFrame.attrs in a Parquet file. One row needs neither statistics nor
        # dictionaries, which would double its size.
        about = {"units": {name: unit_of(name) for name in row}, "scenario": scenario}
        attrs = json.dumps(about, ensure_ascii=False)
        fields = [pa.field(name, _arrow_type(value)) for name, value in row.items()]
        table = pa.Table.from_pylist([row], schema=pa.schema(fields, metadata={"PANDAS_ATTRS": attrs}))
        _write_table(self.path_of(task), table)

    def samples(self, study: Study, name: str, policy: str) -> npt.NDArray[np.float32]:
        """One distribution of a policy, pooled over the cells and seeds of a study that kept it, (values,)."""
        tasks = [t for t in study.tasks() if t.policy == policy]
        try:
            read = [pyarrow.parquet.read_table(self._path(SAMPLES, t), columns=[name]) for t in tasks]
        except (pa.ArrowException, OSError) as error:
            raise StudyError(f"Samples of {self.folder} cannot be read: {error}. Run it again with --fresh.") from error
        return np.concatenate([table[name].combine_chunks().flatten().to_numpy() for table in read])

    def frame_of(self, study: Study) -> pd.DataFrame:
        """`frame` without the records that a study does not ask for: the folder may have grown beyond it."""
        frame = self.frame()
        asked = frame["cell"].isin([c.id for c in study.cells()]) & frame["seed"].isin(study.seeds)
        return tidy(frame[asked & frame["policy"].isin(study.policies)], study)

    def frame(self) -> pd.DataFrame:
        """Every record as one tidy table, sorted by cell, policy and seed; units and scenario in `.attrs`."""
        study = self.study()
        files = sorted(self.records.glob("*/*.parquet"))
        if not files:
            return pd.DataFrame(columns=["cell", *study.names, "policy", "seed"])
        one_per_policy = {p.parent: p for p in files}.values()
        try:
            schema = pa.unify_schemas([pyarrow.parquet.read_schema(p) for p in one_per_policy])
            # records written before a metric was added have no such column
            later = [name for name in self._metrics() if name not in schema.names]
            schema = pa.unify_schemas([schema, pa.schema([pa.field(name, pa.float64()) for name in later])])
            table = pyarrow.dataset.dataset([str(p) for p in files], schema=schema, format="parquet").to_table()
            table = table.drop_columns([name for name in later if table[name].null_count == len(table)])
        except (pa.ArrowException, OSError) as error:
            raise StudyError(
                f"A record of {self.folder} cannot be read: {error}. Delete that file and run again."
            ) from error
        frame: pd.DataFrame = table.to_pandas()
        return tidy(frame, study)

    def _metrics(self) -> dict[str, str]:
        """Fingerprints of the metrics that were known when the study was run, by name."""
        return dict(self.header().get("metrics") or {})


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


def _write_table(path: Path, table: pa.Table) -> None:
    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink, compression="none", write_statistics=False, use_dictionary=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, sink.getvalue().to_pybytes())


def find_studies(*roots: Path) -> list[Path]:
    """Study folders directly below the given folders, by name."""
    return sorted(h.parent for root in roots for h in root.glob(f"*/{HEADER}"))


def _own(path: Path) -> bool:
    """Whether a study makes entries of this name in its folder; hidden ones are the lock and temporary files."""
    return path.name in (HEADER, RECORDS, SAMPLES, *TABLES) or path.name.startswith(".")


def _arrow_type(value: object) -> pa.DataType:
    if isinstance(value, bool):
        return pa.bool_()
    if isinstance(value, int):
        return pa.int64()
    return pa.float64() if isinstance(value, float) else pa.string()
