"""The prediction rows of the claims audit: noise alone separates flown from predicted V, and a wrong prediction is seen."""

import functools

import numpy as np
import pytest

from core import Scenario
from core.control import predict_paths
from core.studies.claims import ClaimVerdict, arrival, flight, prediction
from core.studies.claims.prediction import Outcome

HOLDS, COMPATIBLE = ClaimVerdict.HOLDS, ClaimVerdict.COMPATIBLE
VIOLATED, VACUOUS = ClaimVerdict.VIOLATED, ClaimVerdict.VACUOUS
SMALL = Scenario().replace(**{"mission.uavs": 12, "mission.duration_s": 10.0, "network.slots": 60})
QUIET = SMALL.replace(**{"control.sigma_meas_m": 0.05, "control.sigma_proc_m": 0.015})


@functools.lru_cache(maxsize=4)
def flown(scenario=SMALL, calm=True):
    return [flight.Flight.of(scenario, 5000 + i, calm=calm) for i in range(4)]


def bias(scenario, cycles, outcome, column="bias"):
    return np.concatenate([prediction.deviations(scenario, f, cycles).of(outcome, column) for f in flown(scenario)])


@pytest.mark.parametrize("cycles", [1, 4])
@pytest.mark.parametrize("calm", [True, False])
def test_what_the_controller_hears_nothing_of_is_predicted_exactly(cycles, calm):
    for f in flown(SMALL, calm):
        found = prediction.deviations(SMALL, f, cycles)
        assert len(found.of(Outcome.HELD)) > 0
        assert np.abs(found.of(Outcome.HELD)).max(initial=0) < 1e-12
        assert np.abs(found.of(Outcome.ONBOARD)).max(initial=0) < 1e-12


def test_a_command_without_fresh_telemetry_is_predicted_exactly():
    """With the arrival that was realised nothing is left to chance until telemetry comes."""
    command_only = 0
    for f in flown(SMALL, False):
        found, motion = prediction.deviations(SMALL, f, 1), f.motion
        outcome = np.concatenate([prediction._outcomes(motion, k, 1) for k in range(len(motion.z) - 1)])
        silent = ~motion.uplink[:-1].ravel() & (outcome == Outcome.COMMAND)
        command_only += int(silent.sum())
        assert np.abs(found.bias[silent[outcome >= 0]]).max(initial=0) < 1e-12
    assert command_only > 0


def test_the_onboard_law_is_predicted_too():
    tight = SMALL.replace(**{"control.corridor_radius_m": 22.0, "network.slots": 24})
    found = [prediction.deviations(tight, f, 1).of(Outcome.ONBOARD) for f in flown(tight)]
    assert sum(map(len, found)) > 0
    assert max(np.abs(x).max(initial=0) for x in found) < 1e-12


def test_the_bias_is_the_noise_and_falls_with_its_square():
    full, tenth = (bias(s, 1, Outcome.COMMAND, "curvature").mean() for s in (SMALL, QUIET))
    assert full / tenth == pytest.approx(100, rel=0.3)
    assert abs(bias(QUIET, 1, Outcome.COMMAND).mean()) < 0.1 * abs(bias(SMALL, 1, Outcome.COMMAND).mean())


@pytest.mark.parametrize("cycles", [1, 4])
def test_without_noise_and_gusts_zero_is_in_the_interval(cycles):
    finding = prediction.prediction_is_unbiased(QUIET, flown(QUIET), cycles, calm=True)
    assert finding.verdict is COMPATIBLE
    assert "exact" in finding.measured
    assert finding.key == ("prediction-cycle-calm" if cycles == 1 else "prediction-lookahead-calm")


def wrong_sign(X, z, u, steps, law, **rest):
    return predict_paths(X, z, u, -steps, law, **rest)


def no_plan(X, z, u, steps, law, **rest):
    return predict_paths(X, z, u, 0.9 * steps, law, **rest)


def late_command(X, z, u, steps, law, *, local, arrival_s):
    return predict_paths(X, z, u, steps, law, local=local, arrival_s=arrival_s + 0.1)


@pytest.mark.parametrize("cycles", [1, 4])
@pytest.mark.parametrize("broken", [wrong_sign, no_plan, late_command])
def test_a_wrong_prediction_is_seen(monkeypatch, broken, cycles):
    missions = flown(QUIET)
    monkeypatch.setattr(prediction, "predict_paths", broken)
    assert prediction.prediction_is_unbiased(QUIET, missions, cycles, calm=True).verdict is VIOLATED


def test_missions_too_short_for_the_look_ahead_say_nothing():
    brief = SMALL.replace(**{"mission.duration_s": 1.0})
    finding = prediction.prediction_is_unbiased(brief, [flight.Flight.of(brief, 5000)] * 2, 6, calm=False)
    assert finding.verdict is VACUOUS


def test_both_ends_bound_every_arrival_and_a_shorter_frame_does_not():
    assert arrival.ends_bound_the_arrival(SMALL, flown()).verdict is HOLDS
    shorter = SMALL.replace(**{"network.slots": 1})  # the commands arrive after what is then its end
    finding = arrival.ends_bound_the_arrival(shorter, flown())
    assert finding.verdict is VIOLATED
    hopeless = SMALL.replace(**{"network.snr_offset_db": -20.0})
    assert arrival.ends_bound_the_arrival(hopeless, flown(hopeless)).verdict is VACUOUS
