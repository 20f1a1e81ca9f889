"""The runs of a calibration in other processes: they leave arrays, not records, so they are no study."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


def in_processes(work: Callable[[Job], Result], jobs: Sequence[Job], workers: int) -> Iterator[Result]:
    """Results in the order of the jobs; in this process when there is one worker.

    Args:
        work: a function of a module, so that another process finds it by name.
        jobs: its arguments.
        workers: processes.
    """
    if workers <= 1:
        yield from map(work, jobs)
        return
    # spawn: a forked copy of a process with threads (numba, a dashboard) may hang
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(work, jobs, chunksize=1)
