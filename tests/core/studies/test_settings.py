"""Named settings, policies with other constants, samples: what a study needs beyond a grid of single fields."""

import numpy as np
import pandas as pd
import pytest

from core import Scenario
from core.errors import StudyError
from core.scenario import preset
from core.simulation import POLICIES, simulate
from core.studies import Axis, Setting, Study, StudyStore, Task, run_study, winners
from core.studies.policies import checked_policies, constants_of, policy_to_fly, split_policies

SMALL = Scenario().replace(**{"mission.uavs": 3, "mission.duration_s": 1.0})
CALM = Setting.of("calm", {"mission.gust_max_mps2": 0.0, "mission.gust_min_mps2": 0.0})
STUDY = Study(
    SMALL, (Axis("network.slots", (20, 40)),), ("SAFE", "VoI-Sched"), (700, 701), settings=(Setting("as it is"), CALM)
)


def test_a_setting_is_a_cell_of_its_own_and_changes_its_fields_together(tmp_path):
    assert STUDY.names == ("setting", "network.slots")
    assert STUDY.levels("setting") == ("as it is", "calm")
    assert STUDY.size == len(list(STUDY.tasks())) == 2 * 2 * 2 * 2
    outcome = run_study(STUDY, tmp_path / "s", workers=0)
    frame = outcome.store.frame()
    assert list(frame["setting"].unique()) == ["as it is", "calm"]
    row = frame[(frame["setting"] == "calm") & (frame["network.slots"] == 40) & (frame["policy"] == "SAFE")].iloc[1]
    calm = SMALL.replace(**{"mission.gust_max_mps2": 0.0, "mission.gust_min_mps2": 0.0, "network.slots": 40})
    assert row["mean_rmse_m"] == simulate(calm, "SAFE", 701).summary()["mean_rmse_m"]
    assert outcome.store.study() == STUDY
    assert "gust_max_mps2" not in StudyStore(tmp_path / "s").frame().attrs["scenario"]
    assert set(winners(frame, STUDY, "mean_rmse_m")["setting"]) == {"as it is", "calm"}
    assert run_study(STUDY, tmp_path / "s", workers=0).kept == 16


@pytest.mark.slow
def test_another_setting_of_the_same_name_never_mixes_and_new_ones_extend(tmp_path):
    run_study(STUDY, tmp_path / "s", workers=0)
    other = Setting.of("calm", {"mission.gust_max_mps2": 3.0})
    with pytest.raises(StudyError, match=r"another setting 'calm'.*--fresh"):
        run_study(Study(SMALL, STUDY.axes, STUDY.policies, STUDY.seeds, settings=(other,)), tmp_path / "s", workers=0)
    more = Study(
        SMALL, STUDY.axes, STUDY.policies, STUDY.seeds, settings=(Setting.of("fast", {"mission.speed_mps": 16.0}),)
    )
    outcome = run_study(more, tmp_path / "s", workers=0)
    assert (outcome.kept, outcome.new) == (0, 8)
    assert outcome.store.study().levels("setting") == ("as it is", "calm", "fast")
    assert len(outcome.store.frame_of(more)) == 8


def test_a_preset_as_a_setting_is_the_preset():
    setting = Setting.between("stressed", Scenario(), preset("stressed"))
    study = Study(settings=(setting,))
    assert [study.scenario_of(c) for c in study.cells()] == [preset("stressed")]
    assert Study.from_dict(study.to_dict()) == study


@pytest.mark.parametrize(
    ("values", "advice"),
    [
        ({"settings": {"a": {"mission.uav": 3}}}, "mission.uavs"),
        ({"settings": ["a"]}, "mapping of names"),
        ({"settings": {"": {}}}, "needs a name"),
        ({"settings": {"a": {"network.slots": 20}}, "vary": {"network.slots": [20]}}, "by itself and by a setting"),
        ({"samples": ["speed"]}, "no samples 'speed'; there are rmse_m"),
    ],
)
def test_nonsense_is_refused(values, advice):
    with pytest.raises(StudyError, match=advice):
        Study.from_dict(values)


def test_a_setting_that_does_not_fit_is_named_before_anything_flies():
    study = Study(SMALL, settings=(Setting.of("long slots", {"network.slot_ms": 5.0}),))
    with pytest.raises(StudyError, match=r"At setting = long slots: network\.slots"):
        study.check()


def test_a_policy_with_other_constants_flies_with_them(tmp_path):
    study = Study(SMALL, policies=("Fixed-Service", "Fixed-Service(usable=0.9)"), seeds=(700,))
    frame = run_study(study, tmp_path / "s", workers=0).store.frame().set_index("policy")
    other = type("Other", (POLICIES["Fixed-Service"],), {"usable": 0.9})
    for policy, flown in (("Fixed-Service", "Fixed-Service"), ("Fixed-Service(usable=0.9)", other)):
        assert frame.loc[policy, "served_per_cycle"] == simulate(SMALL, flown, 700).summary()["served_per_cycle"]
    assert len(list((tmp_path / "s" / "records").iterdir())) == 2
    assert len(pd.read_parquet(tmp_path / "s" / "records")) == 2
    assert constants_of("Fixed-Service(usable=0.9)")["usable"] == 0.9
    assert POLICIES["Fixed-Service"].usable == 0.5


def test_spellings_are_one():
    spelled = checked_policies(["DynTx-HLC( target=0.7,patience = 1 )", "Cert-Rotation(usable=1)"])
    assert spelled == ("DynTx-HLC(patience=1, target=0.7)", "Cert-Rotation(usable=1.0)")
    assert split_policies("SAFE, DynTx-HLC(patience=1, target=0.7),VoI-Sched") == ("SAFE", spelled[0], "VoI-Sched")
    assert policy_to_fly(spelled[0]).patience == 1
    assert policy_to_fly("SAFE") == "SAFE"
    assert "Cert-Rotation" not in POLICIES


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("Fixed-Service(usabel=0.5)", "no constant 'usabel'; its constants are usable"),
        ("Fixed-Service(usable=much)", "is not a value; write it like usable=0.5"),
        ("DynTx-HLC(patience=1.5)", "must be of the kind of patience=3"),
        ("Fixed-Service(name='SAFE')", "no constant 'name'"),
        ("Fixed-Service(__init__=1)", "no constant"),
        ("SAFER(usable=1)", "Unknown policy 'SAFER'"),
    ],
)
def test_constants_that_do_not_exist_are_refused(name, advice):
    with pytest.raises(StudyError, match=advice.replace("(", r"\(")):
        checked_policies([name])


def test_samples_lie_beside_their_record_and_are_there_before_it(tmp_path):
    study = Study(SMALL, policies=("SAFE",), seeds=(700, 701), samples=("rmse_m", "v_normalised"))
    outcome = run_study(study, tmp_path / "s", workers=0)
    runs = [simulate(SMALL, "SAFE", seed) for seed in study.seeds]
    assert np.array_equal(
        outcome.store.samples(study, "v_normalised", "SAFE"),
        np.concatenate([r.v_normalised.ravel() for r in runs]).astype(np.float32),
    )
    for task in study.tasks():
        record = outcome.store.path_of(task)
        beside = tmp_path / "s" / "samples" / record.parent.name / record.name
        assert beside.stat().st_mtime_ns <= record.stat().st_mtime_ns
    with pytest.raises(StudyError, match="rmse_m, v_normalised samples kept"):
        run_study(Study(SMALL, policies=("SAFE",), seeds=(700, 701)), tmp_path / "s", workers=0)
    assert run_study(study, tmp_path / "s", workers=0, fresh=True).new == 2


def test_two_policies_never_share_a_file(tmp_path):
    cell = next(Study(SMALL).cells())
    paths = {StudyStore(tmp_path).path_of(Task(cell, policy, 700)) for policy in ("a b", "a_b", "a(b)", "a-b")}
    assert len(paths) == 4
    assert StudyStore(tmp_path).path_of(Task(cell, "SAFE", 700)).parent.name == "SAFE"
