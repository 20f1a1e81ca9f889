"""The comparison of policies: same seeds, saved as text, read back, tabled."""

import numpy as np
import pandas as pd
import pytest

from core import Scenario
from core.errors import SafeExplorerError
from core.simulation import simulate
from core.studies import NOT_SIGNIFICANT, run_study
from core.studies.paper_table import PAPER_MEAN_RMSE_M, grid_markdown, grid_table, paper_markdown, paper_table
from core.studies.reproduction import CURVE_POINTS, Reproduction, grid_rows, grid_study, reproduction_study
from core.studies.statistics import ecdf

TINY = Scenario().replace(**{"mission.uavs": 6, "mission.duration_s": 5.0, "network.slots": 40})
NAMES = ["Fixed-Service", "VoI-Sched", "SAFE"]


STUDY = reproduction_study(TINY, trials=3, first_seed=40, policies=NAMES)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    outcome = run_study(STUDY, tmp_path_factory.mktemp("reproduction") / "missions", workers=0)
    assert (outcome.new, outcome.complete) == (9, True)
    return outcome.store


@pytest.fixture(scope="module")
def result(store):
    return Reproduction.of(store, STUDY)


def test_every_row_is_the_summary_of_its_run(result):
    assert result.policies == NAMES
    assert result.seeds == [40, 41, 42]
    expected = simulate(TINY, "SAFE", 41).summary()
    row = result.trials[(result.trials["policy"] == "SAFE") & (result.trials["seed"] == 41)].iloc[0]
    for name, value in expected.items():
        assert row[name] == pytest.approx(value, nan_ok=True)


def test_curves_are_distribution_functions(result):
    for (_, _), curve in result.curves.groupby(["figure", "policy"]):
        assert np.all(np.diff(curve["value"]) >= 0)
        assert np.all(np.diff(curve["share"]) > 0)
        assert curve["share"].iloc[-1] == 1.0
    assert set(result.curves["figure"]) == {"rmse_m", "v_normalised", "command_delay_ms"}


def test_rows_and_curves_are_those_of_the_runs_themselves(result):
    runs = {(p, s): simulate(TINY, p, s) for s in (40, 41, 42) for p in NAMES}
    assert list(zip(result.trials["policy"], result.trials["seed"], strict=True)) == [
        (p, s) for s in (40, 41, 42) for p in NAMES
    ]
    curve = result.curves[(result.curves["figure"] == "v_normalised") & (result.curves["policy"] == "VoI-Sched")]
    pooled = np.concatenate([runs["VoI-Sched", s].v_normalised.ravel() for s in (40, 41, 42)]).astype(np.float32)
    value, share = ecdf(pooled, CURVE_POINTS)
    assert np.array_equal(curve["value"], value)
    assert np.array_equal(curve["share"], share)


def test_a_folder_that_has_grown_gives_the_tables_that_are_asked_for(result, store):
    more = reproduction_study(TINY, trials=4, first_seed=40, policies=[*NAMES, "DynTx-HLC"])
    assert run_study(more, store.folder, workers=0).kept == 9
    again = Reproduction.of(store, STUDY)
    pd.testing.assert_frame_equal(again.trials, result.trials)
    pd.testing.assert_frame_equal(again.curves, result.curves)
    assert Reproduction.of(store, more).policies == [*NAMES, "DynTx-HLC"]


def test_missing_samples_are_said(tmp_path):
    outcome = run_study(STUDY, tmp_path / "s", workers=0)
    next(iter((tmp_path / "s" / "samples").glob("SAFE/*"))).unlink()
    with pytest.raises(SafeExplorerError, match=r"Samples of .* cannot be read"):
        Reproduction.of(outcome.store, STUDY)


def test_round_trip_and_a_missing_folder(result, tmp_path):
    loaded = Reproduction.load(result.save(tmp_path / "there"))
    assert loaded.scenario == TINY
    pd.testing.assert_frame_equal(loaded.trials, result.trials, check_dtype=False, rtol=1e-4)
    with pytest.raises(SafeExplorerError, match="python -m core reproduce"):
        Reproduction.load(tmp_path / "nowhere")


def test_table_puts_the_paper_beside_ours(result):
    table = paper_table(result).set_index("policy")
    assert table.loc["VoI-Sched", "paper_mean_rmse_m"] == PAPER_MEAN_RMSE_M["VoI-Sched"] == 8.9
    assert table.loc["VoI-Sched", "paper_p95_v_reduction"] == 0.320
    ours, theirs = result.metric("SAFE", "p95_v").mean(), result.metric("VoI-Sched", "p95_v").mean()
    assert table.loc["VoI-Sched", "p95_v_reduction"] == pytest.approx(1 - ours / theirs)
    row = table.loc["SAFE"]
    assert row["mean_rmse_m_low"] <= row["mean_rmse_m"] <= row["mean_rmse_m_high"]
    text = paper_markdown(result)
    assert "seeds 40–42" in text
    assert "| 32.0 % |" in text
    assert all(f"| {name} |" in text for name in NAMES)
    assert "nan" not in text


def test_grid_varies_corridor_and_frame(tmp_path):
    silent = TINY.replace(**{"control.supervisor": False})  # the corridor then changes no flight, only V_max
    study = grid_study(
        silent, radii_m=(25.0, 40.0), slots=(20, 40), trials=1, first_seed=40, policies=["Fixed-Service"]
    )
    grid = grid_rows(run_study(study, tmp_path / "grid", workers=0).store, study)
    assert list(grid.columns[:4]) == ["corridor_radius_m", "slots", "policy", "seed"]
    assert len(grid) == 4
    v = grid.set_index(["corridor_radius_m", "slots"])["p95_v"]
    assert v[40.0, 40] == pytest.approx(v[25.0, 40] * (25 / 40) ** 2)
    assert v[40.0, 20] > v[40.0, 40]


def test_nonsense_is_refused():
    with pytest.raises(SafeExplorerError, match="trials"):
        reproduction_study(TINY, trials=0)
    with pytest.raises(SafeExplorerError, match="Unknown policy 'Best'"):
        reproduction_study(TINY, trials=1, policies=["Best"])


def test_the_grid_names_a_winner_only_where_pairs_say_so():
    def cell(slots, **by_policy):
        return [
            {"corridor_radius_m": 30.0, "slots": slots, "policy": p.replace("_", "-"), "seed": s, "mean_rmse_m": v}
            for p, values in by_policy.items()
            for s, v in enumerate(values)
        ]

    rows = [
        *cell(
            120, SAFE=[8.0, 9.0, 10.0], VoI_Sched=[8.5, 9.4, 10.6], Fixed_Service=[9.0, 9.9, 11.1]
        ),  # apart in every pair
        *cell(
            140, SAFE=[8.0, 9.0, 10.0], VoI_Sched=[8.5, 8.4, 10.6], Fixed_Service=[9.0, 9.9, 11.1]
        ),  # not in every pair
        *cell(160, SAFE=[8.0, 9.0, 10.0], VoI_Sched=[8.5, 9.4, 10.6], Fixed_Service=[7.0, 7.9, 9.1]),  # beaten
    ]
    table = grid_table(pd.DataFrame(rows)).set_index("slots")
    assert table["verdict"].tolist() == ["SAFE", NOT_SIGNIFICANT, "Fixed-Service"]
    assert table["best"].tolist() == ["VoI-Sched", "VoI-Sched", "Fixed-Service"]
    assert table.loc[120, "difference"] == pytest.approx(-0.5)
    assert table.loc[120, "difference_high"] < 0 < table.loc[160, "difference_low"]
    assert grid_markdown(pd.DataFrame(rows)).count("\n") == 5


def test_what_differs_from_the_defaults_is_said():
    plain, changed = Scenario(), Scenario().replace(**{"formulation": "repaired", "network.slots": 120})
    rows = pd.DataFrame({"policy": ["SAFE"], "seed": [0]})
    assert Reproduction(plain, rows, rows).flown_at == "the paper's Table I"
    words = Reproduction(changed, rows, rows).flown_at
    assert words == "the paper's Table I with network.slots = 120, formulation = repaired"
