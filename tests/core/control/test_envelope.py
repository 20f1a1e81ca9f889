"""Both envelopes against their definitions."""

import numpy as np
import pytest
from scipy.optimize import linprog

from core.control import expected_envelope, paper_envelope
from core.control.envelope import lost_factor, opportunity_envelope
from core.control.factors import close_order

FACTORS = close_order(np.array([0.9, 1.5, 0.95, 3.0]), np.array([2.0, 2.5, 3.0]))
UNORDERED = close_order(np.array([0.92, 0.91, 0.91, 0.90]), np.array([0.915, 0.905]))


@pytest.mark.parametrize(("ul", "dl"), [(0.0, 0.0), (1.0, 1.0), (0.3, 0.4), (0.8, 0.7), (1.0, 0.2), (0.95, 0.95)])
@pytest.mark.parametrize("factors", [FACTORS, UNORDERED])
def test_opportunity_envelope_is_the_worst_joint_law(ul, dl, factors):
    """A linear program over all laws θ with exactly these marginals."""
    a = factors.closed
    cost = -np.array([a[1, 1], a[1, 0], a[0, 1], 4.0])
    marginals = [[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0]]
    worst = -linprog(cost, A_eq=marginals, b_eq=[1, ul, dl], bounds=(0, 1)).fun
    assert opportunity_envelope(ul, dl, a, 4.0) == pytest.approx(worst, abs=1e-9)


def test_expected_envelope_by_hand():
    # c = 0, ul = 0.8, dl = 0.7: b in {0.5, 0.7}; both lost costs α_(1) = 2
    low = 0.5 * 0.9 + 0.3 * 1.5 + 0.2 * 0.95 + 0.0 * 2.0
    high = 0.7 * 0.9 + 0.1 * 1.5 + 0.0 * 0.95 + 0.2 * 2.0
    assert expected_envelope(FACTORS, 0.8, 0.7, 0) == pytest.approx(max(low, high))


def test_paper_envelope_by_hand():
    # as printed: α₀₀ for both lost, then the larger of that and α_(c+1)
    low = 0.5 * 0.9 + 0.3 * 1.5 + 0.2 * 0.95
    high = 0.7 * 0.9 + 0.1 * 1.5 + 0.2 * 3.0
    assert paper_envelope(FACTORS, 0.8, 0.7, 0) == pytest.approx(max(low, high, 2.0))
    assert paper_envelope(FACTORS, 0.0, 0.0, 0) == pytest.approx(3.0)


def test_paper_envelope_uses_raw_factors_unless_told():
    assert paper_envelope(UNORDERED, 0.0, 0.0, 1) == pytest.approx(0.905)
    assert paper_envelope(UNORDERED, 0.0, 0.0, 1, closed=True) == pytest.approx(0.92)


def test_certain_delivery_reaches_the_success_factor_only_when_repaired():
    assert expected_envelope(FACTORS, 1.0, 1.0, 2) == pytest.approx(0.9)
    assert paper_envelope(FACTORS, 1.0, 1.0, 2) == pytest.approx(3.0)


def test_losing_both_is_never_better_than_losing_one():
    factors = close_order(np.array([0.9, 2.2, 0.95, 3.0]), np.array([2.0, 2.5, 3.0]))
    np.testing.assert_allclose(lost_factor(factors, np.arange(5)), [2.2, 2.5, 3.0, 3.0, 3.0])


def test_envelopes_broadcast():
    ul, c = np.linspace(0, 1, 5)[:, None], np.arange(4)[None, :]
    for envelope in (expected_envelope, paper_envelope):
        table = envelope(FACTORS, ul, 0.5, c)
        assert table.shape == (5, 4)
        assert table[2, 3] == pytest.approx(float(envelope(FACTORS, 0.5, 0.5, 3)))
