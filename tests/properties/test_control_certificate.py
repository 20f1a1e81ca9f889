"""Every X and every factor over random control settings: verified constraints, factors that bound real growth."""

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from core.control import OUTCOMES, certificate_matrix, constraint_slack, contraction_factors, mode_matrix, run_matrix
from core.errors import InfeasibleError


@st.composite
def control_settings(draw):
    H = draw(st.integers(1, 4))
    w = sorted([draw(st.sampled_from([0.0, 0.2, 0.5, 1.0])), draw(st.sampled_from([0.0, 0.3, 0.7, 1.0]))])
    return {
        "H": H,
        "h_max": draw(st.integers(0, min(H, 2))),
        "a": draw(st.floats(0.05, 1.2)),
        "split": (w[0], w[1] - w[0], 1 - w[1]),
    }


@settings(max_examples=30)
@given(control_settings(), st.integers(0, 2**32 - 1))
@pytest.mark.slow
def test_random_settings(setting, seed):
    """X passes every constraint and its factors bound V⁺/V of random states."""
    try:
        X = certificate_matrix(**setting)
    except InfeasibleError:
        reject()
    assert constraint_slack(X, **setting) >= -1e-6 * np.linalg.norm(X, 2)
    factors = contraction_factors(X, **setting)
    assert 0 < factors.raw[1, 1] < 1  # the success family contracts, as the LMI demands
    z = np.random.default_rng(seed).normal(size=(setting["H"] + 1, 50))
    V = np.einsum("in,ij,jn->n", z, X, z)

    def growth(M):
        after = M @ z
        return (np.einsum("in,ij,jn->n", after, X, after) / V).max()

    grid = range(setting["h_max"] + 1)
    H, a, split = setting["H"], setting["a"], setting["split"]
    for outcome in OUTCOMES:
        worst = max(growth(mode_matrix(outcome, u, d, H=H, a=a, split=split)) for u in grid for d in grid)
        assert worst <= factors.raw[outcome] * (1 + 1e-9)
    for j in range(1, H + 3):
        worst = max(growth(run_matrix(j, u, d, H=H, a=a)) for u in grid for d in grid)
        assert worst <= factors.run[min(j, H) - 1] * (1 + 1e-9)
