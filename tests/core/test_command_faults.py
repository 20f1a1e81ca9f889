"""What the system refuses is said in a sentence: full disk, no permission, a reader that left, an ASCII terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHORT = "control: {H: 4}\nmission: {uavs: 3, duration_s: 2}\nnetwork: {slots: 20}\n"


def command(*words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "core", *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **environment},
        errors="replace",
    )


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    path = tmp_path / "short.yaml"
    path.write_text(SHORT)
    return str(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["simulate", "--out", "/dev/full"], "No space left on device"),
        (["simulate", "--out", "/proc/nothing/run.npz"], "Nothing can be written in"),
        (["simulate", "--out", "."], "is a folder"),
        (["study", "--trials", "1", "--out", "/proc/study"], "error: "),
        (["study", "--trials", "1", "--out", "short.yaml"], "error: "),
        (["study", "--vary", "network.slots=1e999999999", "--out", "s"], "plain number"),
        (["study", "--scheduler", "tcp://127.0.0.1:9", "--out", "s"], "No Dask scheduler answers"),
    ],
)
def test_refusals_of_the_system_are_sentences(words: list[str], said: str, scenario: str, tmp_path: Path) -> None:
    done = command(*words, "--scenario", scenario, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_reader_that_leaves_and_a_terminal_without_greek(scenario: str, tmp_path: Path) -> None:
    shell = f"{sys.executable} -m core simulate --scenario {scenario} | head -1"
    done = subprocess.run(shell, shell=True, capture_output=True, text=True, cwd=tmp_path)
    assert "mean_rmse_m" in done.stdout
    assert done.stderr == ""
    plain = command("simulate", "--scenario", scenario, cwd=tmp_path, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert plain.returncode == 0
    assert "V/V_max" in plain.stdout
    assert plain.stdout.isascii()


@pytest.mark.slow
def test_whole_numbers_are_written_in_ascii_digits(tmp_path: Path) -> None:
    for text in ("3_0", "٣", "1e3", "2.5", ""):
        done = command("simulate", "--seed", text, cwd=tmp_path)
        assert done.returncode == 2
        assert "invalid" in done.stderr
        assert "Traceback" not in done.stderr
