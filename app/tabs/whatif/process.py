"""A study that runs beside the server: the command line's own process, watched through its folder."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import yaml

from app.jobs.command import BackgroundCommand
from core.folders import DATA, RESULTS
from core.studies import Study, StudyStore, find_studies

SHIPPED = DATA / "studies"
SMALL = 24
"""Below this many runs, starting worker processes costs more than they save."""


class StudyProcess(BackgroundCommand):
    """`python -m core study`, its progress read from the records it leaves."""

    def __init__(self, study: Study, folder: Path, *, fresh: bool = False) -> None:
        self.study, self.store = study, StudyStore(folder)
        self.kept = 0 if fresh else self.count()
        definition = folder / ".definition.yaml"
        workers = workers_for(study)
        arguments = ["study", str(definition), "--out", str(folder), "--workers", str(workers)]
        files = {definition: yaml.safe_dump(study.to_dict(), allow_unicode=True)}
        super().__init__([*arguments, *(["--fresh"] if fresh else [])], folder / ".log", "study", files)

    def count(self) -> int:
        """Records of this study on disk."""
        return len(self.store.finished(self.study.tasks()))

    def seconds_left(self, count: int, elapsed_s: float) -> float | None:
        """Time left at the rate of the runs finished since the start; None before the first of them [s].

        Args:
            count: records on disk, those found at the start included.
            elapsed_s: since the start [s].
        """
        new = count - self.kept
        return elapsed_s / new * (self.study.size - count) if new > 0 else None

    def frame(self) -> pd.DataFrame:
        """Records so far; empty before the first one."""
        return self.store.frame() if self.store.exists() else pd.DataFrame()


def workers_for(study: Study) -> int:
    """Processes that fly it; 0 = the one of the command itself."""
    return 0 if study.size <= SMALL else min(2, os.cpu_count() or 1)


def free_name(name: str, study: Study) -> tuple[str, str]:
    """The name itself, or with a number where a study lies there that this one cannot continue; and what that one was made with."""
    wrong = StudyStore(own_folder(name)).in_the_way(study)
    found, number = name, 1
    while wrong and StudyStore(own_folder(found)).in_the_way(study):
        number += 1
        found = f"{name[:36]}-{number}"
    return found, wrong


def own_folder(name: str) -> Path:
    """Where a visitor's study of this name is kept."""
    return RESULTS / name


def stored_studies() -> dict[str, Path]:
    """Studies that can be opened, by the name shown: those of the results folder, then the shipped ones."""
    found = {p.name: p for p in find_studies(RESULTS)}
    return found | {f"{p.name} (shipped)": p for p in find_studies(SHIPPED)}
