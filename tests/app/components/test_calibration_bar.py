"""The bar under the chain: silent while the calibration fits, otherwise it says so and calibrates on request."""

from pathlib import Path

import pytest

from app.components import calibration_bar
from app.components.calibration_bar import CalibrationBar
from app.session import Session
from core import folders
from core.twin import calibration_for, calibration_library, default_calibration

pytestmark = pytest.mark.slow  # a calibration of another world, made once


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]) -> CalibrationBar:
    monkeypatch.setenv("SAFE_EXPLORER_RESULTS", str(tmp_path))
    monkeypatch.setattr(folders, "RESULTS", tmp_path)
    monkeypatch.setattr(calibration_library, "OWN_FOLDER", tmp_path / "calibration")
    monkeypatch.setattr(calibration_bar, "SEEDS", "0:2")
    session = Session()
    session.complain = session.tell = said.append
    session.state.apply({"uavs": 6, "duration_s": 3.0})
    made = CalibrationBar(session)
    session.pipeline.request()
    yield made
    session.close()


def test_it_is_empty_while_the_calibration_fits(bar: CalibrationBar) -> None:
    assert bar.text == ""
    assert len(bar.__panel__()) == 0


def test_a_scenario_without_calibration_is_calibrated_on_request(bar: CalibrationBar, said: list[str]) -> None:
    state, pipeline = bar.session.state, bar.session.pipeline
    state.apply({"building_height_m": 60.0})
    assert "mission.building_height_m = 90.0 (now 60.0)" in bar.line.object
    assert bar.button.label == "Calibrate now"
    before = pipeline.picture

    bar.start()
    assert bar.button.label == "Cancel"
    bar.process.wait()
    assert bar.process.progress == (12, 12)
    bar.poll()
    assert "calibrated for these settings" in said[-1]
    # nothing is left to say but what so small a swarm could not teach
    assert bar.text == calibration_for(state.scenario).gaps(state.beta)
    # the page was computed again with it, though no control moved
    assert pipeline.picture is not before
    assert pipeline.picture.inputs.calibration is calibration_for(state.scenario)
    assert pipeline.picture.inputs.calibration is not default_calibration()
    assert pipeline.picture.instant.candidates.margin_ul_db.tolist() != before.instant.candidates.margin_ul_db.tolist()


def test_cancel_keeps_nothing_and_only_one_command_runs_at_a_time(bar: CalibrationBar, said: list[str]) -> None:
    bar.session.state.apply({"building_height_m": 50.0, "duration_s": 30.0})
    bar.start()
    other = CalibrationBar(bar.session)
    other.start()
    assert "Another calibration is running" in said[-1]
    bar.cancel()
    bar.process.wait()
    bar.poll()
    assert bar.process is None
    assert bar.button.label == "Calibrate now"
    assert calibration_for(bar.session.state.scenario) is default_calibration()
    assert len(said) == 1


def test_what_the_command_complains_of_is_said(
    bar: CalibrationBar, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration_bar, "SEEDS", "5")
    bar.session.state.apply({"building_height_m": 40.0})
    bar.start()
    bar.process.wait()
    bar.poll()
    assert "two calibration seeds" in said[-1]
    assert bar.button.label == "Calibrate now"


def test_a_link_that_needs_it_has_it_before_the_first_picture() -> None:
    made = Session()
    made.pipeline.close()  # no picture comes
    made.state.apply({"building_height_m": 75.0})
    assert made.pipeline.picture is None
    assert "building_height_m" in CalibrationBar(made).line.object
    assert not len(CalibrationBar(Session())._place)
