"""A study killed with SIGKILL again and again, and resumed: its folder beside that of a run that nothing disturbed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SCENARIO = "mission: {uavs: 6, duration_s: 6}\nnetwork: {slots: 40}\n"
PATIENCE_S = 300
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Outcome:
    """What became of it.

    Args:
        kills: records on disk at each kill.
        total: records of the study.
        differing: files of the two folders that are not the same, byte by byte.
    """

    kills: tuple[int, ...]
    total: int
    differing: tuple[str, ...]


def kill_and_resume(
    folder: Path,
    kills: int,
    trials: int,
    seed: int = 0,
    workers: tuple[int, ...] = (0,),
    python: str = sys.executable,
    root: Path = ROOT,
) -> Outcome:
    """Run a study twice, once undisturbed, once killed at random moments after its first record and resumed each time.

    Args:
        folder: empty, to work in.
        kills: how often.
        trials: seeds per cell and policy; a study has six times as many records.
        seed: of the moments.
        workers: processes of the runs that are killed, in turn.
        python, root: interpreter and checkout.
    """
    command = [python, "-m", "core"]
    rng, total = np.random.default_rng(seed), 6 * trials
    (folder / "s.yaml").write_text(SCENARIO, encoding="utf-8")
    words = [
        *command,
        "study",
        "--vary",
        "network.slots=20,30,40",
        "--policies",
        "SAFE,VoI-Sched",
        "--trials",
        str(trials),
    ]
    words += ["--seed-start", "100", "--scenario", "s.yaml"]
    marks = np.sort(rng.choice(np.arange(1, total), size=kills, replace=False))
    killed, whole, found = folder / "killed", folder / "whole", []
    for i, mark in enumerate(marks):
        process = _started(folder, root, [*words, "--workers", str(workers[i % len(workers)]), "--out", "killed"])
        _wait(process, lambda mark=mark: _records(killed) >= mark)
        time.sleep(float(rng.uniform(0.0, 0.03)))  # anywhere in the next run, or while its record is written
        _kill(process)
        if process.returncode == 0:
            break  # it was faster than the kill
        found.append(_records(killed))
    for out in ("killed", "whole"):
        process = _started(folder, root, [*words, "--workers", "0", "--out", out])
        if process.wait(PATIENCE_S) != 0:
            raise AssertionError((folder / "log").read_text(encoding="utf-8")[-2000:])
    return Outcome(tuple(found), total, tuple(_differing(killed, whole)))


def _started(folder: Path, root: Path, words: list[str]) -> subprocess.Popen[bytes]:
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            words,
            cwd=folder,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(root)},
        )


def _records(out: Path) -> int:
    return sum(1 for _ in out.glob("records/*/[!.]*.parquet"))


def _wait(process: subprocess.Popen[bytes], condition: object) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition() and process.poll() is None:  # type: ignore[operator]
        if time.monotonic() > end:
            raise AssertionError("the study made no progress")
        time.sleep(0.002)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """The command alone, as the kernel does when memory runs out; its workers end by themselves."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)
    process.wait()


def _differing(a: Path, b: Path) -> list[str]:
    """Files that are not in both folders with the same bytes; the lock is no result."""
    files = {
        p.relative_to(one) for one in (a, b) for p in one.rglob("*") if p.is_file() and not p.name.startswith(".lock")
    }
    return sorted(
        str(f)
        for f in files
        if not ((a / f).exists() and (b / f).exists() and (a / f).read_bytes() == (b / f).read_bytes())
    )
