"""Where the runs of a study are computed: in this process, on a local Dask cluster, or on one the user already has."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

from core.errors import StudyError
from core.plugins import Plugin, in_use, use_exactly
from core.scenario import Scenario
from core.studies.definition import Task
from core.studies.fingerprint import code_fingerprint, metrics_of_runs, policy_fingerprint
from core.studies.hook import text_of_module
from core.studies.policies import constants_of
from core.studies.record import Flown, RunFunction, fly_task
from core.twin import calibration_for

LOOPBACK = "127.0.0.1"
CONNECT_S = 15
POLL_S = 0.2
"""How often a waiting study looks whether it was cancelled."""
WORKER_DEATHS = 5
"""A run that takes its worker down this many times is reported as failed instead of being tried again."""

Job = tuple[Task, Scenario]
Result = tuple[Task, Flown | Exception]


def serially(
    jobs: Iterator[Job], run: RunFunction, cancel: threading.Event, samples: tuple[str, ...] = ()
) -> Iterator[Result]:
    """Run one after the other in this process."""
    for task, scenario in jobs:
        if cancel.is_set():
            return
        try:
            yield task, fly_task(scenario, task, run, samples)
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
        with client, _while_it_answers(scheduler):
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


@contextlib.contextmanager
def _while_it_answers(scheduler: str) -> Iterator[None]:
    from distributed import CancelledError
    from distributed.comm import CommClosedError

    try:
        yield
    except (CommClosedError, CancelledError, TimeoutError) as error:
        raise StudyError(
            f"The Dask scheduler at {scheduler} is gone ({error}). What was finished is kept; start the scheduler and give the "
            "same command again to continue."
        ) from error


def on_dask(
    client: Any, jobs: Iterator[Job], run: RunFunction, cancel: threading.Event, samples: tuple[str, ...] = ()
) -> Iterator[Result]:
    """Run on the workers of a Dask client, a few jobs per worker in flight; results in the order they finish.

    A job whose worker dies is given to another one. The texts of the plug-ins in use here go with every job: a worker may
    be on another machine, join late, or have worked for another study. Every result says which code, metrics and
    calibration made it, so that a worker with another version can never add a record.
    """
    from distributed import wait
    from distributed.scheduler import KilledWorker

    plugins = in_use()
    flying: dict[Any, tuple[Job, int]] = {}
    retry: list[tuple[Job, int]] = []
    while not cancel.is_set():
        window = max(4, 3 * sum(client.nthreads().values()))
        while len(flying) < window:
            job, deaths = retry.pop() if retry else (next(jobs, None), 0)
            if job is None:
                break
            flying[client.submit(remote_run, *job, run, samples, plugins, pure=False)] = (job, deaths)
        if not flying:
            return
        with contextlib.suppress(TimeoutError), client.as_current():
            wait(list(flying), timeout=POLL_S, return_when="FIRST_COMPLETED")
        for future, status in [(f, f.status) for f in flying]:
            if status == "pending":  # not done, or done on a worker that has died since and being done again
                continue
            job, deaths = flying.pop(future)
            if status == "finished":
                (there, flown), here = future.result(), version(job[1], job[0].policy, run)
                yield (
                    job[0],
                    flown if there == here else StudyError(f"A worker has another version ({there}; here {here})."),
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


def remote_run(
    task: Task, scenario: Scenario, run: RunFunction, samples: tuple[str, ...], plugins: tuple[Plugin, ...] = ()
) -> tuple[str, Flown]:
    """What a worker executes: the run, with the plug-ins of whoever asked, and the version of the code that ran it."""
    use_exactly(plugins)
    return version(scenario, task.policy, run), fly_task(scenario, task, run, samples)


def version(scenario: Scenario, policy: str, run: RunFunction) -> str:
    """Everything of this process that shapes a record: code and metrics, the calibration it has for a scenario, the
    constants of a policy and its text if it is not one of `core`, the text of a hook's module."""
    metrics = hashlib.sha256(repr(sorted(metrics_of_runs().items())).encode()).hexdigest()[:16]
    text = f"code {code_fingerprint()}, metrics {metrics}, calibration {calibration_for(scenario).digest}"
    own = {"policy": policy_fingerprint(policy), "constants": constants_of(policy), "hook": text_of_module(run)}
    return ", ".join([text, *(f"{name} {value}" for name, value in own.items() if value)])
