"""DriftTerms: the vectorised face of the drift bound, and which term refuses an action."""

import numpy as np
import pytest

from core import Scenario
from core.control import ControlModel, DriftTerm, DriftTerms
from core.errors import ScenarioError


def terms(v, sigma, noise):
    v, sigma = np.array(v), np.array(sigma)
    return DriftTerms(np.ones_like(v), np.zeros(v.shape, int), v, sigma, noise, v + sigma + noise)


def test_the_refusing_term_is_the_largest_one():
    t = terms([5.0, -1.0, -0.2, -9.0], [1.0, 3.0, -0.1, 2.0], 0.5)
    np.testing.assert_array_equal(t.largest()[:3], [0, 1, 2])
    assert t.refused_by(0) is DriftTerm.V
    assert t.refused_by(1) is DriftTerm.SIGMA
    assert t.refused_by(2) is DriftTerm.NOISE
    assert t.refused_by(3) is None


def test_terms_can_be_sliced():
    t = terms([5.0, -1.0, -0.2], [1.0, 3.0, -0.1], 0.5)[1:]
    np.testing.assert_allclose(t.phi, [2.5, 0.2])
    assert t.noise_term == 0.5
    assert t.refused_by(0) is DriftTerm.SIGMA


def test_scalars_grids_and_read_only_arrays_give_the_same():
    model = ControlModel.of(Scenario())
    V, rho = np.linspace(0, model.V_max, 7)[:, None], np.linspace(0, 1, 5)[None, :]
    V.setflags(write=False)
    grid = model.drift(V, 1.0, 0, rho, 0.9, 2)
    assert grid.phi.shape == grid.c_star.shape == (7, 5)
    for i in range(7):
        for j in range(5):
            assert model.drift(V[i, 0], 1.0, 0, rho[0, j], 0.9, 2).phi == grid.phi[i, j]
    strided = model.drift(np.repeat(V[:, 0], 2)[::2], 1.0, 0, 0.5, 0.9, 2)
    np.testing.assert_array_equal(strided.phi, model.drift(V[:, 0], 1.0, 0, 0.5, 0.9, 2).phi)


def test_no_candidates_give_no_terms():
    none = ControlModel.of(Scenario()).drift([], [], [], [], [], [], [], [])
    assert none.phi.shape == none.c_star.shape == (0,)


@pytest.mark.parametrize("delays", [{"h_ul": [1, 2]}, {"h_dl": -1}])
def test_delays_without_factors_are_refused(delays):
    with pytest.raises(ScenarioError, match=r"raise control\.h_max"):
        ControlModel.of(Scenario()).drift(1.0, 1.0, 0, 0.9, 0.9, 1, **delays)
