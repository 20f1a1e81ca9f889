"""Where SAFE stands: the shipped table follows from its rows, its rows fly again, and losing would be seen."""

import pandas as pd
import pytest

from core.__main__ import main
from core.folders import DATA
from core.scenario import Scenario, preset
from core.simulation import POLICIES, flawless_rmse, simulate
from core.studies import standing as module
from core.studies.standing import (
    METRICS,
    RIVALS,
    SETTING_PRESETS,
    TABLE_ONE,
    settings,
    standing_markdown,
    standing_study,
    standings,
)

FOLDER = DATA / "standing"


@pytest.fixture(scope="module")
def shipped():
    return pd.read_csv(FOLDER / "trials.csv")


def test_the_settings_are_those_that_were_asked_for():
    found = settings()
    for name in SETTING_PRESETS:
        assert preset(name) in found.values()
    assert found[TABLE_ONE] == Scenario()
    cells = {(s.control.corridor_radius_m, s.network.slots) for s in found.values()}
    assert {(r, s) for r in (22, 30, 40) for s in (120, 140, 160, 180)} <= cells
    assert {20, 50, 65} <= {s.mission.uavs for s in found.values()}
    assert {-3.0, 0.0, 6.0} <= {s.network.snr_offset_db for s in found.values()}
    assert any(s.control.feed_forward for s in found.values())


def test_the_table_follows_from_the_rows(shipped):
    assert (FOLDER / "standing.md").read_text(encoding="utf-8") == standing_markdown(shipped)
    assert shipped["seed"].max() < 1000
    assert len(shipped) == len(settings()) * (1 + len(RIVALS)) * shipped["seed"].nunique()
    assert shipped["seed"].nunique() >= 10


def test_safe_is_first_everywhere_it_was_flown(shipped):
    """The result that D23 rests on; where it stops being so, publish it and say why."""
    assert [s.setting for s in standings(shipped) if not s.first] == []
    here = shipped[(shipped["setting"] == TABLE_ONE)].groupby("policy").mean(numeric_only=True)
    assert here.loc["SAFE", "mean_rmse_m"] - here.loc["SAFE", "flawless_rmse_m"] < 0.25
    for rival in RIVALS[:4]:
        assert here.loc["SAFE", "p95_v"] < 0.55 * here.loc[rival, "p95_v"], rival


@pytest.mark.parametrize(("setting", "policy"), [("N = 20", "SAFE"), ("feed-forward", "SAFE-repaired")])
def test_a_stored_mission_flies_again_to_the_same_numbers(shipped, setting, policy):
    row = shipped[(shipped["setting"] == setting) & (shipped["policy"] == policy)].iloc[4]
    flown = simulate(settings()[setting], policy, int(row["seed"])).summary()
    for name in METRICS:
        assert row[name] == pytest.approx(flown[name], rel=2e-5), name
    if policy == "SAFE":
        assert row["flawless_rmse_m"] == pytest.approx(flawless_rmse(settings()[setting], int(row["seed"])), rel=2e-5)


def test_a_lost_setting_and_a_lucky_one_are_called_so(shipped):
    rows = shipped[shipped["setting"].isin([TABLE_ONE, "N = 20"])].copy()
    worse = (rows["setting"] == "N = 20") & (rows["policy"] == "SAFE")
    rows.loc[worse, "p95_v"] *= 2
    lucky = (rows["setting"] == TABLE_ONE) & (rows["policy"] == "VoI-Sched") & (rows["seed"] > rows["seed"].min())
    rows.loc[lucky, "mean_rmse_m"] = 7.76
    table_one, n20 = standings(rows)
    assert not n20.first
    assert table_one.first
    assert not table_one.sure
    text = standing_markdown(rows)
    assert "**not in all**" in text
    assert "within the noise" in text


def test_the_winner_is_that_of_every_other_study(shipped):
    """One rule: beating the best rival alone is not enough."""
    rows = shipped[shipped["setting"] == TABLE_ONE].copy()
    wild = rows["policy"] == "Cert-Fixed"
    rows.loc[wild, "mean_rmse_m"] = [0.1, 30.0] * (wild.sum() // 2)  # the worst on average, but no sure loser
    (here,) = standings(rows)
    assert here.rival["mean_rmse_m"][0] != "Cert-Fixed"
    assert here.first
    assert not here.sure


def test_evaluation_seeds_are_refused(capsys, tmp_path):
    assert main(["standing", "--first-seed", "12000", "--out", str(tmp_path)]) == 2
    assert "calibration seeds" in capsys.readouterr().err
    assert main(["standing", "--first-seed", "995", "--trials", "6", "--out", str(tmp_path)]) == 2


def test_the_command_flies_every_policy_and_writes_the_table(monkeypatch, tmp_path, capsys):
    tiny = Scenario().replace(**{"mission.uavs": 4, "mission.duration_s": 2.0, "network.slots": 30})
    monkeypatch.setattr(module, "settings", lambda: {TABLE_ONE: tiny})
    assert main(["standing", "--trials", "2", "--workers", "0", "--out", str(tmp_path)]) == 0
    rows = pd.read_csv(tmp_path / "trials.csv")
    assert set(rows["policy"]) == {"SAFE", *RIVALS} <= set(POLICIES)
    assert (tmp_path / "standing.md").read_text(encoding="utf-8") in capsys.readouterr().out
    assert standing_study(trials=1).size == 1 + len(RIVALS)
    assert rows[rows["policy"] == "SAFE"]["flawless_rmse_m"].tolist() == pytest.approx(
        [flawless_rmse(tiny, s) for s in (300, 301)], rel=1e-5
    )
    assert rows[rows["policy"] != "SAFE"]["flawless_rmse_m"].isna().all()
