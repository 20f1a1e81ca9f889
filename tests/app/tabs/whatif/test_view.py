"""Tab 6 without a server: define, run beside the page, cancel, continue, pin, reopen, download."""

import asyncio

import pandas as pd
import pytest

from app.jobs import command
from app.session import Session
from app.tabs.whatif import cost
from app.tabs.whatif import process as study_process
from app.tabs.whatif.figure import Baseline, study_data, study_figure, update_study
from app.tabs.whatif.form import EXAMPLES, FIELDS, NONE
from app.tabs.whatif.plan import plan
from app.tabs.whatif.process import StudyProcess
from app.tabs.whatif.tables import differences_html, summary_html
from app.tabs.whatif.view import WhatIfView, load
from app.tabs.whatif.words import automatic_name, axis_label, flown_at, title_of
from core import Scenario
from core.__main__ import main
from core.errors import SafeExplorerError, StudyError
from core.simulation import METRICS
from core.studies import Axis, Study, parse_axis, seed_range

SMALL = {"uavs": 4, "duration_s": 2.0, "slots": 40}


@pytest.fixture
def complaints():
    return []


@pytest.fixture
def view(tmp_path, monkeypatch, complaints):
    monkeypatch.setattr(study_process, "RESULTS", tmp_path / "results")
    session = Session()
    session.state.apply(SMALL)
    session.complain = complaints.append
    shown = WhatIfView(session)
    assert shown.__panel__() is shown.content
    shown.form.first_values.value = "20,40"
    shown.form.trials.value = 2
    shown.form.name_input.value = "test"
    yield shown
    shown.close()
    session.close()


def finish(view):
    view.process.wait()
    asyncio.run(view._poll())


@pytest.mark.slow
def test_a_small_study_from_definition_to_figure(view, complaints, tmp_path):
    view.start()
    assert view.run_button.disabled
    assert not view.cancel_button.disabled
    assert view.stored.value == NONE, "the study that runs is not stored yet"
    finish(view)
    assert not complaints
    assert view.stored.value == "test", "the list names what is shown"
    assert view.progress.value == 100
    assert "8 runs done" in view.status.object
    lines = view.figure.sources["lines"].data
    assert lines["label"] == ["SAFE", "VoI-Sched"]
    assert lines["xs"] == [[20.0, 40.0], [20.0, 40.0]]
    frame = pd.read_parquet(tmp_path / "results" / "test" / "records")
    mean = frame[(frame["network.slots"] == 20) & (frame["policy"] == "SAFE")]["mean_rmse_m"].mean()
    assert lines["ys"][0][0] == pytest.approx(mean)
    assert view.table.object.count("<tr>") == 1 + 4
    assert f"<td>{mean:.4g}</td>" in view.table.object
    wide = frame[frame["network.slots"] == 20].pivot(index="seed", columns="policy", values="mean_rmse_m")
    difference = (wide["VoI-Sched"] - wide["SAFE"]).mean()
    assert view.differences.object.count("<tr>") == 1 + 2
    assert f"<td>{difference:+.4g}</td>" in view.differences.object
    assert not view.figure.map.visible

    view.metric.value = "p95_v"
    assert view.figure.curves.yaxis[0].axis_label == "p95 V / V_max".replace("p95", "P95")
    assert METRICS["p95_v"].sentence in view.meaning.object
    assert "Lower is better." in view.meaning.object
    assert pd.read_parquet(view._parquet()).shape[0] == 8
    assert pd.read_csv(view._csv())["metric"].nunique() > 10
    folder = tmp_path / "results" / "test"
    assert view._csv().getvalue() == (folder / "summary.csv").read_bytes()
    assert view._differences().getvalue() == (folder / "differences.csv").read_bytes()

    # pin it, vary something else on top, and see both
    view.pin()
    view.session.state.apply({"snr_offset_db": 5.0})
    view.form.name_input.value = "louder"
    view.form.policies.value = ["SAFE"]
    view.start()
    finish(view)
    lines = view.figure.sources["lines"].data
    assert lines["label"] == ["SAFE (pinned)", "VoI-Sched (pinned)", "SAFE"]
    assert lines["color"][0] == lines["color"][2] != lines["color"][1]  # a policy keeps its colour
    assert (lines["dash"][0], lines["dash"][2]) == ("5 4", "solid")
    assert "louder</b> flown at ΔSNR 5 dB, N 4 " in view.flown.object
    assert "pinned: test, flown at N 4 " in view.pinned.object
    view.unpin()
    assert not view.pinned.visible
    assert view.figure.sources["lines"].data["label"] == ["SAFE"]

    # both are in the list, and the first opens again as it was
    assert list(view.stored.options)[:3] == [NONE, "louder", "test"]
    view.stored.value = "test"
    assert view.figure.sources["lines"].data["label"] == ["SAFE", "VoI-Sched"]
    assert len(view.frame) == 8

    # another scenario under a name that is taken is a new study with a name of its own, and both stay
    view.form.name_input.value = "test"
    view.session.state.apply({"uavs": 5})
    told = []
    view.session.tell = told.append
    view.start()
    finish(view)
    assert not complaints
    assert "mission.uavs = 4 (now 5)" in told[0]
    assert view.form.name_input.value == "test-2"
    assert len(pd.read_parquet(tmp_path / "results" / "test-2" / "records")) == 4
    assert len(pd.read_parquet(tmp_path / "results" / "test" / "records")) == 8
    assert not view.run_button.disabled


def test_studies_name_themselves_after_what_they_vary(view):
    view.form.name_input.value = ""
    view.plan.look()
    assert view.form.name_input.value == "slots_uavs-4_duration-s-2"
    view.form.second.value = "twin.beta"
    assert view.form.name_input.value == "slots-x-beta_uavs-4_duration-s-2"
    view.form.name_input.value = "my own"
    view.form.second.value = NONE
    assert view.form.name_input.value == "my own"
    view.form.name_input.value = ""
    view.form.first_values.value = "nonsense"
    assert "nonsense" in view.plan.pane.object
    assert view.form.first_values.value == "nonsense"  # nothing typed is lost
    for name in FIELDS:
        value = Scenario().value(name)
        study = Study(Scenario(), (Axis(name, (value,)),), ("SAFE",), (0,))
        view.form.name_input.value = automatic_name(study)
        assert view.form.name() == automatic_name(study)
    weaker = Scenario().replace(**{"network.snr_offset_db": -3.0})
    study = Study(weaker, (Axis("network.slots", (40, 60)),), ("SAFE",), (0,))
    assert automatic_name(study) == "slots_snr-offset-db--3"  # a folder's name keeps the sign, as a hyphen
    assert "ΔSNR −3 dB" in flown_at(study)


def test_the_number_of_runs_and_a_measured_time_are_said_before_run(view, monkeypatch):
    view.plan.look()
    said = view.plan.pane.object
    assert "Run: 8 runs (2 values × 2 policies × 2 trials), about " in said
    assert "at N 4 UAVs, T 2 s; everything else at its default; seeds 10000 to 10001." in said
    view.session.state.apply({"snr_offset_db": 5.0})
    view.refresh(view.session.pipeline.picture)  # as the page does with every picture
    view.plan.look()
    assert "ΔSNR 5 dB" in view.plan.pane.object
    monkeypatch.setattr(cost, "run_s", lambda scenario, policy: 3.0 if policy == "SAFE" else 1.0)
    study = view.form.definition()
    assert cost.expected_s(study, workers=0) == pytest.approx(8 * 2.0)
    assert cost.expected_s(study, workers=2, done=4) == pytest.approx(4.0)
    assert "about 2 min" in plan(study, 110.0)


def test_the_time_of_a_run_is_that_of_its_cycles():
    small = Scenario().replace(**{"mission.uavs": 4, "mission.duration_s": 5.0})
    cost.run_s(small, "SAFE")  # whatever is compiled or cached is so from here on
    cost.run_s.cache_clear()
    one = cost.run_s(small, "SAFE")
    assert one > 0
    large = small.replace(**{"mission.duration_s": 50.0})
    assert cost.run_s(large, "SAFE") > one


def test_what_studies_took_corrects_what_is_expected():
    pace = cost.Pace()
    pace.learn(1.0, 9.0)  # too short to tell
    assert pace.factor == 1.0
    pace.learn(float("nan"), 9.0)
    assert pace.factor == 1.0
    pace.learn(20.0, 80.0)
    assert pace.factor == pytest.approx(2.0)


def test_fields_have_symbol_name_and_unit_and_their_dotted_name_in_the_tooltip(view):
    assert axis_label("network.snr_offset_db") == "ΔSNR, snr offset [dB]"
    assert axis_label("control.corridor_radius_m") == "r_c, corridor radius [m]"
    assert len({axis_label(n) for n in FIELDS}) == len(FIELDS)
    view.form.first.value = "control.corridor_radius_m"
    assert view.form.first.description.startswith("control.corridor_radius_m: ")
    assert view.form.first_values.value == "22,30,40"


def test_the_settings_of_a_study_are_those_that_are_not_varied():
    base = Scenario().replace(**{"network.slots": 120, "twin.beta": 0.1})
    study = Study(base, (Axis("network.slots", (100, 120)),), ("SAFE",), (700, 701, 705))
    assert flown_at(study) == "β 0.1; everything else at its default; 3 seeds"
    assert flown_at(Study(Scenario(), study.axes, ("SAFE",), (7,))) == "every setting at its default; seed 7"


def test_a_pinned_study_that_varies_something_else_has_no_curve(view):
    view.study = Study(Scenario(), (Axis("network.slots", (100, 120)),), ("SAFE",), (700,))
    view.frame = pd.DataFrame(
        {"cell": ["a", "b"], "network.slots": [100, 120], "policy": "SAFE", "seed": 700, "mean_rmse_m": [9.0, 8.0]}
    )
    other = Study(Scenario(), (Axis("twin.beta", (0.05, 0.1)),), ("SAFE",), (700,))
    view.baseline = Baseline(other, view.frame.rename(columns={"network.slots": "twin.beta"}), "<b>")
    view._show_study()
    assert view.figure.sources["lines"].data["label"] == ["SAFE"]
    assert "it does not vary S, slots" in view.pinned.object
    assert "<b>;" not in view.pinned.object


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_a_study_that_may_run(name):
    Study(Scenario(), (parse_axis(f"{name}={EXAMPLES[name]}"),), ("SAFE",), seed_range(1)).check()


@pytest.mark.slow
def test_two_parameters_make_a_map(view):
    view.form.second.value = "formulation"
    assert view.form.second_values.value == "repaired,paper"
    study = view.form.definition()
    assert study.size == 2 * 2 * 2 * 2
    view.start()
    finish(view)
    assert view.figure.map.visible
    assert len(view.figure.sources["cells"].data["x"]) == 4
    view.along.value = "formulation"
    assert view.figure.curves.xaxis[0].major_label_overrides == {0: "repaired", 1: "paper"}


@pytest.mark.slow
def test_cancel_leaves_finished_runs_and_run_continues(view, complaints):
    view.form.first_values.value = "10:40:2"
    view.session.state.apply({"duration_s": 10.0})
    view.form.policies.value = ["SAFE"]
    view.form.trials.value = 1
    view.start()
    with pytest.raises(SafeExplorerError, match="Another study is running"):
        StudyProcess(view.form.definition(), study_process.RESULTS / "other")
    while view.process.running and view.process.count() == 0:
        asyncio.run(asyncio.sleep(0.01))
    view.cancel()
    finish(view)
    assert not complaints
    kept = len(view.frame)
    assert kept >= 1
    view.start()
    finish(view)
    assert len(view.frame) == 16
    assert "16 runs done" in view.status.object


@pytest.mark.slow
def test_time_left_counts_only_runs_finished_since_the_start(view):
    view.start()
    finish(view)
    view.form.first_values.value = "10,20,40"
    view.start()
    process = view.process
    assert process.kept == 8
    assert process.seconds_left(8, 3.0) is None  # nothing finished yet: the eight were there before
    assert process.seconds_left(10, 4.0) == pytest.approx(4.0)  # two in 4 s, two to go
    view._started -= 4.0
    view.follow(True, 8, None)
    assert "left" not in view.status.object
    view.follow(True, 10, None)
    assert "10 of 12 runs, about " in view.status.object
    finish(view)


def test_a_study_that_takes_its_time_to_stop_is_ended(view, complaints, monkeypatch):
    monkeypatch.setattr(command, "GRACE_S", 0.0)
    view.start()
    process = view.process
    process.insist()
    assert process.running  # nobody has asked it to stop yet
    view.cancel()
    while view.process is not None:
        asyncio.run(view._poll())
    assert not process.running
    assert not complaints
    assert "press Run to continue" in view.status.object


@pytest.mark.parametrize(
    ("field", "value", "advice"),
    [
        ("first_values", "200:100:10", "reversed"),
        ("first_values", "", "empty"),
        ("first_values", "100:900:100", "outside"),
        ("policies", [], "at least one policy"),
        ("name_input", "../../etc", "letters"),
        ("first_values", "0:400:1", "more than 2000"),
    ],
)
def test_bad_definitions_are_said_and_nothing_starts(view, complaints, field, value, advice):
    view.form.trials.value = 4
    view.form.policies.value = ["SAFE", "VoI-Sched"]
    getattr(view.form, field).value = value
    view.start()
    assert advice in complaints[0]
    assert view.process is None
    assert not study_process.RESULTS.exists()


def test_a_study_of_the_command_line_opens(view, complaints):
    out = study_process.RESULTS / "from-cli"
    words = [
        "study",
        "--vary",
        "control.feed_forward=true,false",
        "--trials",
        "1",
        "--scenario",
        "teaching-swarm",
        "--workers",
        "0",
    ]
    scenario = out.parent.parent / "small.yaml"
    Scenario().replace(**{"mission.uavs": 4, "mission.duration_s": 2.0}).to_yaml(scenario)
    words[words.index("teaching-swarm")] = str(scenario)
    assert main([*words, "--out", str(out)]) == 0
    view.refresh_list()
    view.stored.value = "from-cli"
    assert not complaints
    assert view.along.value == "control.feed_forward"
    assert view.figure.curves.xaxis[0].major_label_overrides == {0: "true", 1: "false"}
    view.frame = view.frame.iloc[:1]
    view.refresh_list()
    assert view.stored.value == "from-cli"
    assert len(view.frame) > 1, "what is shown is read again"


def test_a_broken_folder_is_said_in_words(view, complaints):
    folder = study_process.RESULTS / "broken"
    folder.mkdir(parents=True)
    (folder / "study.yaml").write_text("<script>")
    view._list()
    view.stored.value = "broken"
    assert "study.yaml" in complaints[0]
    with pytest.raises(StudyError):
        load(folder)


def test_leaving_the_page_stops_the_study(view):
    view.start()
    process = view.process
    view.close()
    process.wait()
    assert not process.running


def test_metric_titles():
    assert title_of("mean_rmse_m") == "mean RMSE [m]"
    assert title_of("p95_v") == "P95 V / V_max"
    assert title_of("mean_delay_ms") == "mean delay [ms]"
    assert title_of("slots_used") == "slots used [slots]"


def test_cells_without_common_seeds_have_no_winner():
    axes = (Axis("network.slots", (100, 120)), Axis("twin.beta", (0.05, 0.1)))
    study = Study(Scenario(), axes, ("SAFE", "VoI-Sched"), seed_range(2))
    rows = [
        {"cell": "a", "network.slots": 100, "twin.beta": 0.05, "policy": p, "seed": s, "mean_rmse_m": 9.0}
        for p, s in (("SAFE", 10000), ("VoI-Sched", 10001))
    ]
    cells = study_data(study, pd.DataFrame(rows), "mean_rmse_m", "network.slots")["sources"]["cells"]
    assert (cells["winner"], cells["text"], cells["n"]) == (["no common seeds"], ["–"], [0])


def test_one_policy_has_no_table_of_differences():
    study = Study(Scenario(), (Axis("network.slots", (100, 120)),), ("SAFE",), seed_range(1))
    frame = pd.DataFrame({"cell": ["a"], "network.slots": [100], "policy": "SAFE", "seed": 10000, "mean_rmse_m": [9.0]})
    assert differences_html(frame, study, "mean_rmse_m") == ""
    assert "<td>100</td><td>SAFE</td><td>1</td>" in summary_html(frame, study, "mean_rmse_m")


def test_one_seed_has_no_band():
    study = Study(Scenario(), (Axis("network.slots", (100, 120)),), ("SAFE",), seed_range(1))
    frame = pd.DataFrame(
        {"cell": ["a", "b"], "network.slots": [100, 120], "policy": "SAFE", "seed": 10000, "mean_rmse_m": [9.0, 8.0]}
    )
    assert study_data(study, frame, "mean_rmse_m", "network.slots")["sources"]["bands"]["xs"] == []
    figure = study_figure()
    update_study(figure, study, frame, "mean_rmse_m", "network.slots")
    assert figure.sources["points"].data["mean"] == [9.0, 8.0]


def test_a_study_of_named_settings_is_drawn_by_their_names(tmp_path) -> None:
    from core.studies import Setting, run_study

    small = Scenario().replace(**{"mission.uavs": 3, "mission.duration_s": 1.0})
    settings = (Setting("as it is"), Setting.of("calm", {"mission.gust_max_mps2": 0.0, "mission.gust_min_mps2": 0.0}))
    study = Study(small, (Axis("network.slots", (20, 40)),), ("SAFE", "VoI-Sched"), (700, 701), settings=settings)
    frame = run_study(study, tmp_path / "s", workers=0).store.frame()
    by_name = study_data(study, frame, "mean_rmse_m", "setting")
    assert by_name["x_ticks"] == {0: "as it is", 1: "calm"}
    assert by_name["x_label"] == "setting"
    by_slots = study_data(study, frame, "mean_rmse_m", "network.slots")
    assert {label.split(" · ")[1] for label in by_slots["sources"]["lines"]["label"]} == {"as it is", "calm"}
    assert len(by_slots["sources"]["cells"]["x"]) == 4
    assert "as it is" in summary_html(frame, study, "mean_rmse_m")
