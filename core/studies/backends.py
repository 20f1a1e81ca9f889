"""Where the runs of a study are computed: in this process, on a local Dask cluster, or on one the user already has."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

from core.errors import StudyError
from core.scenario import Scenario
from core.studies.definition import Task
from core.studies.fingerprint import code_fingerprint, metrics_of_runs, policy_fingerprint
from core.studies.record import Row, RunFunction, run_task
from core.twin import calibration_for

LOOPBACK = "127.0.0.1"
CONNECT_S = 15
POLL_S = 0.2
"""How often a waiting study looks whether it was cancelled."""
WORKER_DEATHS = 5
"""A run that takes its worker down this many times is reported as failed instead of being tried again."""

Job = tuple[Task, Scenario]
Result = tuple[Task, Row | Exception]


def serially(jobs: Iterator[Job], run: RunFunction, cancel: threading.Event) -> Iterator[Result]:
    """Run one after the other in this process."""
    for task, scenario in jobs:
        if cancel.is_set():
            return
        try:
            yield task, run_task(scenario, task, run)
        except Exception as error:  # one failed run must not lose the others; the caller reports it
            yield task, error


@contextlib.contextmanager
def dask_client(workers: int, scheduler: str | None, announce: Callable[[str], None]) -> Iterator[Any]:
    """A Dask client: of the given scheduler, or of a local cluster that listens on loopback only.

    Args:
        workers: processes of the local cluster, one thread each.
        scheduler: address such as tcp://10.0.0.1:8786, None for a local cluster.
        announce: told where Dask's own dashboard is.
    """
    from distributed import Client, LocalCluster

    if scheduler is not None:
        try:
            client = Client(scheduler, timeout=CONNECT_S, set_as_default=False)
        except (OSError, ValueError) as error:
            raise StudyError(f"No Dask scheduler answers at {scheduler}: {error}") from error
        except TypeError as error:  # what Dask says when tls:// has no certificates
            raise StudyError(
                f"{scheduler} cannot be used without certificates: set DASK_DISTRIBUTED__COMM__TLS__CA_FILE and the client's "
                "certificate and key (docs/CLUSTER.md)."
            ) from error
        with client:
            announce(f"Dask dashboard of {scheduler}: {client.dashboard_link}")
            if not client.nthreads():
                announce(
                    f"{scheduler} has no workers yet; waiting for the first (start one with `dask worker {scheduler}`), "
                    "Ctrl-C stops."
                )
            yield client
        return
    # dashboard_address=None still opens one on every interface; a fixed host and a free port does not.
    cluster = LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host=LOOPBACK,
        dashboard_address=f"{LOOPBACK}:0",
        silence_logs=logging.CRITICAL,
    )
    with cluster, Client(cluster, set_as_default=False) as client:
        announce(f"Dask dashboard: {client.dashboard_link}")
        yield client


def on_dask(client: Any, jobs: Iterator[Job], run: RunFunction, cancel: threading.Event) -> Iterator[Result]:
    """Run on the workers of a Dask client, a few jobs per worker in flight; results in the order they finish.

    A job whose worker dies is given to another one. Every result says which code, metrics and calibration made it, so that
    a worker with another version can never add a record.
    """
    from distributed import wait
    from distributed.scheduler import KilledWorker

    flying: dict[Any, tuple[Job, int]] = {}
    retry: list[tuple[Job, int]] = []
    while not cancel.is_set():
        window = max(4, 3 * sum(client.nthreads().values()))
        while len(flying) < window:
            job, deaths = retry.pop() if retry else (next(jobs, None), 0)
            if job is None:
                break
            flying[client.submit(remote_run, *job, run, pure=False)] = (job, deaths)
        if not flying:
            return
        with contextlib.suppress(TimeoutError), client.as_current():
            wait(list(flying), timeout=POLL_S, return_when="FIRST_COMPLETED")
        for future, status in [(f, f.status) for f in flying]:
            if status == "pending":  # not done, or done on a worker that has died since and being done again
                continue
            job, deaths = flying.pop(future)
            if status == "finished":
                (there, row), here = future.result(), version(job[1], job[0].policy)
                yield (
                    job[0],
                    row if there == here else StudyError(f"A worker has another version ({there}; here {here})."),
                )
            elif status == "error":
                error = future.exception()
                if isinstance(error, KilledWorker) and deaths < WORKER_DEATHS:
                    retry.append((job, deaths + 1))
                else:
                    yield job[0], error
            else:
                raise StudyError("The Dask scheduler lost a run; give the same command again to continue.")
    client.cancel(list(flying), force=True)


def remote_run(task: Task, scenario: Scenario, run: RunFunction) -> tuple[str, Row]:
    """What a worker executes: the run, with the version of the code that ran it."""
    return version(scenario, task.policy), run_task(scenario, task, run)


def version(scenario: Scenario, policy: str) -> str:
    """Code and metrics of this process, the calibration it has for a scenario, its version of a policy from outside `core`."""
    own = policy_fingerprint(policy)
    metrics = hashlib.sha256(repr(sorted(metrics_of_runs().items())).encode()).hexdigest()[:16]
    text = f"code {code_fingerprint()}, metrics {metrics}, calibration {calibration_for(scenario).digest}"
    return f"{text}, policy {own}" if own else text
