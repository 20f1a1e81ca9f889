"""Studies over the real closed loop: Dask workers, a killed command, a killed worker, the command line."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import pandas as pd
import psutil
import pytest
from distributed import LocalCluster

from core import Scenario
from core.__main__ import main
from core.errors import StudyError
from core.simulation import METRICS, POLICIES, simulate
from core.studies import Axis, Study, StudyStore, run_study, seed_range
from core.studies.backends import dask_client, on_dask
from core.studies.record import run_task

pytestmark = pytest.mark.slow  # other processes, each with its own start

SMALL = Scenario().replace(**{"mission.uavs": 4, "mission.duration_s": 2.0})
LOOPBACK = {"127.0.0.1", "::1", "::ffff:127.0.0.1"}


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    """Arguments of a study of 48 runs, long enough to be killed half-way."""
    scenario = tmp_path_factory.mktemp("scenario") / "small.yaml"
    SMALL.replace(**{"mission.duration_s": 4.0}).to_yaml(scenario)
    return [
        "study",
        "--vary",
        "network.slots=20:40:10",
        "--vary",
        "twin.beta=0.05,0.2",
        "--policies",
        "SAFE,VoI-Sched",
        "--trials",
        "4",
        "--scenario",
        str(scenario),
    ]


@pytest.fixture(scope="module")
def uninterrupted(command, tmp_path_factory):
    """The same study run without interruption, one run after the other."""
    out = tmp_path_factory.mktemp("whole") / "study"
    assert main([*command, "--workers", "0", "--out", str(out)]) == 0
    return out


def test_uninterrupted_study(uninterrupted):
    frame = pd.read_parquet(uninterrupted / "records")
    assert len(frame) == 48
    assert frame["mean_rmse_m"].between(1, 100).all()
    record = frame[(frame["network.slots"] == 30) & (frame["twin.beta"] == 0.2) & (frame["policy"] == "SAFE")]
    record = record[record["seed"] == 10002].iloc[0]
    scenario = SMALL.replace(**{"mission.duration_s": 4.0, "network.slots": 30, "twin.beta": 0.2})
    assert record["mean_rmse_m"] == simulate(scenario, "SAFE", 10002).summary()["mean_rmse_m"]


def test_kill_dash_nine_half_way_then_the_same_command_again(command, uninterrupted, tmp_path, capsys):
    """SIGKILL after half of the records: only loopback listens, no process is left over, the rerun gives the same bytes.

    The killed command ran on two Dask workers, the second and the uninterrupted one in this process: where a run is
    computed does not change its record either.
    """
    for attempt in range(5):  # again in the unlikely case that the whole study was done before the kill came
        out = tmp_path / f"study-{attempt}"
        words = [sys.executable, "-m", "core", *command, "--workers", "2", "--out", str(out)]
        with (tmp_path / "log").open("wb") as log:
            process = subprocess.Popen(words, stdout=log, stderr=log)
        try:
            _wait_for(lambda out=out: len(list(out.glob("records/*/*.parquet"))) >= 24, process)
            family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
            listening = _listening_addresses(family)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        kept = {p: p.read_bytes() for p in out.glob("records/*/*.parquet")}
        if len(kept) < 48:
            break
    assert 24 <= len(kept) < 48
    assert listening
    assert listening <= LOOPBACK
    _wait_for(lambda: not any(_alive(p) for p in family))
    assert not (out / "summary.csv").exists()

    assert "Dask dashboard: http://127.0.0.1:" in (tmp_path / "log").read_text()

    assert main([*command, "--workers", "0", "--out", str(out)]) == 0
    assert f"({len(kept)} kept, {48 - len(kept)} new)" in capsys.readouterr().out
    assert all(p.read_bytes() == content for p, content in kept.items())
    for table in ("summary.csv", "differences.csv"):
        assert (out / table).read_bytes() == (uninterrupted / table).read_bytes()
    for path in uninterrupted.glob("records/*/*.parquet"):
        assert (out / path.relative_to(uninterrupted)).read_bytes() == path.read_bytes()


def test_a_worker_killed_mid_run_loses_nothing_and_a_given_scheduler_is_used(tmp_path):
    study = Study(SMALL, (Axis("network.slots", (20, 40)),), ("SAFE", "Fixed-Service"), seed_range(5))
    jobs = ((t, study.scenario_of(t.cell)) for t in study.tasks())
    rows = {}
    with dask_client(2, None, lambda _: None) as client:
        for task, row in on_dask(client, jobs, simulate, threading.Event()):
            if not rows:
                victim = next(iter(client.run(os.getpid).values()))
                os.kill(victim, signal.SIGKILL)
            assert task not in rows
            rows[task] = row
        said = []
        address = client.scheduler.address
        small = Study(SMALL, (), ("SAFE",), seed_range(2))
        outcome = run_study(small, tmp_path / "s", scheduler=address, announce=said.append)
        assert outcome.complete
        assert address in said[0]
    tasks = list(study.tasks())
    assert set(rows) == set(tasks)
    for task in tasks[:3] + tasks[-3:]:
        assert rows[task] == run_task(study.scenario_of(task.cell), task)


def test_a_scheduler_without_workers_is_said_and_waited_for(tmp_path):
    study = Study(SMALL, (), ("SAFE",), seed_range(2))
    said = []
    with LocalCluster(
        n_workers=0, processes=False, host="127.0.0.1", protocol="tcp", dashboard_address=None
    ) as cluster:

        def hear(text):
            said.append(text)
            if "no workers yet" in text:
                cluster.scale(1)

        outcome = run_study(study, tmp_path / "s", scheduler=cluster.scheduler_address, announce=hear)
    assert outcome.complete
    assert f"dask worker {cluster.scheduler_address}" in said[-1]


def test_a_worker_with_another_version_of_a_policy_cannot_add_a_record(tmp_path, monkeypatch):
    """The policy comes from a file that differs between here and the worker."""
    text = "from core.simulation import register\nfrom core.simulation.policies import Safe\n\n\n@register\nclass Mine(Safe):\n    name = 'Mine'\n"
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "mine_for_workers.py").write_text(text + f"    # {place}\n")
    monkeypatch.setitem(POLICIES, "Mine", None)  # undone after the test
    _import_from(str(tmp_path / "here"))
    study = Study(SMALL, (), ("SAFE", "Mine"), seed_range(1))
    jobs = [(t, study.scenario_of(t.cell)) for t in study.tasks()]
    with dask_client(1, None, lambda _: None) as client:
        client.run(_import_from, str(tmp_path / "there"))
        found = {t.policy: row for t, row in on_dask(client, iter(jobs), simulate, threading.Event())}
    assert found["SAFE"]["policy"] == "SAFE"
    assert isinstance(found["Mine"], StudyError)
    assert "another version" in str(found["Mine"])


def _import_from(folder):
    """Run here and, sent by value, on a worker."""
    import importlib
    import sys

    sys.path.insert(0, folder)
    importlib.import_module("mine_for_workers")
    sys.path.remove(folder)


def test_ctrl_c_keeps_what_is_finished(tmp_path):
    study = Study(SMALL, (Axis("network.slots", (20, 40)),), ("SAFE",), seed_range(10))
    cancel = threading.Event()

    def interrupt(progress):
        if progress.row is not None:
            cancel.set()

    outcome = run_study(study, tmp_path / "s", workers=0, cancel=cancel, on_progress=interrupt)
    assert outcome.cancelled
    assert outcome.new == 1
    assert (tmp_path / "s" / "summary.csv").exists()


def test_command_from_a_file(tmp_path, capsys):
    file = tmp_path / "study.yaml"
    file.write_text(
        "vary: {network.slots: [20, 40]}\npolicies: [SAFE]\ntrials: 2\nscenario: {mission: {uavs: 4, duration_s: 2.0}}\n"
    )
    arguments = ["study", str(file), "--workers", "0", "--out", str(tmp_path / "s")]
    assert main(arguments) == 0
    said = capsys.readouterr().out
    assert "4 of 4 records" in said
    assert "difference" not in said  # of one policy
    assert main([*arguments, "--trials", "3"]) == 0
    assert "(4 kept, 2 new)" in capsys.readouterr().out
    assert StudyStore(tmp_path / "s").study().seeds == seed_range(3)


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["--vary", "network.slot=100:200:10"], "network.slots"),
        (["--vary", "network.slots=200:100:10"], "reversed"),
        (["--vary", "network.slots=100:2000:100"], "outside"),
        (["--policies", "SAFER"], "SAFE"),
        (["--policies", ""], "name is empty"),
        (["--scenario", ""], "No preset"),
        (["--trials", "0"], "trials"),
        (["--scenario", "table-2"], "table-1"),
        (["--vary", "twin.beta=0.1", "--vary", "twin.beta=0.2"], "varied twice"),
        (["--scheduler", "tcp://127.0.0.1:1"], "No Dask scheduler"),
    ],
)
def test_nothing_runs_when_the_command_is_wrong(arguments, advice, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("core.studies.backends.CONNECT_S", 1)
    assert main(["study", *arguments, "--workers", "0", "--out", str(tmp_path / "s")]) == 2
    assert advice in capsys.readouterr().err
    assert not list(tmp_path.glob("s/records/*/*"))


def test_sensitivity_command(tmp_path, capsys):
    scenario = tmp_path / "small.yaml"
    SMALL.to_yaml(scenario)
    arguments = ["--scenario", str(scenario), "--trials", "2", "--workers", "0"]
    code = main(
        [
            "sensitivity",
            "--vary",
            "network.slots=10:40",
            "--vary",
            "twin.beta",
            *arguments,
            "--out",
            str(tmp_path / "a"),
        ]
    )
    assert code == 0
    table = pd.read_csv(tmp_path / "a" / "sensitivity.csv")
    assert table["slider"].tolist() == ["network.slots", "twin.beta"]
    assert "mean_rmse_m, SAFE" in capsys.readouterr().out
    sobol = ["--method", "sobol", "--samples", "2", "--metric", "p95_v", "--vary", "network.slots=10:40"]
    assert main(["sensitivity", *sobol, *arguments, "--out", str(tmp_path / "b")]) == 0
    assert pd.read_csv(tmp_path / "b" / "sensitivity.csv")["total"].notna().all()


def test_a_metric_that_does_not_exist_is_refused_before_anything_flies(tmp_path, capsys):
    words = ["sensitivity", "--vary", "network.slots=10:40", "--workers", "0", "--out", str(tmp_path / "s")]
    assert main([*words, "--metric", "speed"]) == 2
    assert "no metric 'speed'; there are mean_rmse_m" in capsys.readouterr().err
    assert main([*words, "--metric", "mean_rmse"]) == 2
    assert "Did you mean 'mean_rmse_m'?" in capsys.readouterr().err
    assert not (tmp_path / "s").exists()


def test_the_table_says_beforehand_what_any_run_measures():
    assert tuple(METRICS) == tuple(simulate(SMALL, "VoI-Sched", 10000).summary())


def _wait_for(condition, process=None, seconds=300):
    """Poll until true; the limit only ends a test that would never end."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert process is None or process.poll() is None, "the command ended by itself"
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _listening_addresses(family):
    found = set()
    for member in family:
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            found |= {c.laddr.ip for c in member.net_connections(kind="inet") if c.status == psutil.CONN_LISTEN}
    return found


def _alive(process):
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False
