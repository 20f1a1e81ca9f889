"""What a new user does first, in a folder of his own: one file, flown by a command, in a study on two workers, and changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from distributed import LocalCluster
from plugin_files import EXAMPLE, ROOT, as_before

from core import Scenario, load_plugins
from core.plugins import VARIABLE, use_exactly
from core.simulation import simulate
from core.studies import Study, run_study, seed_range

pytestmark = pytest.mark.slow  # other processes, each with its own start

SMALL = Scenario().replace(**{"mission.uavs": 4, "mission.duration_s": 2.0, "network.slots": 30})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The user's folder: his file, and a small scenario."""
    shutil.copy(EXAMPLE, tmp_path / "mine.py")
    SMALL.to_yaml(tmp_path / "small.yaml")
    return tmp_path


def core(home: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`python -m core …`, typed in the user's folder."""
    command = [sys.executable, "-m", "core", *words]
    env = {**{n: v for n, v in os.environ.items() if n != VARIABLE}, **environment}
    return subprocess.run(command, cwd=home, env=env, capture_output=True, text=True, check=False)


def untouched() -> bool:
    found = subprocess.run(
        ["git", "status", "--porcelain", "core", "app"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return found.stdout


def test_a_file_of_ones_own_from_simulate_to_a_study_on_two_workers(home):
    before = untouched()
    flown = core(
        home, "simulate", "--plugins", "mine.py", "--policy", "Largest-Error", "--scenario", "small.yaml", "--seed", "5"
    )
    assert flown.returncode == 0, flown.stderr
    with as_before():
        load_plugins(home / "mine.py")
        here = simulate(SMALL, "Largest-Error", 5).summary()
    printed = {line.split()[0]: float(line.split()[1]) for line in flown.stdout.splitlines()}
    assert printed["far_share"] == pytest.approx(here["far_share"], rel=1e-3)
    assert printed["mean_rmse_m"] == pytest.approx(here["mean_rmse_m"], rel=1e-3)

    study = [
        "study",
        "--vary",
        "network.slots=20,30",
        "--policies",
        "SAFE,Largest-Error",
        "--trials",
        "2",
        "--seed-start",
        "5",
    ]
    study += ["--scenario", "small.yaml", "--workers", "2", "--out", "out"]
    unknown = core(home, *study)
    assert unknown.returncode == 2
    assert "Unknown policy 'Largest-Error'" in unknown.stderr
    done = core(home, *study, **{VARIABLE: "mine.py"})
    assert done.returncode == 0, done.stderr
    frame = pd.read_parquet(home / "out" / "records")
    mine = frame[(frame["policy"] == "Largest-Error") & (frame["network.slots"] == 30)].set_index("seed")
    assert mine.loc[5, "mean_rmse_m"] == here["mean_rmse_m"]
    assert mine.loc[5, "far_share"] == here["far_share"]

    text = (home / "mine.py").read_text()
    (home / "mine.py").write_text(text.replace("np.argsort(-s.V)", "np.argsort(s.V)"))
    changed = core(home, *study, "--plugins", "mine.py")
    assert changed.returncode == 2
    assert "made with another version of the policy Largest-Error" in changed.stderr
    (home / "mine.py").write_text(text.replace("> 10.0", "> 9.0"))
    measured = core(home, *study, "--plugins", "mine.py")
    assert measured.returncode == 2
    assert "another version of the" in measured.stderr
    (home / "mine.py").write_text(text)
    kept = core(home, *study, "--plugins", "mine.py")
    assert kept.returncode == 0
    assert "(8 kept, 0 new)" in kept.stdout
    assert untouched() == before


def test_workers_of_a_scheduler_get_the_text_and_a_later_study_its_own(home):
    """Worker processes that were there before, without the file: the text travels, also the changed one."""
    file = home / "mine.py"
    with (
        as_before(),
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        ) as cluster,
    ):
        rows = {}
        for text in (file.read_text(), file.read_text().replace("np.argsort(-s.V)", "np.argsort(s.V)")):
            file.write_text(text)
            load_plugins(file)
            file.unlink()  # as on another machine
            study = Study(SMALL, (), ("SAFE", "Largest-Error"), seed_range(2, 5))
            outcome = run_study(study, home / f"out-{len(rows)}", scheduler=cluster.scheduler_address)
            assert not outcome.failed
            rows[text] = outcome.store.frame().set_index(["policy", "seed"])["mean_rmse_m"]
            assert rows[text]["Largest-Error", 5] == simulate(SMALL, "Largest-Error", 5).summary()["mean_rmse_m"]
        first, second = rows.values()
        assert first["SAFE", 5] == second["SAFE", 5]
        assert first["Largest-Error", 5] != second["Largest-Error", 5]
        use_exactly(())  # and one without plug-ins finds no metric of theirs
        plain = run_study(
            Study(SMALL, (), ("SAFE",), seed_range(1, 5)), home / "plain", scheduler=cluster.scheduler_address
        )
        assert plain.complete
        assert "far_share" not in plain.store.frame()


def test_a_run_that_fails_on_a_worker_says_file_and_line(home):
    text = (home / "mine.py").read_text()
    (home / "mine.py").write_text(text.replace("return Decision.of(choice)", "return Decision.of(choice / 0)"))
    words = [
        "study",
        "--plugins",
        "mine.py",
        "--policies",
        "SAFE,Largest-Error",
        "--scenario",
        "small.yaml",
        "--seed-start",
        "5",
    ]
    done = core(home, *words, "--workers", "1", "--out", "out")
    assert done.returncode == 1
    assert "failed: Largest-Error, seed 5" in done.stderr
    line = 1 + next(i for i, row in enumerate(text.splitlines()) if "def decide" in row)
    assert f"PolicyError: Policy Largest-Error (mine.py, line {line}) must choose rows" in done.stderr
    assert "1 of 2 records" in done.stdout
