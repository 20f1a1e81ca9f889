"""The studies in data/studies: complete, readable with the present scenario fields, and their summary is that of their records."""

import pytest

from core.folders import DATA
from core.studies import Study, StudyStore, curve, find_studies
from core.studies.statistics import summary_csv

FOLDERS = find_studies(DATA / "studies")


def test_the_scarcity_and_the_scaling_curve_are_shipped():
    assert [f.name for f in FOLDERS] == ["scaling", "scarcity"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_shipped_study(folder):
    store = StudyStore(folder)
    study, frame = store.study(), store.frame()
    asked = Study.from_yaml(folder.with_suffix(".yaml"))
    assert (study.axes, study.policies, study.seeds) == (asked.axes, asked.policies, asked.seeds)
    assert len(frame) == study.size
    assert min(study.seeds) >= 10000
    assert (folder / "summary.csv").read_bytes() == summary_csv(frame, study)
    table = curve(frame, study, "mean_rmse_m", study.names[0])
    assert table["mean"].between(1, 100).all()
    assert (table["lo"] < table["hi"]).all()
