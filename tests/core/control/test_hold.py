"""Hold factor and hold map (D10)."""

import numpy as np
import pytest

from core.control.factors import close_order
from core.control.hold import hold_factor, hold_map
from core.scenario import FORMULATIONS

FACTORS = close_order(np.array([0.9, 2.2, 0.95, 3.0]), np.array([2.0, 2.5, 3.1]))


def test_repaired_hold_grows_with_staleness_and_saturates():
    np.testing.assert_allclose(hold_factor(FACTORS, [0, 1, 2, 9], formulation="repaired"), [2.2, 2.5, 3.1, 3.1])


def test_printed_hold_is_the_saturated_run_factor():
    np.testing.assert_allclose(hold_factor(FACTORS, [0, 1, 9], formulation="paper"), [3.1, 3.1, 3.1])


def test_printed_hold_is_not_closed():
    """A run factor that falls with the run length (D6): "paper" takes the last one, "repaired" the running maximum."""
    falling = close_order(np.array([0.9, 0.9, 0.9, 0.9]), np.array([2.0, 2.5, 2.4]))
    np.testing.assert_array_equal(hold_factor(falling, [0, 9], formulation="paper"), [2.4, 2.4])
    np.testing.assert_array_equal(hold_factor(falling, [0, 9], formulation="repaired"), [2.0, 2.5])


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_hold_factor_keeps_the_shape_of_the_staleness(formulation):
    assert hold_factor(FACTORS, 2, formulation=formulation) == 3.1
    assert hold_factor(FACTORS, np.zeros((2, 3), int), formulation=formulation).shape == (2, 3)


def test_hold_map():
    V, tr_sigma = hold_map([10.0, 20.0], 0.8, 1.5, tr_proc=0.1, noise_term=0.7)
    np.testing.assert_allclose(V, [15.7, 30.7])
    assert tr_sigma == pytest.approx(0.9)
