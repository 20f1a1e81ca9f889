"""Shadowing: unit variance, exponential correlation with distance flown, common innovations."""

import numpy as np
import pytest

from core.network import (
    shadowing_correlation,
    shadowing_spread_db,
    start_shadowing,
    step_shadowing,
    uma_av_shadowing_db,
)
from core.network.pairs import symmetric
from core.scenario import Scenario

N = 150


def test_correlation_decays_with_the_distance_flown() -> None:
    scenario, rng = Scenario(), np.random.default_rng(2)
    los = np.ones((N + 1, N + 1), dtype=bool)
    los[0, 1:] = los[1:, 0] = False
    start = now = start_shadowing(N + 1, rng)
    position = rng.uniform(0, 100, (N, 3))
    for _ in range(4):
        after = position + np.array([5.0, 0.0, 0.0])
        now = step_shadowing(now, shadowing_correlation(scenario, position, after, los), rng)
        position = after
    first, unit = symmetric(start, N + 1), symmetric(now, N + 1)
    i, j = np.triu_indices(N + 1, k=1)
    between = i > 0
    # Two UAVs flew 20 m each over a correlation distance of 37 m.
    r = np.corrcoef(first[i[between], j[between]], unit[i[between], j[between]])[0, 1]
    assert r == pytest.approx(np.exp(-40.0 / 37.0), abs=0.03)
    assert unit[i[between], j[between]].std() == pytest.approx(1.0, abs=0.03)
    # One end flew 20 m over 50 m: higher correlation, fewer links to see it by.
    r = np.corrcoef(first[0, 1:], unit[0, 1:])[0, 1]
    assert r == pytest.approx(np.exp(-20.0 / 50.0), abs=0.2)
    np.testing.assert_array_equal(unit, unit.T)


def test_nothing_changes_while_nothing_moves() -> None:
    rng = np.random.default_rng(0)
    unit, p = start_shadowing(5, rng), np.zeros((4, 3))
    still = shadowing_correlation(Scenario(), p, p, np.ones((5, 5), dtype=bool))
    np.testing.assert_array_equal(step_shadowing(unit, still, rng), unit)


def test_draws_do_not_depend_on_positions() -> None:
    a, b = np.random.default_rng(4), np.random.default_rng(4)
    los, p = np.ones((5, 5), dtype=bool), np.zeros((4, 3))
    step_shadowing(start_shadowing(5, a), shadowing_correlation(Scenario(), p, p + 3.0, los), a)
    step_shadowing(start_shadowing(5, b), shadowing_correlation(Scenario(), p, p, ~los), b)
    assert a.random() == b.random()


def test_spread_follows_height_and_class() -> None:
    positions = np.array([[0.0, 50.0, 70.0], [0.0, -50.0, 100.0]])
    los = np.array([[True, False, True], [False, True, True], [True, True, True]])
    x = symmetric(shadowing_spread_db(Scenario(), positions, los).pairs(), 3)
    assert x[0, 1] == 6.0
    assert x[0, 2] == uma_av_shadowing_db(100.0, True)
    assert x[1, 2] == x[2, 1] == uma_av_shadowing_db(85.0, True)
