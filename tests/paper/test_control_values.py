"""Check values of the control half (computed independently of this code; CLARABEL, ε = 1)."""

import numpy as np
import pytest

from core import Scenario
from core.control import ControlModel, certificate_matrix, contraction_factors

TABLE = [
    (
        {"H": 4, "h_max": 1, "a": 0.47, "split": (0.2, 0.2, 0.6)},
        22.8427,
        {(1, 1): 0.91783, (0, 1): 0.96041, (1, 0): 1.57252, (0, 0): 3.23609},
        [2.10305, 2.40615, 3.23609, 3.23609],
    ),
    (
        {"H": 3, "h_max": 1, "a": 0.35, "split": (1 / 3, 1 / 3, 1 / 3)},
        16.5942,
        {(1, 1): 0.89973, (1, 0): 0.99985, (0, 1): 0.99985, (0, 0): 2.13273},
        [1.81545, 2.13273, 2.13273],
    ),
]


@pytest.mark.parametrize(("setting", "trace", "raw", "run"), TABLE)
def test_check_values(setting, trace, raw, run):
    X = certificate_matrix(**setting)
    factors = contraction_factors(X, **setting)
    assert np.trace(X) == pytest.approx(trace, abs=2e-4)
    assert factors.raw == pytest.approx(raw, abs=2e-5)
    np.testing.assert_allclose(factors.run, run, atol=2e-5)
    assert factors.closed == pytest.approx(raw, abs=2e-5)
    assert not factors.closure_changed


def test_energy_of_a_constant_error():
    X = certificate_matrix(H=4, h_max=1, a=0.47, split=(0.2, 0.2, 0.6))
    assert X.sum() == pytest.approx(17.4965, abs=2e-4)


def test_default_scenario():
    model = ControlModel.of(Scenario())
    assert model.a == pytest.approx(0.470, abs=5e-4)
    assert model.safe_mode.lag_m * 0.75 == pytest.approx(8.0, abs=0.05)  # D20: the LQR law lags v/k ≈ 8 m
    assert model.V_max == pytest.approx(900 * 17.497, rel=1e-4)
