"""`python -m core simulate` and `reproduce`, called as the shell would."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from core import Scenario
from core.__main__ import main
from core.cli import tune
from core.cli.ecdf_figures import save_ecdf_figures, visible_range
from core.cli.policy_style import policy_colour
from core.simulation import Reproduction, Run
from core.simulation.reproduction import FIGURES
from core.simulation.tuning import MARGINS_DB, try_lookaheads, try_margins, try_variants, variants

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
        "1",
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


def test_tune_flies_every_variant_and_writes_the_tables(tmp_path, monkeypatch, capsys):
    tiny = Scenario().replace(**{"mission.uavs": 6, "mission.duration_s": 2.0, "network.slots": 40})
    monkeypatch.setattr(tune, "try_variants", partial(try_variants, tiny, seeds=(600,)))
    monkeypatch.setattr(tune, "try_margins", partial(try_margins, tiny, seeds=(500,)))
    monkeypatch.setattr(tune, "try_lookaheads", partial(try_lookaheads, tiny, seeds=(600,)))
    assert main(["tune", "--workers", "1", "--out", str(tmp_path / "tune")]) == 0
    tried = pd.read_csv(tmp_path / "tune" / "tuning.csv")
    assert len(tried) == len(variants())
    assert tried["shipped"].sum() == 8  # one of each baseline
    ahead = pd.read_csv(tmp_path / "tune" / "lookahead.csv")
    assert len(ahead) == len(ahead.groupby(["lookahead_cycles", "eta", "slots"])) == 6 * 3 * 2
    assert len(pd.read_csv(tmp_path / "tune" / "scarcity.csv")) == len(MARGINS_DB)
    assert (tmp_path / "tune" / "tuning.md").read_text() in capsys.readouterr().out


def test_mistakes_are_one_line_and_exit_code_2(scenario, capsys):
    assert main(["simulate", "--policy", "Best", "--scenario", scenario]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: Unknown policy 'Best'")
    assert error.count("\n") == 1
    assert main(["simulate", "--seed", "-1", "--scenario", scenario]) == 2
    assert main(["simulate", "--seed", "99999999999999999999", "--scenario", scenario]) == 2
    assert "seed" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["simulate", "reproduce"])
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_flown(command, scenario, tmp_path, capsys):
    def nothing_flies(*_args, **_kwargs):
        raise AssertionError("flown before the folder was tried")

    (tmp_path / "file").write_text("")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"core.cli.{command}.{command}", nothing_flies)
        for out in ("/proc/nowhere/x.npz", str(tmp_path / "file" / "x")):
            assert main([command, "--scenario", scenario, "--out", out]) == 2
            assert "--out" in capsys.readouterr().err
        if command == "simulate":
            assert main([command, "--scenario", scenario, "--out", str(tmp_path)]) == 2
            assert "is a folder" in capsys.readouterr().err


def test_a_policy_named_twice_is_refused(scenario, tmp_path, capsys):
    words = ["reproduce", "--policies", "SAFE,SAFE,VoI-Sched", "--scenario", scenario, "--out", str(tmp_path)]
    assert main(words) == 2
    assert "SAFE is named twice" in capsys.readouterr().err


def test_help_lists_the_commands(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    printed = capsys.readouterr().out
    assert "simulate" in printed
    assert "reproduce" in printed


def test_the_figures_of_one_result_are_the_same_bytes_and_a_wild_tail_does_not_squeeze_them(tmp_path):
    shipped = Reproduction.load()
    first = [p.read_bytes() for p in save_ecdf_figures(shipped, tmp_path)]
    assert first == [p.read_bytes() for p in save_ecdf_figures(shipped, tmp_path)]
    assert len(first) == 3
    share = np.linspace(0.0, 1.0, 400)
    tail = np.where(share > 0.997, 1e6, share)
    low, high = visible_range(pd.DataFrame({"value": tail, "share": share}))
    assert low < 0.01 < 0.99 < high < 1.1


@pytest.mark.parametrize(("policies", "compared"), [("SAFE,VoI-Sched", True), ("SAFE", False)])
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
        "1",
        "--grid-trials",
        "1",
        "--out",
        str(tmp_path / "rep"),
    ]
    assert main(words) == 0
    assert len(pd.read_csv(tmp_path / "rep" / "grid.csv")) == 12 * len(policies.split(","))
    assert (tmp_path / "rep" / "grid.md").exists() == compared
