"""Lesson 07 says of the lag what its own numbers say."""

import re

import numpy as np
import pytest

from app.teaching.closed_loop import SEEDS, lag_line, lesson_scenario, metric
from core.control import ControlModel
from core.simulation import PAPER_FIVE, flawless_rmse

SCENARIO = lesson_scenario()
LAG_M = SCENARIO.mission.speed_mps / ControlModel.of(SCENARIO).k

pytestmark = pytest.mark.xdist_group("exercises")  # the lesson's missions are cached in one process


def test_the_lessons_sentence_is_made_of_its_numbers() -> None:
    means = [metric(lesson_scenario(64), p, "mean_rmse_m").mean() for p in PAPER_FIVE]
    text = lag_line(SCENARIO, 64)
    assert f"{min(means):.2f} to {max(means):.2f} m" in text
    assert re.search(rf"{sum(m < LAG_M for m in means)} of 5 below v/k", text)
    floor = np.mean([flawless_rmse(SCENARIO, s, disturbed=False) for s in SEEDS])
    assert f"mean RMSE {floor:.2f} m" in text
    below = sum(m < floor for m in means)
    assert f"{below} below flawless flight" in text
    assert below == 1, "the lesson says that one policy flies below it"
    assert means[PAPER_FIVE.index("SAFE")] < floor
