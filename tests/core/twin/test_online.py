"""β under shift (D26): the update, its promise, and the margins it reads."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.twin import ROUTE_CLASSES, OnlineBeta, ScoreQuantiles, default_calibration

CLASSES = len(ROUTE_CLASSES)


def test_one_step_by_hand() -> None:
    """α₁ = β; a class that was missed more often than β gets a smaller α, one that was not seen keeps its own."""
    missed = np.array([0.25, 0.0, np.nan, 0.05, 1.0, np.nan])
    after = OnlineBeta.start().learned(0.05, 0.1, missed)
    np.testing.assert_allclose(after.alpha(0.05), [0.03, 0.055, 0.05, 0.05, 0.0, 0.05], atol=1e-15)
    again = after.learned(0.05, 0.1, missed)
    np.testing.assert_allclose(again.alpha(0.05), [0.01, 0.06, 0.05, 0.05, 0.0, 0.05], atol=1e-15)
    assert again.shift[4] == pytest.approx(-0.1 - 0.05), "it remembers how far below 0 it is, but no further than γ"


def test_another_beta_takes_what_was_learnt_along() -> None:
    learnt = OnlineBeta(np.full(CLASSES, -0.03))
    np.testing.assert_allclose(learnt.alpha(0.2), 0.17)
    np.testing.assert_array_equal(learnt.alpha(0.01), 0.0)
    np.testing.assert_array_equal(OnlineBeta(np.full(CLASSES, 0.9)).alpha(0.5), 1.0)


@given(
    beta=st.floats(0.01, 0.5),
    gamma=st.floats(0.005, 0.5),
    seed=st.integers(0, 10_000),
    drift=st.floats(-3.0, 3.0),
)
def test_the_long_run_promise_holds_whatever_the_world_does(beta: float, gamma: float, seed: int, drift: float) -> None:
    """Scores that wander and jump: the average miss stays within (1 + γ)/(γT) of β, as Gibbs and Candès prove."""
    rng, T = np.random.default_rng(seed), 400
    state, errors = OnlineBeta.start(), []
    for t in range(T):
        world = drift * t / T + 4.0 * (t > 250)
        alpha = state.alpha(beta)[0]
        # a set at level 0 is everything and at level 1 nothing, as in the theorem
        margin = np.inf if alpha <= 0.0 else -np.inf if alpha >= 1.0 else 2.0 * (1.0 - 2.0 * alpha)
        missed = float(np.mean(rng.normal(world, 1.0, 5) > margin))
        errors.append(missed)
        state = state.learned(beta, gamma, np.full(CLASSES, missed))
    assert abs(np.mean(errors) - beta) <= (1.0 + gamma) / (gamma * T) + 1e-12


def test_margins_at_beta_are_the_offline_ones_and_a_smaller_level_never_narrows_the_set() -> None:
    shipped = default_calibration()
    for beta in (0.05, 0.1, 0.3):
        offline = shipped.margins(beta)
        found = shipped.margins_at(np.full(CLASSES, beta))
        np.testing.assert_array_equal(found[np.isfinite(offline)], offline[np.isfinite(offline)])
    levels = [shipped.margins_at(np.full(CLASSES, a)) for a in (1.0, 0.5, 0.1, 0.0123, 0.002, 0.0)]
    assert all(np.all(wide >= narrow) for narrow, wide in itertools.pairwise(levels))
    known = np.isfinite(shipped.margins(0.3))
    assert np.isfinite(levels[-1][known]).all(), "level 0 is clipped to the largest finite score"


def test_each_class_is_read_at_its_own_level() -> None:
    shipped = default_calibration()
    alpha = np.array([0.01, 0.3, 0.02, 0.2, 0.1, 0.05])
    found = shipped.margins_at(alpha)
    for c, level in enumerate(alpha):
        np.testing.assert_array_equal(found[c], shipped.margins_at(np.full(CLASSES, level))[c])
    # rounded down: a set may only get wider by it
    np.testing.assert_array_equal(
        shipped.margins_at(np.full(CLASSES, 0.0509)), shipped.margins_at(np.full(CLASSES, 0.05))
    )


@pytest.mark.parametrize(("alpha", "expected"), [(0.0, 8.0), (0.05, 8.0), (0.2, 8.0), (0.4, 6.0), (1.0, 1.0)])
def test_clipped_to_the_calibrated_ranks(alpha: float, expected: float) -> None:
    scores = ScoreQuantiles.of(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, np.inf]))
    assert scores.clipped_margin(alpha) == expected
