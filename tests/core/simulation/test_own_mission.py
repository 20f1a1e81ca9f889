"""Missions of one's own, flown end to end: what is flown is what the file says, and the twin is calibrated for it."""

import numpy as np
import pytest
from own_data import mission_csv, plan

from core import Scenario, folders
from core.files.mission import keep_mission
from core.instant import Flight
from core.instant.takeoff import takeoff
from core.simulation import Simulation, reference, simulate
from core.simulation.calibrate import calibrate
from core.simulation.own_mission import mission_of
from core.simulation.trace import Phase
from core.twin import calibration_for, calibration_library, own_path, save_calibration


@pytest.fixture(autouse=True)
def own_results(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "RESULTS", tmp_path)
    monkeypatch.setattr(calibration_library, "OWN_FOLDER", tmp_path / "calibration")


def scenario_of(tmp_path, content, name="m.csv") -> Scenario:
    path = tmp_path / name
    path.write_bytes(content)
    return Scenario().with_own(mission=path)


def same(a, b) -> None:
    for name in ("rmse", "v_normalised", "tr_sigma", "served", "uplink", "downlink", "mode", "positions", "nearest_m"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def test_references_phases_and_gusts_are_those_of_the_file(tmp_path):
    text = b"t,uav,x,y,z,hotspot,gx,gy,gz\n0,1,0,0,50,0,0,0,0\n2,1,10,0,50,1,1.5,0,-0.5\n3,1,15,0,50,0,0,0,0\n6,1,15,12,50,0,0,0,0\n"
    s = scenario_of(tmp_path, text).replace(**{"mission.recovery_cycles": 2})
    trace = reference(s, 7)
    assert trace is reference(s, 8)  # seeds move nothing of it
    t = 0.25 * np.arange(25)
    np.testing.assert_allclose(trace.positions[:, 0, 0], np.interp(t, [0, 2, 3], [0, 10, 15]))
    np.testing.assert_allclose(np.linalg.norm(trace.velocity, axis=-1)[:, 0], [5.0] * 12 + [4.0] * 12)
    phase = trace.phase[:, 0]
    assert (np.flatnonzero(phase == Phase.HOTSPOT) == [8, 9, 10, 11]).all()
    assert (np.flatnonzero(phase == Phase.RECOVERY) == [12, 13]).all()
    assert (np.flatnonzero(trace.gust[:, 0, 0]) == [8, 9, 10, 11]).all()
    np.testing.assert_allclose(trace.gust[9, 0], [1.5, 0, -0.5])


def test_the_built_in_mission_as_a_file_flies_bit_for_bit_the_same(calibration):
    s = Scenario().replace(**{"mission.uavs": 6, "mission.duration_s": 8.0})
    flown = reference(s, 3)
    own = s.replace(**{"mission.file": keep_mission("built-in", mission_of(flown, s.control.Ts))})
    again = reference(own, 3)
    assert flown.gust.any()
    for name in ("positions", "velocity", "phase", "gust"):
        np.testing.assert_array_equal(getattr(again, name), getattr(flown, name), err_msg=name)
    same(simulate(s, "SAFE", 3, calibration), simulate(own, "SAFE", 3, calibration))


@pytest.mark.parametrize("kind", ["csv", "plan"])
def test_end_to_end_with_calibration(kind, tmp_path):
    if kind == "csv":
        s = scenario_of(tmp_path, mission_csv(4, 8))
    else:
        folder = tmp_path / "plans"
        folder.mkdir()
        for i in range(3):
            (folder / f"uav{i + 1}.plan").write_bytes(plan(east_deg=0.003 + 0.0004 * i, altitude=60 + 5 * i))
        s = Scenario().with_own(mission=folder).replace(**{"mission.duration_s": 6.0})
    notice = calibration_for(s).notice(s)
    assert f"mission.file = none (now {s.mission.file})" in notice
    made = calibrate(s, range(4))
    assert made.key["mission.file"] == s.mission.file
    save_calibration(made, own_path(s))
    found = calibration_for(s)
    assert found.digest == made.digest
    assert found.mismatches(s) == []
    assert "promise nothing" not in found.notice(s)
    other = scenario_of(tmp_path, mission_csv(3, 6, speed=7.0))
    assert calibration_for(other).digest != made.digest  # another file: the calibration is not its own
    run = simulate(s, "SAFE", 700)
    assert run.delivered.sum() > 10
    assert run.summary()["certified_share"] > 0.2
    assert np.abs(run.references - reference(s, 0).positions[1:]).max() == 0.0
    flight = Flight.of(takeoff(s), "SAFE", 700)
    assert "slots" in str(flight.instant(5).on(0).sentence)


def test_the_twin_sees_the_plan_ahead(tmp_path, calibration):
    s = scenario_of(tmp_path, mission_csv(2, 6))
    simulation = Simulation(s, "SAFE", 0, calibration)
    view = simulation._view(simulation.states())
    np.testing.assert_array_equal(view.plan.references, reference(s, 0).positions[: view.plan.cycles + 1])
