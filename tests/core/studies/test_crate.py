"""A study's folder says what it is, and says the same after a rerun."""

from __future__ import annotations

import json
from pathlib import Path

from core.figures import study_curves
from core.scenario import Scenario
from core.studies import Axis, Study, run_study
from core.studies.crate import CRATE

STUDY = Study(
    Scenario().replace(**{"mission.uavs": 5, "mission.duration_s": 2.0}),
    (Axis("network.slots", (20, 30)),),
    ("SAFE", "VoI-Sched"),
    (60, 61),
)


def test_the_metadata_tell_what_was_run_and_stay_the_same(tmp_path: Path) -> None:
    store = run_study(STUDY, tmp_path / "s", workers=0).store
    first = (store.folder / CRATE).read_bytes()
    graph = {item["@id"]: item for item in json.loads(first)["@graph"]}
    facts = {fact["name"]: fact["value"] for fact in graph["#run"]["object"]}
    header = store.header()
    assert facts == {
        "scenarioDigest": STUDY.scenario.digest(),
        "calibrationDigest": header["calibration"],
        "codeFingerprint": header["code"],
    }
    for part in graph["./"]["hasPart"]:
        assert (store.folder / part["@id"]).exists()
    assert {"@id": "records/"} in graph["./"]["hasPart"]
    assert "date" not in first.decode().lower()
    records = {p: p.read_bytes() for p in store.records.glob("*/*.parquet")}
    (store.folder / CRATE).unlink()
    run_study(STUDY, tmp_path / "s", workers=0)
    assert (store.folder / CRATE).read_bytes() == first
    assert {p: p.read_bytes() for p in store.records.glob("*/*.parquet")} == records
    run_study(STUDY, tmp_path / "s", workers=0, fresh=True)
    assert (store.folder / CRATE).read_bytes() == first
    figure = study_curves(store.study(), store.frame())
    assert figure.stamp.calibration == ",".join(header["calibration"])
    mean = store.frame().groupby(["policy", "network.slots"])["mean_rmse_m"].mean()
    for row in figure.frame.to_dict("records"):
        assert row["mean"] == mean[row["policy"], row["network.slots"]]
