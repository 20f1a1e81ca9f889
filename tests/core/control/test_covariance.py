"""tr Σ over one cycle, by hand."""

import numpy as np

from core.control import covariance_step


def test_covariance_step():
    after = covariance_step([2.0, 2.0], [True, False], 2, tr_meas=0.75, tr_proc=0.1)
    np.testing.assert_allclose(after, [0.95, 2.1])


def test_a_refresh_forgets_the_past():
    after = covariance_step(np.linspace(0, 9, 4), True, [[0], [3]], tr_meas=0.75, tr_proc=0.1)
    np.testing.assert_allclose(after, [[0.75] * 4, [1.05] * 4])
