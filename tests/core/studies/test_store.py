"""Study folders: atomic records, resume, refusal to mix, growth, cancel, lock. The run is a formula here, so that
every expectation is exact; the closed loop itself is run in test_run_real.py."""

import contextlib
import multiprocessing
import os
import subprocess
import sys
import threading

import pandas as pd
import pytest
import yaml

from core import Scenario
from core.errors import StudyError
from core.studies import Axis, Study, StudyStore, backends, find_studies, header, run_study, seed_range
from core.studies.lock import only_writer
from core.studies.record import fly_task

SMALL = Scenario().replace(**{"mission.uavs": 4, "mission.duration_s": 2.0})


class Formula:
    """A run whose summary is a known function of its inputs."""

    def __init__(self, scenario, policy, seed):
        self.numbers = {
            "mean_rmse_m": scenario.network.slots / 10 + len(policy) + seed / 1e5,
            "delivered_share": scenario.twin.beta,
            "mean_delay_ms": float("nan") if policy == "SAFE" else 3.0,
            "label": "not a number",
        }

    def summary(self):
        return self.numbers


def grid(**changes):
    values = {
        "scenario": SMALL,
        "axes": (Axis("network.slots", (20, 40)), Axis("twin.beta", (0.05, 0.1))),
        "policies": ("SAFE", "VoI-Sched"),
        "seeds": seed_range(3),
    }
    return Study(**{**values, **changes})


def run(study, out, **options):
    return run_study(study, out, **{"workers": 0, "run": Formula, **options})


def test_tidy_frame_with_units(tmp_path):
    outcome = run(grid(), tmp_path / "s")
    frame = outcome.store.frame()
    assert outcome.complete
    assert list(frame.columns[:5]) == ["cell", "network.slots", "twin.beta", "policy", "seed"]
    assert len(frame) == 24
    assert not frame.duplicated(["network.slots", "twin.beta", "policy", "seed"]).any()
    row = frame[(frame["network.slots"] == 40) & (frame["policy"] == "SAFE") & (frame["seed"] == 10002)].iloc[0]
    assert row["mean_rmse_m"] == 4 + 4 + 10002 / 1e5
    assert frame.attrs["units"]["network.slots"] == "slots"
    assert frame.attrs["units"]["mean_rmse_m"] == "m"
    assert frame.attrs["units"]["mean_delay_ms"] == "ms"
    assert "label" not in frame


def test_read_by_someone_who_has_only_pandas(tmp_path):
    run(grid(), tmp_path / "s")
    script = (
        "import sys, pandas as pd; d = pd.read_parquet('s/records');"
        "assert not any(m == 'core' or m.startswith('core.') for m in sys.modules);"
        "print(len(d), d['mean_rmse_m'].sum(), d['network.slots'].dtype, d.attrs['units']['mean_rmse_m']);"
        "print(d.attrs['scenario'])"
    )
    out = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    first, scenario = out.stdout.split("\n", 1)
    count, total, dtype, unit = first.split()
    assert (count, dtype, unit) == ("24", "int64", "m")
    assert float(total) == pytest.approx(StudyStore(tmp_path / "s").frame()["mean_rmse_m"].sum())
    # the scenario without the varied fields, whose values are columns
    read = yaml.safe_load(scenario)
    assert read["mission"]["uavs"] == 4
    assert "slots" not in read["network"]
    assert "beta" not in read["twin"]
    expected = SMALL.replace(**{"network.slots": Scenario().network.slots, "twin.beta": Scenario().twin.beta})
    assert Scenario.from_dict(read) == expected
    assert StudyStore(tmp_path / "s").frame().attrs["scenario"].strip() == scenario.strip()


def test_a_study_that_varies_the_formulation_leaves_it_out_of_the_common_scenario():
    study = grid(axes=(Axis("formulation", ("repaired", "paper")),))
    assert "formulation" not in yaml.safe_load(study.fixed_yaml())


def test_the_differences_between_policies_lie_beside_the_summary(tmp_path):
    run(grid(), tmp_path / "s")
    table = pd.read_csv(tmp_path / "s" / "differences.csv")
    assert set(zip(table["baseline"], table["policy"], strict=True)) == {("SAFE", "VoI-Sched")}
    rmse = table[table["metric"] == "mean_rmse_m"]
    assert len(rmse) == 4
    assert rmse["difference"].tolist() == pytest.approx([len("VoI-Sched") - len("SAFE")] * 4)
    assert (rmse["n"] == 3).all()
    assert (table[table["metric"] == "mean_delay_ms"]["n"] == 0).all()  # SAFE has no delay in this formula


def test_resume_keeps_finished_records_and_gives_the_same_bytes(tmp_path):
    whole = run(grid(), tmp_path / "whole")
    cancel = threading.Event()

    def stop_at_seven(progress):
        if progress.done == 7:
            cancel.set()

    first = run(grid(), tmp_path / "parts", cancel=cancel, on_progress=stop_at_seven)
    assert (first.new, first.cancelled, first.complete) == (7, True, False)
    before = {p: p.stat().st_mtime_ns for p in first.store.records.glob("*/*.parquet")}
    assert len(before) == 7

    seen = []
    second = run(grid(), tmp_path / "parts", on_progress=seen.append)
    assert (second.kept, second.new, sum(p.row is not None for p in seen)) == (7, 17, 17)
    assert all(p.stat().st_mtime_ns == t for p, t in before.items())
    for path in (tmp_path / "whole").rglob("*"):
        if path.is_file() and path.name != ".lock":
            twin = tmp_path / "parts" / path.relative_to(tmp_path / "whole")
            assert twin.read_bytes() == path.read_bytes(), path.name
    assert whole.store.frame().equals(second.store.frame())


def test_nothing_runs_when_everything_is_there(tmp_path, monkeypatch):
    run(grid(), tmp_path / "s")

    def refuse(*_):
        raise AssertionError("a finished record was computed again")

    monkeypatch.setattr(backends, "fly_task", refuse)
    assert run(grid(), tmp_path / "s").complete


def test_a_left_over_temporary_file_is_not_a_record(tmp_path):
    outcome = run(grid(), tmp_path / "s")
    victim = sorted(outcome.store.records.glob("SAFE/*.parquet"))[0]
    half = victim.with_name(f".{victim.name}.123.tmp")
    half.write_bytes(victim.read_bytes()[:100])
    victim.unlink()
    assert len(pd.read_parquet(outcome.store.records)) == 23
    again = run(grid(), tmp_path / "s")
    assert (again.kept, again.new) == (23, 1)
    assert not half.exists()


def test_a_study_grows_by_trials_values_and_policies(tmp_path):
    run(grid(), tmp_path / "s")
    more = run(grid(seeds=seed_range(5)), tmp_path / "s")
    assert (more.kept, more.new) == (24, 16)
    wider = run(grid(axes=(Axis("twin.beta", (0.05,)), Axis("network.slots", (40, 60)))), tmp_path / "s")
    assert (wider.kept, wider.new) == (6, 6)
    third = run(grid(policies=("DynTx-HLC",)), tmp_path / "s")
    assert third.new == 12
    stored = third.store.study()
    assert stored.axes[0].values == (20, 40, 60)
    assert stored.policies == ("SAFE", "VoI-Sched", "DynTx-HLC")
    assert stored.seeds == seed_range(5)
    assert len(third.store.frame()) == 24 + 16 + 6 + 12


@pytest.mark.parametrize(
    ("changes", "advice"),
    [
        ({"scenario": SMALL.replace(**{"mission.uavs": 5})}, r"mission.uavs = 4 \(now 5\)"),
        ({"scenario": SMALL.replace(formulation="paper")}, "formulation = predicted"),
        ({"axes": (Axis("network.slots", (20,)),)}, "network.slots, twin.beta varied"),
        ({"points": ((20, 0.05),)}, "kind of design"),
    ],
)
def test_another_scenario_never_mixes(tmp_path, changes, advice):
    run(grid(), tmp_path / "s")
    with pytest.raises(StudyError, match=rf"24 records made with.*{advice}.*--fresh"):
        run(grid(**changes), tmp_path / "s")
    assert len(StudyStore(tmp_path / "s").frame()) == 24


def test_the_base_value_of_a_varied_field_does_not_matter(tmp_path):
    run(grid(), tmp_path / "s")
    assert run(grid(scenario=SMALL.replace(**{"network.slots": 33})), tmp_path / "s").kept == 24


@pytest.mark.parametrize(
    ("what", "advice", "now"),
    [("code_fingerprint", "code", "0" * 16), ("calibrations_of", "calibration", ["0" * 16])],
)
def test_other_code_or_calibration_never_mixes(tmp_path, monkeypatch, what, advice, now):
    run(grid(), tmp_path / "s")
    monkeypatch.setattr(header, what, lambda *_: now)
    with pytest.raises(StudyError, match=rf"another.*{advice}.*--out.*--fresh"):
        run(grid(), tmp_path / "s")
    outcome = run(grid(), tmp_path / "s", fresh=True)
    assert (outcome.kept, outcome.new) == (0, 24)


def test_fresh_deletes_only_a_study(tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "thesis.txt").write_text("years of work")
    with pytest.raises(StudyError, match="not a study"):
        run(grid(), tmp_path / "s", fresh=True)
    assert (tmp_path / "s" / "thesis.txt").read_text() == "years of work"


def test_a_failed_run_does_not_lose_the_others_and_is_tried_again(tmp_path, monkeypatch):
    def sometimes(scenario, task, *more):
        if task.seed == 10001 and task.policy == "SAFE":
            raise ValueError("no route")
        return fly_task(scenario, task, *more)

    with monkeypatch.context() as patch:
        patch.setattr(backends, "fly_task", sometimes)
        outcome = run(grid(), tmp_path / "s")
    assert (outcome.new, len(outcome.failed), outcome.complete) == (20, 4, False)
    assert outcome.failed[0][1] == "ValueError: no route"
    assert run(grid(), tmp_path / "s").new == 4


def test_two_writers_are_refused_and_a_dead_ones_lock_is_taken_over(tmp_path):
    folder = tmp_path / "s"
    folder.mkdir()
    with only_writer(folder), pytest.raises(StudyError, match=f"process {os.getpid()}"), only_writer(folder):
        raise AssertionError("two writers")
    killed = multiprocessing.get_context("fork").Process(target=_die_holding_the_lock, args=(folder,))
    killed.start()
    killed.join()
    assert (folder / ".lock").read_text().strip() == str(killed.pid)
    assert run(grid(), folder).complete


def _die_holding_the_lock(folder):
    with contextlib.ExitStack() as stack:
        stack.enter_context(only_writer(folder))
        os._exit(9)


def test_other_files_in_the_header_place_are_refused(tmp_path):
    for text in ("[", "just text", "study: 3"):
        (tmp_path / "study.yaml").write_text(text)
        with pytest.raises(StudyError, match=r"study\.yaml"):
            StudyStore(tmp_path).study()


def test_find_studies(tmp_path):
    run(grid(), tmp_path / "b")
    run(grid(), tmp_path / "a")
    (tmp_path / "c").mkdir()
    assert [p.name for p in find_studies(tmp_path, tmp_path / "missing")] == ["a", "b"]


def test_negative_workers(tmp_path):
    with pytest.raises(StudyError, match="workers"):
        run(grid(), tmp_path / "s", workers=-1)
