"""Studies: grids, seeds, files, and refusal of the whole before any run."""

import pytest
import yaml

from core import Scenario
from core.errors import StudyError
from core.studies import Axis, Cell, Study, parse_axis, seed_range

SMALL = Scenario().replace(**{"mission.uavs": 4, "mission.duration_s": 2.0, "network.slots": 40})


def grid(**changes):
    values = {
        "scenario": SMALL,
        "axes": (Axis("network.slots", (20, 40)), Axis("twin.beta", (0.05, 0.1, 0.2))),
        "policies": ("SAFE", "VoI-Sched"),
        "seeds": seed_range(4),
    }
    return Study(**{**values, **changes})


def test_every_cell_policy_and_seed_once():
    study = grid()
    tasks = list(study.tasks())
    assert len(tasks) == len(set(tasks)) == study.size == 2 * 3 * 2 * 4
    assert {t.seed for t in tasks} == {10000, 10001, 10002, 10003}


def test_first_seed_is_complete_before_the_second_begins():
    seeds = [t.seed for t in grid().tasks()]
    assert seeds == sorted(seeds)


def test_scenario_of_a_cell():
    cell = Cell((("network.slots", 20), ("twin.beta", 0.2)))
    scenario = grid().scenario_of(cell)
    assert (scenario.network.slots, scenario.twin.beta, scenario.mission.uavs) == (20, 0.2, 4)


def test_cell_identity_does_not_depend_on_the_order_of_the_axes():
    one = Cell((("network.slots", 20), ("twin.beta", 0.2)))
    other = Cell((("twin.beta", 0.2), ("network.slots", 20)))
    assert one.id == other.id
    assert one.id != Cell((("network.slots", 20), ("twin.beta", 0.25))).id


def test_no_axis_is_the_scenario_itself():
    assert [c.values for c in Study(SMALL).cells()] == [()]


@pytest.mark.parametrize(
    ("changes", "advice"),
    [
        ({"policies": ("SAFE", "VoI")}, "Did you mean 'VoI-Sched'"),
        ({"policies": ("safe",)}, "Did you mean 'SAFE'"),
        ({"policies": ("SAFE", "SAFE")}, "twice"),
        ({"policies": ()}, "at least one policy"),
        ({"seeds": ()}, "at least one seed"),
        ({"seeds": (-1,)}, "between 0"),
        ({"axes": (Axis("twin.beta", (0.1,)), Axis("twin.beta", (0.2,)))}, "varied twice"),
        ({"points": ((20,),)}, "needs 2 values"),
        ({"points": ()}, "at least one point"),
        ({"seeds": tuple(range(200_000))}, "at most 1000000"),
    ],
)
def test_refusals(changes, advice):
    with pytest.raises(StudyError, match=advice):
        grid(**changes)


def test_a_cell_whose_fields_do_not_go_together_is_refused_before_any_run():
    study = grid(axes=(parse_axis("network.slots=40,300"), parse_axis("control.Ts=0.1,0.25")))
    with pytest.raises(StudyError, match=r"network.slots = 300, control.Ts = 0.1.*do not fit"):
        study.check()


def test_a_controller_without_certificate_is_refused_before_any_run():
    with pytest.raises(StudyError, match=r"At control.corridor_radius_m = 5"):
        grid(axes=(parse_axis("control.corridor_radius_m=30,5"),)).check()


@pytest.mark.parametrize("trials", [0, -3, 1.5, True, "4", 10**9])
def test_bad_trials(trials):
    with pytest.raises(StudyError, match="trials"):
        seed_range(trials)


def test_yaml_file(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(
        "vary:\n  network.slots: 100:120:10\n  twin.beta: [0.01, 1e-1]\npolicies: SAFE, DynTx-HLC\n"
        "trials: 3\nseed_start: 20000\nscenario: teaching-swarm\n"
    )
    study = Study.from_yaml(path)
    assert study.axes == (Axis("network.slots", (100, 110, 120)), Axis("twin.beta", (0.01, 0.1)))
    assert study.policies == ("SAFE", "DynTx-HLC")
    assert study.seeds == (20000, 20001, 20002)
    assert study.scenario.mission.uavs == 8


def test_plain_values_round_trip_through_yaml():
    for study in (grid(), grid(points=((20, 0.07), (40, 0.05)))):
        text = yaml.safe_dump(study.to_dict())
        assert Study.from_dict(yaml.safe_load(text)) == study


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("vari: {}", "no entry 'vari'"),
        ("- 1", "must be a mapping"),
        ("vary: 3", "vary must be"),
        ("vary: {network.slots: []}", "no value"),
        ("vary: {network.slots: 200:100:10}", "reversed"),
        ("trials: many", "trials"),
        ("seeds: [1, x]", "whole number"),
        ("{seeds: [1], trials: 2}", "not both"),
        ("scenario: teaching-swan", "teaching-swarm"),
        ("scenario: {network: {slot: 3}}", "network.slots"),
        ("points: 7", "list of lists"),
        ("points: [7]", "list of lists"),
        ("{vary: {network.slots: [20, 40]}, points: [[20, 1]]}", "needs 1 values"),
        ("policies: ''", "name is empty"),
        ("scenario: ''", "No preset"),
        ("scenario: none.yaml", r"none\.yaml"),
        ("vary: [", "not valid YAML"),
        ("a: &a [1]\nb: *a", "aliases"),
    ],
)
def test_bad_files(tmp_path, text, advice):
    path = tmp_path / "study.yaml"
    path.write_text(text)
    with pytest.raises(StudyError, match=advice):
        Study.from_yaml(path)


def test_a_study_file_may_name_a_scenario_file_that_lies_beside_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    SMALL.to_yaml(tmp_path / "there" / "tiny.yaml")
    (tmp_path / "there" / "study.yaml").write_text("scenario: tiny.yaml\n")
    assert Study.from_yaml("there/study.yaml").scenario == SMALL
    (tmp_path / "elsewhere.yaml").write_text(f"scenario: {tmp_path / 'there' / 'tiny.yaml'}\n")
    assert Study.from_yaml(tmp_path / "elsewhere.yaml").scenario == SMALL


def test_missing_file(tmp_path):
    with pytest.raises(StudyError, match="No study file"):
        Study.from_yaml(tmp_path / "none.yaml")
