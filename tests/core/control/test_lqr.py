"""LQR gain against the closed form of the scalar Riccati equation."""

import math

import numpy as np
import pytest

from core.control import lqr_gain
from core.errors import ScenarioError


@pytest.mark.parametrize("Ts", [0.1, 0.25, 1.0])
@pytest.mark.parametrize("Q", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("R", [0.01, 0.15, 2.0])
def test_gain_is_the_closed_form(Ts, Q, R):
    p = (1 + math.sqrt(1 + 4 * R / (Ts**2 * Q))) / 2  # R = T_s² p (p − 1) Q, and a = 1/p
    assert Ts * lqr_gain(Ts, Q, R) == pytest.approx(1 / p, rel=1e-10)


def test_default_weights_give_the_quoted_loop_gain():
    assert 0.25 * lqr_gain(0.25, 1.0, 0.15) == pytest.approx(0.470, abs=5e-4)


def test_gain_minimises_the_quadratic_cost():
    """The infinite-horizon cost of e⁺ = (1 − T_s k)e is least at the gain."""
    Ts, Q, R = 0.25, 1.0, 0.15

    def cost(k):
        return (Q + R * k * k) / (1 - (1 - Ts * k) ** 2)

    k = lqr_gain(Ts, Q, R)
    assert cost(k) < min(cost(k + 1e-4), cost(k - 1e-4))


@pytest.mark.parametrize(("name", "arguments"), [("Ts", (0, 1, 1)), ("Q", (1, -1, 1)), ("R", (1, 1, np.nan))])
def test_weights_that_make_no_sense_are_refused(name, arguments):
    with pytest.raises(ScenarioError, match=f"control.{name}"):
        lqr_gain(*arguments)
