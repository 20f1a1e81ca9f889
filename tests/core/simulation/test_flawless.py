"""The flight with a radio that never fails: the lag on a line, the shorter one after a turn, and what the simulator flies in a quiet sky."""

import numpy as np
import pytest

from core import Scenario
from core.control import ControlModel
from core.scenario import preset
from core.simulation import Trace, draws, flawless_errors, flawless_rmse, reference, simulate
from core.simulation import flawless as module

SWARM = preset("teaching-swarm").replace(**{"mission.duration_s": 12.0})
K, TS = ControlModel.of(SWARM).k, SWARM.control.Ts
LAG_M = SWARM.mission.speed_mps / K


def flown(monkeypatch, velocity, **changes):
    """Length of the error of one UAV whose reference flies these velocities."""
    positions = np.concatenate([np.zeros((1, 1, 3)), np.cumsum(np.asarray(velocity) * TS, axis=0)])
    monkeypatch.setattr(module, "reference", lambda scenario, seed: Trace.of_positions(positions, TS))
    return np.linalg.norm(flawless_errors(SWARM.replace(**changes), 0, disturbed=False), axis=2)[:, 0]


def test_on_a_straight_line_the_lag_is_v_over_k(monkeypatch):
    straight = np.tile([15.0, 0.0, 0.0], (40, 1, 1))
    assert flown(monkeypatch, straight) == pytest.approx(np.full(40, LAG_M))
    assert flown(monkeypatch, straight, **{"control.feed_forward": True}) == pytest.approx(np.zeros(40), abs=1e-12)


def test_a_turn_shortens_the_lag_and_it_grows_back(monkeypatch):
    turn = np.array([[[15.0, 0.0, 0.0]]] * 10 + [[[0.0, 15.0, 0.0]]] * 20)
    lag = flown(monkeypatch, turn)
    assert lag.max() <= LAG_M * (1 + 1e-12)
    assert lag[10] < 0.8 * LAG_M
    assert lag[-1] == pytest.approx(LAG_M, rel=1e-4)


def test_undisturbed_it_is_what_the_simulator_flies_in_a_quiet_sky():
    quiet = SWARM.replace(
        **{
            "network.slots": 450,
            "network.snr_offset_db": 20.0,
            "control.sigma_proc_m": 0.01,
            "control.sigma_meas_m": 0.01,
            "mission.gust_min_mps2": 0.0,
            "mission.gust_max_mps2": 0.0,
        }
    )
    run = simulate(quiet, "VoI-Sched", 2000)
    assert run.rmse.mean() == pytest.approx(flawless_rmse(quiet, 2000, disturbed=False), rel=0.01)
    assert run.rmse.mean() < 0.97 * LAG_M, "turns bring a mission below v/k"


def test_disturbed_it_is_what_the_simulator_flies_with_slots_in_abundance():
    """Same gusts and noise as every policy; what is left is the time a command takes within the frame."""
    rich = Scenario().replace(
        **{
            "network.blocklengths": [150],
            "network.bits_ul": 50,
            "network.bits_dl": 50,
            "network.snr_offset_db": 20.0,
            "network.wall_loss_db": 0.0,
            "network.indoor_loss_db_per_m": 0.0,
        }
    )
    run = simulate(rich, "Fixed-Service", 600)
    assert run.delivered.mean() > 0.99
    assert run.rmse.mean() == pytest.approx(flawless_rmse(rich, 600), rel=0.02)


def test_noise_and_gusts_are_those_of_the_mission():
    """e⁺ = (1 − T_s·k)e − T_s·k·m − T_s·v + T_s·v_gust + w, with the draws that the simulator uses, written out."""
    trace, k = reference(SWARM, 5), ControlModel.of(SWARM).k
    e, found = -trace.velocity[0] / k, []
    for cycle in range(trace.cycles):
        m = SWARM.control.sigma_meas_m * draws.normals(5, draws.MEASUREMENT, cycle, 8, 3)
        w = SWARM.control.sigma_proc_m * draws.normals(5, draws.PROCESS, cycle, 8, 3)
        e = (1 - TS * k) * e - TS * k * m - TS * trace.velocity[cycle] + TS * trace.gust[cycle] + w
        found.append(e)
    assert trace.gust.any()
    assert flawless_errors(SWARM, 5) == pytest.approx(np.array(found))
