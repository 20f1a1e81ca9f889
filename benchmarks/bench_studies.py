"""A what-if study in process, on one local Dask worker and on two: the same 240 records, byte-identical summaries.

Small runs (8 UAVs, 10 s) so that the cost of handing out and storing a run shows. Both clusters are up before the
clock starts: what is compared is the rate of a long study.

Run: python benchmarks/bench_studies.py [runs]      (default 240)
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from results import Figure, publish

from core.scenario import Scenario
from core.simulation import simulate
from core.studies import Axis, Study, seed_range
from core.studies.backends import dask_client, on_dask, serially
from core.studies.record import Flown
from core.studies.statistics import summary_csv
from core.studies.store import StudyStore

SMALL = Scenario().replace(**{"mission.uavs": 8, "mission.duration_s": 10.0})
WARM_UP = 6


def timed(study: Study, folder: Path, workers: int) -> tuple[float, bytes]:
    """Seconds from the first warm result to the last record on disk, and the summary."""
    store, never = StudyStore(folder), threading.Event()
    folder.mkdir()
    store.begin(study)
    tasks, scenario = list(study.tasks()), study.fixed_yaml()
    jobs = [(t, study.scenario_of(t.cell)) for t in tasks]
    if workers == 0:
        list(serially(iter(jobs[:1]), simulate, never))
        start = time.perf_counter()
        for task, flown in serially(iter(jobs), simulate, never):
            store.write(task, _whole(flown), scenario)
        return time.perf_counter() - start, summary_csv(store.frame(), study)
    with dask_client(workers, None, print) as client:
        list(on_dask(client, iter(jobs[:WARM_UP]), simulate, never))
        start = time.perf_counter()
        for task, flown in on_dask(client, iter(jobs), simulate, never):
            store.write(task, _whole(flown), scenario)
        return time.perf_counter() - start, summary_csv(store.frame(), study)


def _whole(flown: Flown | Exception) -> Flown:
    """The record; a run that failed (a core edited meanwhile is another version) ends the measurement."""
    if isinstance(flown, Exception):
        raise flown
    return flown


def figures(runs: int) -> Iterator[Figure]:
    study = Study(
        SMALL, (Axis("network.slots", (30, 40, 50)),), ("SAFE", "VoI-Sched"), seed_range(max(1, runs // 6), 5000)
    )
    size = f"{study.size} runs, N = {SMALL.mission.uavs}, {SMALL.cycles} cycles"
    with tempfile.TemporaryDirectory() as folder:
        found = {workers: timed(study, Path(folder) / str(workers), workers) for workers in (0, 1, 2)}
    if len({summary for _, summary in found.values()}) > 1:
        raise RuntimeError("the summaries differ")
    yield Figure("study, in process", size, found[0][0], "s", "one Dask worker", found[1][0])
    yield Figure("study, two Dask workers", size, found[2][0], "s", "one Dask worker", found[1][0])


if __name__ == "__main__":
    publish(figures(int(sys.argv[1]) if len(sys.argv) > 1 else 240))
