"""Calibrated on the first part of a recording, the confidence set is tested on the rest."""

import numpy as np
import pytest

from core import Scenario, folders
from core.errors import CalibrationError
from core.files.links import keep_links
from core.files.mission import keep_mission
from core.simulation import Simulation, reference
from core.simulation.calibrate import calibrate, calibration_run, split
from core.simulation.held_out import RestCoverage, coverage_of_rest
from core.simulation.link_recording import fly_and_record
from core.simulation.own_mission import mission_of

SMALL = Scenario().replace(**{"mission.uavs": 4, "mission.duration_s": 10.0})


def test_a_part_of_a_run_is_that_part():
    whole, first, rest = (calibration_run(SMALL, 3, cycles) for cycles in (None, *split(SMALL, 0.5)))
    np.testing.assert_array_equal(np.concatenate([first.score, rest.score]), whole.score)
    np.testing.assert_array_equal(np.concatenate([first.second, rest.second]), whole.second)


def test_the_rest_of_a_recording_is_covered(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "RESULTS", tmp_path)
    _, trace = fly_and_record(Simulation(SMALL, "SAFE", 5))
    mission = keep_mission("flown", mission_of(reference(SMALL, 5), SMALL.control.Ts))
    s = SMALL.replace(**{"network.link_trace": keep_links(trace), "mission.file": mission})
    made = calibrate(s, range(3), first=0.5)
    found = coverage_of_rest(made, s, range(3), 0.5)
    assert found.routes > 500
    assert 0.80 < found.share <= 1.0  # one recording of four UAVs; the exact share is what is measured
    fooled = coverage_of_rest(made, s.replace(**{"twin.beta": 0.5}), range(3), 0.5)
    assert fooled.share < found.share
    assert f"{100 * found.share:.2f} % of {found.routes} routes; 95 % are promised" in found.words


def test_parts_that_hold_nothing_are_refused():
    for share in (0.0, 0.01, 0.99, 2.0):
        with pytest.raises(CalibrationError, match="two cycles each"):
            split(SMALL, share)
    assert "nothing can be said" in RestCoverage(0, 0, 0.05).words
