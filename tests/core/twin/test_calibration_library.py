"""Which calibration a scenario gets: shipped, the user's own, or the default one with a notice."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from core import Scenario
from core.__main__ import main
from core.scenario import PRESETS, preset
from core.simulation import Simulation, simulate
from core.studies import Axis, Study, run_study
from core.twin import (
    ScoreQuantiles,
    calibration_for,
    calibration_key,
    calibration_library,
    default_calibration,
    load_calibration,
    own_path,
    route_class,
    save_calibration,
)
from core.twin.calibration import MIN_SCORES
from core.twin.persistence import ChainCounts

SHORT = Scenario().replace(**{"mission.uavs": 6, "mission.duration_s": 3.0})
LOW = SHORT.replace(**{"mission.building_height_m": 60.0})


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for the user's own calibrations."""
    monkeypatch.setattr(calibration_library, "OWN_FOLDER", tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_a_calibration_that_fits(name: str) -> None:
    scenario = preset(name)
    assert calibration_for(scenario).notice(scenario) == ""


def test_without_one_the_default_is_used_and_says_in_what_it_does_not_fit(own: Path) -> None:
    found = calibration_for(LOW)
    assert found is default_calibration()
    assert "mission.building_height_m = 90.0 (now 60.0)" in found.notice(LOW)
    assert "python -m core calibrate" in found.notice(LOW)
    many = LOW.replace(**{"mission.speed_mps": 5.0, "control.R": 0.2, "network.bits_ul": 800, "network.bits_dl": 800})
    assert "and 2 more" in found.notice(many)


def test_a_calibration_of_the_user_is_found_by_everything_that_flies_its_scenario(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = simulate(LOW, seed=3)
    scenario = own / "low.scenario"
    LOW.to_yaml(scenario.with_suffix(".yml"), only_changes=True)
    assert main(["simulate", "--scenario", str(scenario.with_suffix(".yml"))]) == 0
    assert "note: The twin was calibrated with mission.building_height_m = 90.0 (now 60.0)" in capsys.readouterr().err
    assert (
        main(
            [
                "calibrate",
                "--scenario",
                str(scenario.with_suffix(".yml")),
                "--seeds",
                "0:2",
                "--workers",
                "1",
                "--quiet",
            ]
        )
        == 0
    )

    made = calibration_for(LOW)
    assert made is not default_calibration()
    assert made.mismatches(LOW) == []
    assert made.digest != default_calibration().digest
    assert own_path(LOW).with_suffix(".npz").is_file()
    # sliders that no calibration depends on, and other swarm sizes, find the same file
    assert calibration_for(LOW.replace(**{"twin.beta": 0.2, "network.slots": 50, "mission.uavs": 9})) is made
    # a run in flight follows its scenario
    flying = Simulation(SHORT, "SAFE", 0)
    assert flying.calibration is default_calibration()
    assert Simulation(LOW, "SAFE", 0).calibration is made
    assert simulate(LOW, seed=3).summary() != before.summary()
    assert main(["simulate", "--scenario", str(scenario.with_suffix(".yml"))]) == 0
    assert "calibrated with" not in capsys.readouterr().err


def test_a_run_in_flight_follows_its_scenario_to_another_calibration(own: Path) -> None:
    """Two scenarios with a file each: margins in flight are those of the file that belongs to the scenario of the cycle."""
    other, default = SHORT.replace(**{"network.min_link_snr_db": -4.0}), default_calibration()
    wider = tuple(
        tuple((ScoreQuantiles(a.n, a.values + 2.0), ScoreQuantiles(b.n, b.values + 2.0)) for a, b in stratum)
        for stratum in default.scores
    )
    save_calibration(dataclasses.replace(default, key=calibration_key(other), scores=wider), own / "other")
    flying, given = Simulation(SHORT, "SAFE", 0), Simulation(SHORT, "SAFE", 0, default)
    for scenario, extra_db in ((SHORT, 0.0), (other, 2.0), (SHORT, 0.0)):
        flying.scenario = given.scenario = scenario
        for simulation, wanted_db in ((flying, extra_db), (given, 0.0)):  # one that was handed over stays
            record = simulation.step()
            routes, failed = record.candidates.ul_routes, record.states.c_fail >= 1
            shipped = default.margins(scenario.twin.beta)[
                route_class(routes.hops, routes.rayleigh), failed[routes.loop].astype(int)
            ]
            np.testing.assert_allclose(record.candidates.margin_ul_db, shipped + wanted_db, atol=1e-6)
    assert flying.calibration is default
    assert "network.min_link_snr_db" in default.notice(other)


def test_a_broken_file_is_passed_over_with_a_line_in_the_log(own: Path, caplog: pytest.LogCaptureFixture) -> None:
    (own / "broken.yaml").write_text("version: 2\n")
    assert calibration_for(LOW) is default_calibration()
    assert "broken" in caplog.text


def test_a_calibration_of_too_few_runs_says_so_and_serves_nobody(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Two UAVs for a second would otherwise serve, by the same key, every swarm of this geometry."""
    tiny = _written(tmp_path / "tiny.yml", LOW.replace(**{"mission.uavs": 2, "mission.duration_s": 1.0}))
    assert main(["calibrate", "--scenario", tiny, "--seeds", "0:2", "--workers", "1", "--quiet"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    for word in ("no margin", "more seeds", "mission.duration_s", "mission.uavs"):
        assert word in last
    assert load_calibration(own_path(LOW)).empty
    assert calibration_for(LOW) is default_calibration()
    assert "certifies nothing" in caplog.text


def test_a_link_budget_below_all_that_were_flown_is_told() -> None:
    default = default_calibration()
    assert default.notice(Scenario().replace(**{"network.snr_offset_db": -15.0})) == ""
    assert "3.0 dB below" in default.notice(Scenario().replace(**{"network.snr_offset_db": -18.0}))


def test_a_class_without_a_margin_is_named_when_routes_belong_to_it() -> None:
    default = default_calibration()
    few = type(default.scores[0][0][0])(MIN_SCORES - 1, np.empty(0))
    rare = tuple((*stratum[:5], (few, few)) for stratum in default.scores)
    assert dataclasses.replace(default, scores=rare).notice(Scenario()) == ""
    common = tuple(((stratum[0][0], few), *stratum[1:]) for stratum in default.scores)
    told = dataclasses.replace(default, scores=common).notice(Scenario())
    assert "1 hop, line of sight after a failure" in told
    assert "more seeds" in told
    none = tuple(ChainCounts(*(np.zeros_like(c.failures) for _ in range(4))) for c in default.counts)
    silent = dataclasses.replace(default, counts=none)
    assert silent.empty
    assert "no p₁₁" in silent.notice(Scenario())


def test_a_study_tells_of_cells_without_calibration(own: Path, tmp_path: Path) -> None:
    told: list[str] = []
    study = Study(SHORT, (Axis("mission.building_height_m", (60.0, 70.0, 90.0)),), ("Fixed-Service",), (10_000,))
    run_study(study, tmp_path / "study", workers=0, announce=told.append)
    assert "mission.building_height_m" in told[0]
    assert "2 cells are concerned" in told[0]
    told.clear()
    run_study(Study(SHORT, (Axis("twin.beta", (0.05, 0.1)),)), tmp_path / "beta", workers=0, announce=told.append)
    assert told == []


def test_records_of_another_calibration_are_never_mixed(own: Path, tmp_path: Path) -> None:
    from core.errors import StudyError

    study = Study(LOW, (Axis("network.slots", (40,)),), ("Fixed-Service",), (10_000,))
    run_study(study, tmp_path / "study", workers=0)
    main(
        ["calibrate", "--scenario", _written(tmp_path / "low.yaml", LOW), "--seeds", "0:2", "--workers", "1", "--quiet"]
    )
    more = Study(LOW, (Axis("network.slots", (40, 60)),), ("Fixed-Service",), (10_000,))
    with pytest.raises(StudyError, match="another calibration"):
        run_study(more, tmp_path / "study", workers=0)


def _written(path: Path, scenario: Scenario) -> str:
    scenario.to_yaml(path)
    return str(path)
