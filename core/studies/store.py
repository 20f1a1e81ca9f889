"""The folder of a study: header, one Parquet file per record, summary.

::

    results/slots-beta/
      study.yaml                          vary, policies, seeds, scenario, code, metrics, calibration, policies from elsewhere
      records/<policy>/<cell>-<seed>.parquet
      summary.csv                         statistics per cell, policy and metric
      differences.csv                     every pair of policies on matched seeds, per cell and metric

`pandas.read_parquet("results/slots-beta/records")` reads every record as one tidy table with units and scenario in `.attrs`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import yaml

from core.errors import StudyError
from core.folders import write_atomically
from core.studies.axis import Axis
from core.studies.definition import Study, Task
from core.studies.fingerprint import calibrations_of, code_fingerprint, metrics_of_runs, policies_of
from core.studies.metrics import unit_of
from core.studies.record import Row

HEADER = "study.yaml"
RECORDS = "records"
SUMMARY, DIFFERENCES, SENSITIVITY = "summary.csv", "differences.csv", "sensitivity.csv"
TABLES = (SUMMARY, DIFFERENCES, SENSITIVITY)
"""What is made from the records and can be made again."""
WHAT_TO_DO = "Choose another --out, or give --fresh to delete these records and start again."


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

    def begin(self, study: Study, *, fresh: bool = False) -> None:
        """Write the header, or check that an existing one belongs to this study and extend it.

        Raises:
            StudyError: the folder holds something else, or records made by other code, another calibration or another
                scenario, which must never be mixed with new ones.
        """
        if fresh:
            self.clear()
        metrics = metrics_of_runs()
        for left_over in self.records.glob("*/.*.tmp"):
            left_over.unlink(missing_ok=True)
        if self.exists() and any(self.records.glob("*/*.parquet")):
            study, metrics = self._grown(study), {**self._metrics(), **metrics}
        elif any(self.records.glob("*/*.parquet")) or any(not _own(p) for p in self.folder.iterdir()):
            raise StudyError(f"{self.folder} is not empty and is not a study; choose another --out.")
        header = {"study": study.to_dict(), "code": code_fingerprint(), "calibration": calibrations_of(study)}
        if elsewhere := policies_of(study):
            header["policies"] = elsewhere
        header["metrics"] = metrics
        text = yaml.safe_dump(header, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)
        write_atomically(self.folder / HEADER, text.encode())

    def clear(self) -> None:
        """Delete the records and the header; touches nothing that is not a study's own file."""
        if self.exists():
            for path in [*self.records.glob("*/*.parquet"), *(self.folder / name for name in (*TABLES, HEADER))]:
                path.unlink(missing_ok=True)

    def path_of(self, task: Task) -> Path:
        """The file of one record."""
        return self.records / re.sub(r"[^A-Za-z0-9._-]", "_", task.policy) / f"{task.cell.id}-{task.seed}.parquet"

    def finished(self, tasks: Iterable[Task]) -> set[Task]:
        """Those tasks whose record is on disk."""
        names = {(p.parent.name, p.name) for p in self.records.glob("*/*.parquet")}
        return {t for t in tasks if (self.path_of(t).parent.name, self.path_of(t).name) in names}

    def write(self, task: Task, row: Row, scenario: str) -> None:
        """Write one record so that it is there whole or not at all.

        Args:
            task, row: the run and what it measured.
            scenario: `Study.fixed_yaml` of the study, kept with every record.
        """
        # PANDAS_ATTRS is where pandas keeps DataFrame.attrs in a Parquet file. One row needs neither statistics nor
        # dictionaries, which would double its size.
        about = {"units": {name: unit_of(name) for name in row}, "scenario": scenario}
        attrs = json.dumps(about, ensure_ascii=False)
        fields = [pa.field(name, _arrow_type(value)) for name, value in row.items()]
        table = pa.Table.from_pylist([row], schema=pa.schema(fields, metadata={"PANDAS_ATTRS": attrs}))
        sink = pa.BufferOutputStream()
        pyarrow.parquet.write_table(table, sink, compression="none", write_statistics=False, use_dictionary=False)
        path = self.path_of(task)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, sink.getvalue().to_pybytes())

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

    def _grown(self, study: Study) -> Study:
        header = self.header()
        old = Study.from_dict(header["study"])
        count = sum(1 for _ in self.records.glob("*/*.parquet"))
        where = f"{self.folder} holds {count} records made with"
        if set(old.names) != set(study.names):
            varied = ", ".join(old.names) or "nothing"
            raise StudyError(f"{where} {varied} varied; a study grows by values, policies and trials. {WHAT_TO_DO}")
        if (old.points is None) != (study.points is None):
            raise StudyError(f"{where} another kind of design (a grid is not a sensitivity sample). {WHAT_TO_DO}")
        if header.get("code") != code_fingerprint():
            raise StudyError(f"{where} another version of the code ({header.get('code')}). {WHAT_TO_DO}")
        if header.get("calibration") != calibrations_of(old):
            raise StudyError(f"{where} another calibration ({header.get('calibration')}). {WHAT_TO_DO}")
        made_by, now = header.get("policies") or {}, policies_of(old)
        other = [name for name in old.policies if made_by.get(name) != now.get(name)]
        if other:
            raise StudyError(f"{where} another version of the policy {', '.join(other)}. {WHAT_TO_DO}")
        measured, now = self._metrics(), metrics_of_runs()
        other = [name for name, text in measured.items() if now.get(name, text) != text]
        if other:
            raise StudyError(f"{where} another version of the metric {', '.join(other)}. {WHAT_TO_DO}")
        changed = [name for name in old.scenario.differences(study.scenario) if name not in study.names]
        if changed:
            what = ", ".join(f"{n} = {old.scenario.value(n)} (now {study.scenario.value(n)})" for n in changed[:3])
            raise StudyError(f"{where} {what}. {WHAT_TO_DO}")
        return _union(old, study)


def tidy(frame: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Columns in the order cell, varied fields, policy, seed, metrics; rows sorted; units and scenario attached."""
    keys = ["cell", *study.names, "policy", "seed"]
    order = {name: i for i, name in enumerate(study.policies)}
    ranked = frame.assign(rank=frame["policy"].map(order).fillna(len(order)))
    ranked = ranked.sort_values([*study.names, "rank", "policy", "seed"], kind="stable", ignore_index=True)
    frame = ranked[keys + [c for c in frame.columns if c not in keys]]
    frame.attrs["units"] = {str(c): unit_of(str(c)) for c in frame.columns}
    frame.attrs["scenario"] = study.fixed_yaml()
    return frame


def find_studies(*roots: Path) -> list[Path]:
    """Study folders directly below the given folders, by name."""
    return sorted(h.parent for root in roots for h in root.glob(f"*/{HEADER}"))


def _own(path: Path) -> bool:
    """Whether a study makes entries of this name in its folder; hidden ones are the lock and temporary files."""
    return path.name in (HEADER, RECORDS, *TABLES) or path.name.startswith(".")


def _arrow_type(value: object) -> pa.DataType:
    if isinstance(value, bool):
        return pa.bool_()
    if isinstance(value, int):
        return pa.int64()
    return pa.float64() if isinstance(value, float) else pa.string()


def _union(old: Study, new: Study) -> Study:
    by_name = {a.name: a for a in new.axes}
    axes = tuple(Axis(a.name, tuple(dict.fromkeys((*a.values, *by_name[a.name].values)))) for a in old.axes)
    points = None
    if old.points is not None and new.points is not None:
        order = [new.names.index(n) for n in old.names]
        points = tuple(dict.fromkeys((*old.points, *(tuple(p[i] for i in order) for p in new.points))))
    return Study(
        scenario=old.scenario,
        axes=axes,
        policies=tuple(dict.fromkeys((*old.policies, *new.policies))),
        seeds=(*old.seeds, *new.seeds),
        points=points,
    )
