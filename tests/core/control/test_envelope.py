"""Both envelopes of given factors, by hand."""

import numpy as np
import pytest

from core.control import expected_envelope, paper_envelope
from core.control.factors import close_order

FACTORS = close_order(np.array([0.9, 1.5, 0.95, 3.0]), np.array([2.0, 2.5, 3.0]))
UNORDERED = close_order(np.array([0.92, 0.91, 0.91, 0.90]), np.array([0.915, 0.905]))


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


def test_only_the_repaired_envelope_closes_the_factors():
    assert paper_envelope(UNORDERED, 0.0, 0.0, 1) == pytest.approx(0.905)
    assert expected_envelope(UNORDERED, 0.0, 0.0, 1) == pytest.approx(0.92)


def test_certain_delivery_reaches_the_success_factor_only_when_repaired():
    assert expected_envelope(FACTORS, 1.0, 1.0, 2) == pytest.approx(0.9)
    assert paper_envelope(FACTORS, 1.0, 1.0, 2) == pytest.approx(3.0)


def test_the_failure_run_saturates():
    for envelope in (expected_envelope, paper_envelope):
        assert np.ptp(envelope(FACTORS, 0.2, 0.3, [2, 3, 400])) == 0.0


def test_envelopes_broadcast():
    ul, c = np.linspace(0, 1, 5)[:, None], np.arange(4)[None, :]
    for envelope in (expected_envelope, paper_envelope):
        table = envelope(FACTORS, ul, 0.5, c)
        assert table.shape == (5, 4)
        assert table[2, 3] == pytest.approx(float(envelope(FACTORS, 0.5, 0.5, 3)))
