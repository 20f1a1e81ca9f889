"""`python -m core reproduce`, `tune` and `standing`, called as the shell would; they survive what a study survives."""

import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pandas as pd
import pytest

from core import Scenario
from core.__main__ import main
from core.figures import reproduction_ecdf
from core.figures.reproduction import visible_range
from core.simulation import simulate
from core.simulation.policies import FixedService
from core.studies import tuning
from core.studies.reproduction import FIGURES, Reproduction
from core.style import policy_colour

TINY = "mission: {uavs: 6, duration_s: 3.0}\nnetwork: {slots: 40}\n"


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "tiny.yaml"
    path.write_text(TINY)
    return str(path)


def test_reproduce_writes_table_curves_and_the_run_without_supervisor(scenario, tmp_path, capsys):
    out = tmp_path / "rep"
    words = [
        "reproduce",
        "--trials",
        "2",
        "--first-seed",
        "50",
        "--policies",
        "Fixed-Service,SAFE",
        "--scenario",
        scenario,
        "--workers",
        "0",
        "--supervisor",
        "both",
        "--out",
        str(out),
    ]
    assert main(words) == 0
    assert "SAFE lower by" in capsys.readouterr().out
    for name in FIGURES:
        drawn = (out / f"ecdf-{name.replace('_', '-')}.svg").read_text()
        assert "Fixed-Service" in drawn
        assert policy_colour("SAFE").lower() in drawn
    assert Reproduction.load(out).policies == ["Fixed-Service", "SAFE"]
    assert Reproduction.load(out / "supervisor-off").scenario.control.supervisor is False
    assert (out / "table.md").read_text().startswith("2 missions per policy, seeds 50–51")


@pytest.mark.slow
def test_tune_flies_every_variant_and_writes_the_tables(tmp_path, monkeypatch, capsys):
    tiny = Scenario().replace(**{"mission.uavs": 6, "mission.duration_s": 2.0, "network.slots": 40})
    for name, seed in (("variants_study", 600), ("margins_study", 500), ("lookaheads_study", 600)):
        monkeypatch.setattr(tuning, name, partial(getattr(tuning, name), tiny, seeds=(seed,)))
    assert main(["tune", "--workers", "0", "--out", str(tmp_path / "tune")]) == 0
    tried = pd.read_csv(tmp_path / "tune" / "tuning.csv")
    assert list(tried.columns[:4]) == ["policy", "variant", "shipped", "seed"]
    assert len(tried) == len(tuning.variants())
    assert tried["shipped"].sum() == 8  # one of each baseline
    ahead = pd.read_csv(tmp_path / "tune" / "lookahead.csv")
    assert len(ahead) == len(ahead.groupby(["lookahead_cycles", "eta", "slots"])) == 6 * 3 * 2
    assert len(pd.read_csv(tmp_path / "tune" / "scarcity.csv")) == len(tuning.MARGINS_DB)
    assert (tmp_path / "tune" / "tuning.md").read_text() in capsys.readouterr().out
    (variant,) = (v for v in tuning.variants() if v.words == "usable 0.9" and v.policy == "Fixed-Service")
    flown = simulate(tiny, type("Other", (FixedService,), {"usable": 0.9}), 600).summary()
    row = tried[(tried["policy"] == variant.policy) & (tried["variant"] == variant.words)].iloc[0]
    assert row["mean_rmse_m"] == pytest.approx(flown["mean_rmse_m"], rel=1e-5)


def test_a_place_that_cannot_be_written_is_refused_before_anything_is_flown(scenario, tmp_path, capsys, monkeypatch):
    def nothing_flies(*_args, **_kwargs):
        raise AssertionError("flown before the folder was tried")

    (tmp_path / "file").write_text("")
    monkeypatch.setattr("core.cli.reproduce.run_with_progress", nothing_flies)
    for out in ("/proc/nowhere/x", str(tmp_path / "file" / "x")):
        assert main(["reproduce", "--scenario", scenario, "--out", out]) == 2
        assert "--out" in capsys.readouterr().err


def test_a_policy_named_twice_is_refused(scenario, tmp_path, capsys):
    words = ["reproduce", "--policies", "SAFE,SAFE,VoI-Sched", "--scenario", scenario, "--out", str(tmp_path)]
    assert main(words) == 2
    assert "The policy 'SAFE' is given twice" in capsys.readouterr().err


def test_the_figures_of_one_result_are_the_same_bytes_and_a_wild_tail_does_not_squeeze_them():
    shipped = Reproduction.load()
    for name in FIGURES:
        first, second = (reproduction_ecdf(shipped, name).render("svg") for _ in range(2))
        assert first == second
    share = np.linspace(0.0, 1.0, 400)
    tail = np.where(share > 0.997, 1e6, share)
    low, high = visible_range(pd.DataFrame({"value": tail, "share": share}))
    assert low < 0.01 < 0.99 < high < 1.1


@pytest.mark.parametrize(("policies", "compared"), [("SAFE,VoI-Sched", True), ("SAFE", False)])
@pytest.mark.slow
def test_the_grid_is_written_and_compared_where_there_is_somebody_to_compare(scenario, tmp_path, policies, compared):
    words = [
        "reproduce",
        "--trials",
        "1",
        "--first-seed",
        "50",
        "--policies",
        policies,
        "--scenario",
        scenario,
        "--workers",
        "0",
        "--grid-trials",
        "1",
        "--out",
        str(tmp_path / "rep"),
    ]
    assert main(words) == 0
    assert len(pd.read_csv(tmp_path / "rep" / "grid.csv")) == 12 * len(policies.split(","))
    assert (tmp_path / "rep" / "grid.md").exists() == compared


COMMANDS = {
    "reproduce": ["reproduce", "--trials", "3", "--first-seed", "50", "--grid-trials", "1", "--supervisor", "both"],
    "tune": ["tune"],
    "standing": ["standing", "--trials", "2"],
}
SMALLER = """
import sys
from functools import partial
from core import Scenario
from core.__main__ import main
from core.studies import standing, tuning
tiny = Scenario().replace(**{"mission.uavs": 4, "mission.duration_s": 2.0, "network.slots": 30})
for name, seed in (("variants_study", 600), ("margins_study", 500), ("lookaheads_study", 600)):
    setattr(tuning, name, partial(getattr(tuning, name), tiny, seeds=(seed,)))
standing.settings = lambda: {standing.TABLE_ONE: tiny, "N = 3": tiny.replace(**{"mission.uavs": 3})}
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_kill_dash_nine_then_the_same_command_gives_the_same_bytes(command, scenario, tmp_path):
    """Every experiment is a study: SIGKILL at any record, and what is given again goes on to the files of an uninterrupted one."""
    (tmp_path / "smaller.py").write_text(SMALLER)
    words = [sys.executable, str(tmp_path / "smaller.py"), *COMMANDS[command], "--workers", "0"]
    words += ["--scenario", scenario] if command == "reproduce" else []
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    subprocess.run([*words, "--out", str(whole)], check=True, capture_output=True)
    total = len(list(whole.rglob("records/*/*.parquet")))
    kills = 0
    for share in (0.2, 0.7):
        process = subprocess.Popen([*words, "--out", str(parts)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and len(list(parts.rglob("records/*/*.parquet"))) < share * total:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += len(list(parts.rglob("records/*/*.parquet"))) < total
    assert kills > 0
    before = {p: p.stat().st_mtime_ns for p in parts.rglob("records/*/*.parquet")}
    assert before
    done = subprocess.run([*words, "--out", str(parts)], check=True, capture_output=True, text=True)
    assert "Error" not in done.stderr
    assert all(p.stat().st_mtime_ns == t for p, t in before.items())
    files = [p for p in whole.rglob("*") if p.is_file() and p.name != ".lock"]
    assert {"trials.csv", "curves.csv", "grid.md"} <= {p.name for p in files} or command != "reproduce"
    assert [p for p in files if (parts / p.relative_to(whole)).read_bytes() != p.read_bytes()] == []
