"""A server ends with everything it started, however stubborn, and whoever ended it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
)
"""A worker that does not listen."""
PARENT = """import os, pathlib, subprocess, sys, time
workers = [subprocess.Popen([sys.executable, "-c", {worker!r}], stdout=subprocess.PIPE) for _ in range(2)]
for worker in workers:
    worker.stdout.readline()
folder = pathlib.Path({folder!r})
(folder / "new").write_text(" ".join(str(pid) for pid in (os.getpid(), *(w.pid for w in workers))))
(folder / "new").rename(folder / "pids")
{end}
"""
SUPERVISE = "import sys; from core.cli.supervisor import supervise; sys.exit(supervise(sys.argv[1:], grace_s=0.3))"


def started(folder: Path, end: str) -> tuple[subprocess.Popen[bytes], list[int]]:
    """A supervised parent with two workers that ignore SIGTERM, once all of them are up."""
    code = PARENT.format(worker=STUBBORN, folder=str(folder), end=end)
    supervisor = subprocess.Popen([sys.executable, "-c", SUPERVISE, sys.executable, "-c", code])
    while not (folder / "pids").exists():
        assert supervisor.poll() is None or (folder / "pids").exists(), "it never came up"
        time.sleep(0.05)
    return supervisor, [int(word) for word in (folder / "pids").read_text().split()]


def alive(pids: list[int]) -> list[int]:
    return [p for p in pids if psutil.pid_exists(p) and psutil.Process(p).status() != psutil.STATUS_ZOMBIE]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.slow
def test_a_signal_ends_all_of_it(tmp_path: Path, number: int) -> None:
    supervisor, pids = started(tmp_path, "time.sleep(600)")
    assert alive(pids) == pids
    os.kill(supervisor.pid, number)
    assert supervisor.wait(60) == 0
    assert alive(pids) == []


@pytest.mark.parametrize(("end", "code"), [("sys.exit(3)", 3), ("os.kill(os.getpid(), 9)", 137)])
@pytest.mark.slow
def test_a_command_that_ends_by_itself_leaves_nobody_and_its_code(tmp_path: Path, end: str, code: int) -> None:
    supervisor, pids = started(tmp_path, end)
    assert supervisor.wait(60) == code
    assert alive(pids) == []
