"""The studies in data/studies: complete, made from the files beside them by the present code, tables made from the records."""

import pytest

from core.folders import DATA
from core.studies import Study, StudyStore, Task, curve, find_studies
from core.studies.comparison import differences_csv
from core.studies.record import run_task
from core.studies.statistics import summary_csv
from core.twin import default_calibration

FOLDERS = find_studies(DATA / "studies")
BEFORE = ("mean_rmse_m", "p95_rmse_m", "mean_v", "p95_v", "mean_delay_ms", "delivered_share", "longest_silence_cycles")
"""What every shipped record must at least have."""
V_TOLERANCE = 1e-5
"""Relative; V is measured with the X of a numerical semidefinite program, whose last digits differ between machines."""
AGAIN = "make it again: python -m core study data/studies/{0}.yaml --out data/studies/{0} --fresh"


def test_every_study_that_is_asked_for_is_shipped():
    asked = [p.stem for p in sorted((DATA / "studies").glob("*.yaml"))]
    assert {"scaling", "scarcity"} <= set(asked)
    assert [f.name for f in FOLDERS] == asked, AGAIN.format("…")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
@pytest.mark.slow
def test_shipped_study(folder):
    store = StudyStore(folder)
    study, frame = store.study(), store.frame()
    asked = Study.from_yaml(folder.with_suffix(".yaml"))
    assert (study.axes, study.policies, study.seeds) == (asked.axes, asked.policies, asked.seeds)
    assert study.fixed_yaml() == asked.fixed_yaml(), AGAIN.format(folder.name)
    assert len(frame) == study.size
    assert not {*study.seeds} & {*default_calibration().seeds}, "certificates must not have seen these missions"
    assert (folder / "summary.csv").read_bytes() == summary_csv(frame, study)
    table = curve(frame, study, "mean_rmse_m", study.names[0])
    assert table["mean"].between(1, 100).all()
    assert (table["lo"] < table["hi"]).all()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
@pytest.mark.slow
def test_the_differences_are_those_of_the_records(folder):
    store = StudyStore(folder)
    assert (folder / "differences.csv").is_file(), AGAIN.format(folder.name)
    assert (folder / "differences.csv").read_bytes() == differences_csv(store.frame(), store.study())


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
@pytest.mark.parametrize("end", [0, -1], ids=["first", "last"])
@pytest.mark.slow
def test_a_shipped_record_is_what_the_present_code_flies(folder, end):
    """A fingerprint of the code would fail at every edit; flying a record again fails when an edit moves a number."""
    store = StudyStore(folder)
    study, frame = store.study(), store.frame()
    cell, policy = list(study.cells())[end], study.policies[end]
    task = Task(cell, policy, study.seeds[-1 - end])
    (stored,) = frame[(frame["cell"] == cell.id) & (frame["policy"] == policy) & (frame["seed"] == task.seed)].to_dict(
        "records"
    )
    flown = run_task(study.scenario_of(cell), task)
    assert stored.keys() <= flown.keys()  # a metric added since then asks for no new flight
    assert set(BEFORE) <= stored.keys()
    for name, value in flown.items():
        if isinstance(value, float) and name in stored:
            close = pytest.approx(value, rel=V_TOLERANCE if name.endswith("_v") else 1e-9, nan_ok=True)
            assert stored[name] == close, f"{name}; {AGAIN.format(folder.name)}"
