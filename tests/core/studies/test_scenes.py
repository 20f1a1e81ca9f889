"""The scenes: chosen by the blind rule, calibrated, flown, and their tables follow from their rows."""

import numpy as np
import pandas as pd
import pytest

from core import Scenario
from core.__main__ import main
from core.folders import DATA
from core.network import segment_hits_box
from core.scenario import SCENES, preset
from core.simulation import RANKED, reference, simulate
from core.simulation.calibrate import calibration_run
from core.studies.reproduction import FOLDER, Reproduction
from core.studies.scenes import COLUMNS, scenes, scenes_markdown
from core.twin import calibration_for

NEW = [name for name in SCENES if name != "table-1"]
FRESH = (970, 971, 972)


@pytest.fixture(scope="module")
def shipped():
    return pd.read_csv(FOLDER / "scenes.csv")


def test_the_scenes_are_three_geometries_and_nothing_else():
    found = scenes()
    assert found["table-1"] == Scenario()
    assert len({(s.mission.building_side_m, s.mission.building_height_m, s.network.gcs) for s in found.values()}) == 3
    for scene in found.values():
        geometry = {"network.extra_margin_db", "network.gcs_x_m", "network.gcs_y_m"}
        geometry |= {"mission.building_side_m", "mission.building_height_m"}
        assert set(scene.differences(Scenario())) <= geometry


@pytest.mark.parametrize("name", SCENES)
def test_the_extra_margin_is_the_smallest_at_which_a_blind_rotation_waits_longer_than_the_buffer(name):
    file = "scarcity.csv" if name == "table-1" else f"scarcity-{name}.csv"
    tried = pd.read_csv(DATA / "reproduction" / file)
    waits = tried.groupby("extra_margin_db")["cycles_between"].mean()
    scarce = waits[waits > preset(name).control.H]
    assert scarce.index.min() == preset(name).network.extra_margin_db
    assert scarce.size < waits.size, "the rule found nothing below: try smaller margins"


@pytest.mark.parametrize("name", NEW)
def test_a_row_of_the_rule_flies_again(name):
    tried = pd.read_csv(DATA / "reproduction" / f"scarcity-{name}.csv")
    row = tried[tried["extra_margin_db"] == preset(name).network.extra_margin_db].iloc[0]
    flown = simulate(preset(name), "Fixed-Service", int(row["seed"])).summary()
    assert row["mean_rmse_m"] == pytest.approx(flown["mean_rmse_m"], rel=2e-5)
    waited = preset(name).mission.uavs / (flown["served_per_cycle"] * flown["delivered_share"])
    assert row["cycles_between"] == pytest.approx(waited, rel=2e-5)


def hidden(scenario):
    """Share of the references that the building hides from the ground station, and from one another."""
    p, half = reference(scenario, 300).positions[::10], scenario.mission.building_side_m / 2
    box = np.array([-half, -half, 0.0]), np.array([half, half, scenario.mission.building_height_m])
    ground = np.broadcast_to(np.array(scenario.network.gcs), p.shape)
    others = np.broadcast_arrays(p[:, :, None], p[:, None])
    return segment_hits_box(ground, p, *box).mean(), segment_hits_box(*others, *box).mean()


def test_the_scenes_hide_uavs_in_different_ways():
    """What they are for, and what docs/REPRODUCTION.md says of them."""
    table, hall = hidden(preset("table-1")), hidden(preset("wide-hall"))
    assert hall[0] > table[0] + 0.05
    assert hall[1] < table[1] - 0.05
    assert hidden(preset("clear-field")) == (0.0, 0.0)


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize("beta", [0.05, 0.3])
@pytest.mark.slow
def test_the_twin_covers_fresh_seeds(name, beta):
    """docs/CALIBRATION.md has twelve seeds; three are enough to notice a calibration of another scene."""
    calibration = calibration_for(preset(name))
    assert calibration.notice(preset(name)) == ""
    assert not set(FRESH) & set(calibration.seeds)
    runs = [calibration_run(preset(name), seed) for seed in FRESH]
    score, classes = (np.concatenate([getattr(r, column) for r in runs]) for column in ("score", "route_class"))
    margin = calibration.margin_db(beta, classes, np.zeros(score.size, dtype=np.bool_))
    assert (score <= margin).mean() == pytest.approx(1.0 - beta, abs=0.03)
    assert (score <= 0.8 * margin).mean() < 1.0 - beta - 0.01, "the check cannot fail"


def test_the_table_follows_from_the_rows(shipped):
    assert (FOLDER / "scenes.md").read_text(encoding="utf-8") == scenes_markdown(shipped)
    docs = (DATA.parent / "docs" / "REPRODUCTION.md").read_text(encoding="utf-8")
    assert scenes_markdown(shipped).strip() in docs
    assert list(dict.fromkeys(shipped["setting"])) == list(SCENES)
    assert list(dict.fromkeys(shipped["policy"])) == list(RANKED)
    assert shipped.groupby(["setting", "policy"])["seed"].nunique().min() >= 30


def test_the_scene_of_table_one_is_the_headline(shipped):
    here = shipped[shipped["setting"] == "table-1"].merge(Reproduction.load().trials, on=["policy", "seed"])
    assert len(here) == 30 * len(RANKED)
    assert (here["mean_rmse_m_x"] == here["mean_rmse_m_y"]).all()


@pytest.mark.parametrize("name", NEW)
def test_a_stored_mission_flies_again(shipped, name):
    row = shipped[(shipped["setting"] == name) & (shipped["policy"] == "SAFE")].iloc[3]
    flown = simulate(preset(name), "SAFE", int(row["seed"])).summary()
    for metric in COLUMNS:
        assert row[metric] == pytest.approx(flown[metric], rel=2e-5), metric


def test_a_lost_scene_would_show(shipped):
    rows = shipped.copy()
    rows.loc[(rows["setting"] == "wide-hall") & (rows["policy"] == "SAFE"), "p95_v"] *= 3
    text = scenes_markdown(rows)
    assert text != scenes_markdown(shipped)
    assert "(+0." in text


@pytest.mark.slow
def test_the_commands_write_the_files(monkeypatch, tmp_path):
    tiny = Scenario().replace(**{"mission.uavs": 4, "mission.duration_s": 2.0, "network.slots": 30})
    monkeypatch.setattr("core.studies.scenes.scenes", lambda: {"tiny": tiny})
    tiny.to_yaml(tmp_path / "tiny.yaml")
    words = ["reproduce", "--scenario", str(tmp_path / "tiny.yaml"), "--policies", "SAFE,CALLS", "--trials", "2"]
    assert main([*words, "--first-seed", "60", "--scene-trials", "2", "--workers", "1", "--out", str(tmp_path)]) == 0
    assert "| tiny | SAFE |" in (tmp_path / "scenes.md").read_text(encoding="utf-8")
    monkeypatch.setattr("core.cli.tune.preset", lambda _: tiny)
    assert main(["tune", "--scarcity-of", "wide-hall", "--workers", "1", "--out", str(tmp_path)]) == 0
    assert set(pd.read_csv(tmp_path / "scarcity-wide-hall.csv")["seed"]) == {500, 501, 502, 503}
