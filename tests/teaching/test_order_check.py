"""Exercise 07.3 looks at all loops: only a policy that goes through them in the order of their V is right."""

import numpy as np
import pytest

from app.teaching import check
from app.teaching.answers.lesson_07 import LargestEnergyFirst
from core.simulation import POLICIES, CycleView, Decision, Policy
from core.simulation.policies.service import cheapest_usable, serve_in_order

pytestmark = pytest.mark.xdist_group("exercises")


def picks(view: CycleView, usable: float = 0.9) -> np.ndarray:
    c = view.candidates
    return cheapest_usable(c.offsets, c.slots, c.slots <= view.budget, c.delivery(), usable)


class WorstThenSmallest(Policy):
    """Serves the largest V, and then the smallest first."""

    name = "worst-then-smallest"

    def decide(self, view: CycleView) -> Decision:
        order = view.states.V.argsort()
        order = np.concatenate([order[-1:], order[:-1]])
        return Decision.of(serve_in_order(order, picks(view), view.candidates.slots, view.budget))


class WorstOnly(Policy):
    """Serves the largest V and nobody else."""

    name = "worst-only"

    def decide(self, view: CycleView) -> Decision:
        choice = np.full(len(view.states), -1)
        worst = view.states.V.argmax()
        choice[worst] = picks(view)[worst]
        return Decision.of(choice)


class Reliable(Policy):
    """The right order with other actions: what delivers best within what is left."""

    name = "reliable"

    def decide(self, view: CycleView) -> Decision:
        c, left, choice = view.candidates, view.budget, np.full(len(view.states), -1)
        for i in (-view.states.V).argsort():
            rows = np.flatnonzero((c.loop == i) & (c.slots <= left))
            if rows.size:
                choice[i] = rows[c.delivery()[rows].argmax()]
                left -= c.slots[choice[i]]
        return Decision.of(choice)


class Cheapest(Policy):
    """The right order with each loop's cheapest action, however poor."""

    name = "cheapest"

    def decide(self, view: CycleView) -> Decision:
        return Decision.of(
            serve_in_order((-view.states.V).argsort(), picks(view, 0.0), view.candidates.slots, view.budget)
        )


@pytest.mark.parametrize("policy", [LargestEnergyFirst, Reliable, Cheapest])
def test_the_order_is_right_whatever_is_sent(policy: type[Policy]) -> None:
    assert check("07.3", policy).right is True


@pytest.mark.parametrize("policy", [WorstThenSmallest, WorstOnly, POLICIES["Fixed-Service"], POLICIES["SAFE"]])
def test_another_order_is_not(policy: type[Policy]) -> None:
    mark = check("07.3", policy)
    assert mark.right is False
    assert "after the loops with a larger view.states.V" in str(mark)


@pytest.mark.parametrize("step", [-0.001, 0.001])
def test_the_neighbours_of_the_threshold_are_wrong(step: float) -> None:
    from app.teaching.answers.lesson_04 import _threshold

    assert check("04.2", _threshold(2)).right is True
    assert check("04.2", _threshold(2) + step).right is False
