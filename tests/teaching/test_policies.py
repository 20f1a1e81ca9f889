"""Lesson 08's policies: the order check looks at all loops, and what is shipped, or decides like it, does not count."""

import numpy as np
import pytest

from app.teaching import check
from app.teaching.answers.lesson_08 import LargestEnergyFirst, PredictedWorth, StalestFirst
from app.teaching.trial import BASELINES, SHIPPED, UNSEEN, asked_of_shipped, judged, known
from core.errors import SafeExplorerError
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
    assert check("08.3", policy).right is True


@pytest.mark.parametrize("policy", [WorstThenSmallest, WorstOnly])
def test_another_order_is_not(policy: type[Policy]) -> None:
    mark = check("08.3", policy)
    assert mark.right is False
    assert "after the loops with a larger view.states.V" in str(mark)
    assert "% of the cycles" in str(mark)


class Inherits(POLICIES["CALLS"]):
    """A shipped policy under another name."""

    name = "mine"


class Asks(Policy):
    """Lets a shipped policy decide."""

    name = "asks"

    def __init__(self) -> None:
        self._inner = POLICIES["CALLS"]()

    def decide(self, view: CycleView) -> Decision:
        return self._inner.decide(view)


class AsksByName(Policy):
    """The same through the class, and with every fifth frame left empty."""

    name = "asks-by-name"

    def decide(self, view: CycleView) -> Decision:
        found = POLICIES["Rollout"].decide(POLICIES["Rollout"](), view)
        return found if view.k % 5 else Decision.of(np.full(len(view.states), -1))


class Copied(Policy):
    """SAFE-greedy written out again."""

    name = "copied"

    def decide(self, view: CycleView) -> Decision:
        from core.allocation import predicted_value

        c, s = view.candidates, view.scenario
        found = predicted_value(
            view.model, view.states, view.plan, s.allocation.lookahead_cycles, frame_s=s.network.frame_s
        )
        worth = found.worth(view.model.lam)
        pick = cheapest_usable(c.offsets, c.slots, worth[c.loop] > 0.0, c.delivery(), 0.5)
        return Decision.of(serve_in_order(np.argsort(-worth, kind="stable"), pick, c.slots, view.budget))


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        *((policy, "is shipped with the program") for policy in SHIPPED),
        (Inherits, "inherits from Calls"),
        (Asks, "asks CALLS"),
        (AsksByName, "asks Rollout"),
        (Copied, "decides exactly like SAFE-greedy"),
    ],
    ids=lambda x: x.name if isinstance(x, type) else None,
)
def test_what_is_shipped_does_not_count(policy: type[Policy], why: str) -> None:
    for id in ("08.3", "08.4", "08.4") if policy in (POLICIES["SAFE"], Asks, AsksByName) else ("08.4",):
        mark = check(id, policy)
        assert mark.right is False
        assert why in str(mark)


def test_the_lessons_own_policy_does_not_beat_the_baselines() -> None:
    """It was once accepted."""
    mark = check("08.4", StalestFirst)
    assert mark.right is False
    assert "missions that the lesson does not show" in str(mark)


def test_the_judgement_is_that_of_the_paired_interval() -> None:
    found = judged(PredictedWorth)
    theirs = {name: known(name).mean() for name in BASELINES}
    assert found.baseline == min(theirs, key=lambda name: theirs[name])
    assert found.difference.high < 0
    assert found.beats
    assert found.mean == pytest.approx(theirs[found.baseline] + found.difference.mean)
    assert found.words in str(check("08.4", PredictedWorth))
    assert not judged(StalestFirst).beats


def test_no_notebook_flies_the_missions_that_judge(notebook_sources: str) -> None:
    assert all(str(seed) not in notebook_sources for seed in UNSEEN)
    assert max(UNSEEN) < 10_000, "evaluation seeds are not for lessons"


def test_the_shipped_policies_are_as_before_after_a_trial() -> None:
    before = {policy: policy.__dict__.get("decide") for policy in SHIPPED}
    with pytest.raises(KeyError), asked_of_shipped():
        raise KeyError("a student's")
    assert {policy: policy.__dict__.get("decide") for policy in SHIPPED} == before


class Broken(Policy):
    name = "broken"

    def decide(self, view: CycleView) -> Decision:
        raise KeyError("oops")


class Leaves(Policy):
    name = "leaves"

    def decide(self, view: CycleView) -> Decision:
        raise SystemExit


class TooMuch(Policy):
    name = "too-much"

    def decide(self, view: CycleView) -> Decision:
        return Decision.of(view.candidates.offsets[:-1].copy())


class Nameless(Policy):
    def decide(self, view: CycleView) -> Decision:
        return Decision.of(np.full(len(view.states), -1))


class WantsArguments(Policy):
    name = "wants-arguments"

    def __init__(self, constant: float) -> None:
        self.constant = constant

    def decide(self, view: CycleView) -> Decision:
        return Decision.of(np.full(len(view.states), -1))


class Stub(Policy):
    name = "stub"

    def decide(self, view: CycleView) -> Decision:
        return ...


@pytest.mark.parametrize("id", ["08.3", "08.4"])
@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (Broken, "Policy broken failed in cycle 0: test_policies.py, line"),
        (Leaves, "SystemExit"),
        (TooMuch, "too-much"),
        (Nameless, "name ="),
        (WantsArguments, "TypeError"),
    ],
)
def test_a_policy_that_breaks_is_explained(id: str, policy: type[Policy], said: str) -> None:
    mark = check(id, policy)
    assert mark.right is False
    assert said in str(mark)


@pytest.mark.parametrize("id", ["08.3", "08.4"])
def test_a_stub_is_not_answered_yet(id: str) -> None:
    assert check(id, Stub).right is None


def test_an_instance_is_not_a_class() -> None:
    assert "policy class" in str(check("08.4", PredictedWorth()))
    with pytest.raises(SafeExplorerError, match="shipped"):
        judged(POLICIES["SAFE"])
