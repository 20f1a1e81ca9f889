"""Run a study into its folder: what is on disk is kept, what is missing is computed."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

from core.errors import StudyError
from core.folders import write_atomically
from core.simulation import simulate
from core.studies.backends import Job, Result, dask_client, on_dask, serially
from core.studies.comparison import differences_csv
from core.studies.crate import CRATE, crate_json
from core.studies.definition import Study, Task
from core.studies.fingerprint import calibration_notice
from core.studies.lock import only_writer
from core.studies.record import Row, RunFunction
from core.studies.statistics import summary_csv
from core.studies.store import DIFFERENCES, SUMMARY, StudyStore


@dataclass(frozen=True)
class Progress:
    """How far a study is.

    Args:
        done: records on disk.
        total: records of the whole study.
        row: the record just written; None for those found on disk at the start.
    """

    done: int
    total: int
    row: Row | None = None


@dataclass(frozen=True)
class Outcome:
    """What a run of a study did.

    Args:
        store: the study folder.
        total, kept, new: records asked for, found on disk, and computed now.
        failed: runs that raised, with what they said.
        cancelled: whether it was stopped before the end.
    """

    store: StudyStore
    total: int
    kept: int
    new: int
    failed: tuple[tuple[Task, str], ...] = ()
    cancelled: bool = False

    @property
    def complete(self) -> bool:
        """Whether every record asked for is on disk."""
        return self.kept + self.new == self.total


def run_study(
    study: Study,
    out: str | Path,
    *,
    workers: int = 2,
    scheduler: str | None = None,
    fresh: bool = False,
    cancel: threading.Event | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
    announce: Callable[[str], None] = lambda _: None,
    run: RunFunction = simulate,
) -> Outcome:
    """Compute the missing records of a study, then write its summary and the differences between its policies.

    Args:
        study: what to run; checked as a whole before the first run begins.
        out: the study folder; a study that is already there is continued or extended.
        workers: processes of the local Dask cluster; 0 = one after the other in this process.
        scheduler: address of a Dask scheduler the user already has, in place of local workers.
        fresh: delete what the folder holds and start again.
        cancel: set it from another thread to stop; finished records stay.
        on_progress: called from this thread after every record.
        announce: called with messages for the user.
        run: the simulator, or a hook in its place with its own mission or model; part of the fingerprint.
    """
    if workers < 0:
        raise StudyError(f"workers = {workers} must not be negative.")
    study.check()
    if unfit := calibration_notice(study):
        announce(unfit)
    cancel = cancel or threading.Event()
    store = StudyStore(Path(out))
    store.folder.mkdir(parents=True, exist_ok=True)
    with only_writer(store.folder):
        store.begin(study, fresh=fresh, run=run)
        tasks, scenario = list(study.tasks()), study.fixed_yaml()
        kept = store.finished(tasks)
        missing = [t for t in tasks if t not in kept]
        done = len(kept)
        failed: list[tuple[Task, str]] = []
        on_progress(Progress(done, len(tasks)))
        with contextlib.closing(_results(study, missing, workers, scheduler, cancel, announce, run)) as results:
            for task, flown in results:
                if isinstance(flown, Exception):
                    failed.append((task, f"{type(flown).__name__}: {flown}"))
                    continue
                store.write(task, flown, scenario)
                done += 1
                on_progress(Progress(done, len(tasks), flown.row))
        if done:
            frame, stored = store.frame(), store.study()
            write_atomically(store.folder / SUMMARY, summary_csv(frame, stored))
            write_atomically(store.folder / DIFFERENCES, differences_csv(frame, stored))
            write_atomically(store.folder / CRATE, crate_json(store.folder, store.header()))
    return Outcome(store, len(tasks), len(kept), done - len(kept), tuple(failed), cancel.is_set())


def _results(
    study: Study,
    missing: list[Task],
    workers: int,
    scheduler: str | None,
    cancel: threading.Event,
    announce: Callable[[str], None],
    run: RunFunction,
) -> Generator[Result, None, None]:
    scenarios = {cell: study.scenario_of(cell) for cell in {t.cell for t in missing}}
    jobs: Iterator[Job] = ((task, scenarios[task.cell]) for task in missing)
    if not missing:
        return
    if scheduler is None and workers == 0:
        yield from serially(jobs, run, cancel, study.samples)
        return
    with dask_client(workers, scheduler, announce) as client:
        yield from on_dask(client, jobs, run, cancel, study.samples)
