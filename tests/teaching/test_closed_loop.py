"""Lesson 06 says of the lag what its own numbers say."""

import re

import numpy as np
import pytest

from app.teaching.closed_loop import PAPER_POLICIES, SEEDS, flawless_errors, flawless_rmse, lag_line, metric
from app.teaching.what_if import lesson_scenario
from core.control import ControlModel
from core.simulation import simulate

SCENARIO = lesson_scenario()
K, TS = ControlModel.of(SCENARIO).k, SCENARIO.control.Ts
LAG_M = SCENARIO.mission.speed_mps / K

pytestmark = pytest.mark.xdist_group("exercises")  # the lesson's missions are cached in one process


def test_on_a_straight_line_the_lag_is_v_over_k() -> None:
    straight = np.tile([15.0, 0.0, 0.0], (40, 1, 1))
    assert np.linalg.norm(flawless_errors(straight, K, TS), axis=2) == pytest.approx(np.full((40, 1), LAG_M))


def test_a_turn_shortens_the_lag_and_it_grows_back() -> None:
    turn = np.array([[[15.0, 0.0, 0.0]]] * 10 + [[[0.0, 15.0, 0.0]]] * 20)
    lag = np.linalg.norm(flawless_errors(turn, K, TS), axis=2)[:, 0]
    assert lag.max() <= LAG_M * (1 + 1e-12)
    assert lag[10] < 0.8 * LAG_M
    assert lag[-1] == pytest.approx(LAG_M, rel=1e-4)


def test_flawless_flight_is_what_the_simulator_flies_in_a_quiet_sky() -> None:
    quiet = SCENARIO.replace(
        **{
            "network.slots": 450,
            "network.snr_offset_db": 20.0,
            "control.sigma_proc_m": 0.01,
            "control.sigma_meas_m": 0.01,
            "mission.gust_min_mps2": 0.0,
            "mission.gust_max_mps2": 0.0,
        }
    )
    run = simulate(quiet, "VoI-Sched", SEEDS[0])
    assert run.rmse.mean() == pytest.approx(flawless_rmse(quiet, SEEDS[0]), rel=0.01)
    assert run.rmse.mean() < 0.97 * LAG_M, "turns bring a mission below v/k"


def test_the_lessons_sentence_is_made_of_its_numbers() -> None:
    means = [metric(lesson_scenario(64), p, "mean_rmse_m").mean() for p in PAPER_POLICIES]
    text = lag_line(SCENARIO, 64)
    assert f"{min(means):.2f} to {max(means):.2f} m" in text
    assert re.search(rf"{sum(m < LAG_M for m in means)} of 5 below v/k", text)
    floor = np.mean([flawless_rmse(SCENARIO, s) for s in SEEDS])
    assert f"mean RMSE {floor:.2f} m" in text
    assert min(means) > floor, "the lesson calls flawless flight the floor"
