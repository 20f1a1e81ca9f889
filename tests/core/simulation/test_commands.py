"""`python -m core simulate`, called as the shell would."""

import numpy as np
import pandas as pd
import pytest

from core.__main__ import main
from core.simulation import Run

TINY = "mission: {uavs: 6, duration_s: 3.0}\nnetwork: {slots: 40}\n"


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "tiny.yaml"
    path.write_text(TINY)
    return str(path)


def test_simulate_prints_and_saves(scenario, tmp_path, capsys):
    out = tmp_path / "run.npz"
    assert main(["simulate", "--policy", "VoI-Sched", "--seed", "7", "--scenario", scenario, "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    run = Run.load(out)
    assert (run.policy, run.seed, run.served.shape) == ("VoI-Sched", 7, (12, 6))
    assert f"{run.summary()['mean_rmse_m']:.4g}" in printed
    with np.load(out, allow_pickle=False) as file:
        assert file["rmse"].shape == (12,)


def test_simulate_saves_a_table_where_it_is_asked_for(scenario, tmp_path, capsys):
    assert main(["simulate", "--seed", "7", "--scenario", scenario, "--out", str(tmp_path / "run.parquet")]) == 0
    assert "run.parquet" in capsys.readouterr().out
    table = pd.read_parquet(tmp_path / "run.parquet")
    assert (len(table), table.attrs["seed"], table.attrs["units"]["V"]) == (12 * 6, 7, "m²")


def test_mistakes_are_one_line_and_exit_code_2(scenario, capsys):
    assert main(["simulate", "--policy", "Best", "--scenario", scenario]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: Unknown policy 'Best'")
    assert error.count("\n") == 1
    assert main(["simulate", "--seed", "-1", "--scenario", scenario]) == 2
    assert main(["simulate", "--seed", "99999999999999999999", "--scenario", scenario]) == 2
    assert "seed" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_refused_before_anything_is_flown(scenario, tmp_path, capsys, monkeypatch):
    def nothing_flies(*_args, **_kwargs):
        raise AssertionError("flown before the folder was tried")

    (tmp_path / "file").write_text("")
    monkeypatch.setattr("core.cli.simulate.simulate", nothing_flies)
    for out in ("/proc/nowhere/x.npz", str(tmp_path / "file" / "x")):
        assert main(["simulate", "--scenario", scenario, "--out", out]) == 2
        assert "--out" in capsys.readouterr().err
    assert main(["simulate", "--scenario", scenario, "--out", str(tmp_path)]) == 2
    assert "is a folder" in capsys.readouterr().err


def test_help_lists_the_commands(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    printed = capsys.readouterr().out
    assert "simulate" in printed
    assert "reproduce" in printed
