"""A what-if study on one local Dask worker and on two: the same 240 records, and the speed-up.

Small runs (8 UAVs, 10 s) so that the cost of handing out and storing a run shows. Both clusters are up before the
clock starts: what is compared is the rate of a long study. The line "in process" has no Dask at all.

Run: python benchmarks/bench_studies.py [runs]      (default 240)
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from pathlib import Path

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


def main(runs: int) -> None:
    study = Study(
        SMALL, (Axis("network.slots", (30, 40, 50)),), ("SAFE", "VoI-Sched"), seed_range(max(1, runs // 6), 5000)
    )
    print(f"{study.size} runs of {SMALL.mission.uavs} UAVs and {SMALL.cycles} cycles")
    seconds: dict[int, float] = {}
    summaries = set()
    with tempfile.TemporaryDirectory() as folder:
        for workers in (0, 1, 2):
            seconds[workers], summary = timed(study, Path(folder) / str(workers), workers)
            summaries.add(summary)
            where = f"{workers} workers" if workers else "in process"
            print(f"{where:>11}: {seconds[workers]:7.2f} s, {study.size / seconds[workers]:6.1f} runs/s")
    print(f"speed-up of two workers over one: {seconds[1] / seconds[2]:.2f}")
    print(f"summaries byte-identical: {len(summaries) == 1}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 240)
