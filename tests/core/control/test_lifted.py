"""Lifted matrices, written out by hand (D1, D2)."""

import numpy as np
import pytest

from core.control import mode_matrix, run_matrix
from core.errors import ScenarioError

H, A, SPLIT = 3, 0.4, (0.5, 0.3, 0.2)


def lifted(top):
    return np.array([top, [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], dtype=float)


@pytest.mark.parametrize(
    ("outcome", "top"),
    [
        ((1, 1), [1 - 0.4 * 0.5, -0.4 * 0.3, -0.4 * 0.2, 0]),  # w0 now, w_u one cycle old, w_d two
        ((1, 0), [1 - 0.4 * 0.5, -0.4 * 0.3, 0, -0.4 * 0.2]),  # the command's share moves to the stalest column
        ((0, 1), [1 - 0.4 * 0.5, 0, -0.4 * 0.2, -0.4 * 0.3]),  # the telemetry's share moves to the stalest column
        ((0, 0), [1, 0, 0, -0.4]),  # everything acts at the stalest column
    ],
)
def test_modes_by_hand(outcome, top):
    np.testing.assert_allclose(mode_matrix(outcome, 1, 2, H=H, a=A, split=SPLIT), lifted(top), atol=1e-15)


def test_shares_at_one_column_add_up():
    np.testing.assert_allclose(mode_matrix((1, 1), 0, 0, H=H, a=A, split=SPLIT), lifted([1 - A, 0, 0, 0]), atol=1e-15)


@pytest.mark.parametrize(("j", "column"), [(1, 2), (2, 3), (3, 3), (9, 3)])
def test_runs_put_all_authority_at_the_growing_staleness(j, column):
    top = [1.0, 0, 0, 0]
    top[column] -= A
    np.testing.assert_allclose(run_matrix(j, 0, 1, H=H, a=A), lifted(top))


@pytest.mark.parametrize("outcome", [(1, 1), (1, 0), (0, 1), (0, 0)])
def test_every_mode_moves_a_constant_error_alike(outcome):
    """All authority is always used: a constant error shrinks by 1 − a whatever is lost."""
    assert (mode_matrix(outcome, 1, 2, H=H, a=A, split=SPLIT) @ np.ones(H + 1))[0] == pytest.approx(1 - A)


def test_a_full_success_grid_would_contain_the_lost_downlink():
    """D4: with h_max = H a lost downlink is just a slow success, so the certificate sees no value in it."""
    np.testing.assert_array_equal(
        mode_matrix((1, 0), 1, 2, H=H, a=A, split=SPLIT), mode_matrix((1, 1), 1, H, H=H, a=A, split=SPLIT)
    )


@pytest.mark.parametrize("delays", [(-1, 0), (0, 4), (4, 0)])
def test_delays_outside_the_buffer_are_refused(delays):
    with pytest.raises(ScenarioError, match="raise H"):
        mode_matrix((1, 1), *delays, H=H, a=A, split=SPLIT)
    with pytest.raises(ScenarioError, match="raise H"):
        run_matrix(1, *delays, H=H, a=A)


@pytest.mark.parametrize("split", [(0.5, 0.5, 0.5), (1.5, -0.5, 0.0), (1.0, 0.0), (np.nan, 0.5, 0.5)])
def test_splits_that_do_not_share_out_one_are_refused(split):
    with pytest.raises(ScenarioError, match="sum to 1"):
        mode_matrix((1, 1), 0, 0, H=H, a=A, split=split)


def test_a_run_of_length_zero_is_no_run():
    with pytest.raises(ScenarioError, match="length 1"):
        run_matrix(0, 0, 0, H=H, a=A)
