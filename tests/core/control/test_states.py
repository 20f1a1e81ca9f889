"""Loop states and the two counters of D11."""

import numpy as np

from core.control import LoopStates, count_failures


def test_at_rest():
    states = LoopStates.at_rest(3, 0.75)
    assert len(states) == 3
    np.testing.assert_array_equal(states.tr_sigma, 0.75)
    for zero in (states.V, states.c, states.c_fail, states.safe):
        assert not zero.any()


def test_counters_of_every_kind_of_cycle():
    """Loops: delivered, attempted in vain, held."""
    c, c_fail = count_failures(
        np.array([4, 4, 4]),
        np.array([2, 2, 2]),
        attempted=np.array([True, True, False]),
        delivered=np.array([True, False, False]),
    )
    np.testing.assert_array_equal(c, [0, 5, 5])
    np.testing.assert_array_equal(c_fail, [0, 3, 2])
