"""Trials of a student's policy: is it one of its own, does it keep an order, does it beat the baselines (lesson 08)."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from app.teaching.closed_loop import SEEDS, lesson_scenario
from app.teaching.matching import Unanswered
from core.errors import SafeExplorerError
from core.instant import Flight
from core.simulation import PAPER_FIVE, POLICIES, CycleView, Decision, Policy, Simulation, simulate
from core.simulation.policies.service import cheapest_usable
from core.studies.statistics import Interval, paired_difference
from core.twin import Exchange

T = TypeVar("T")

BASELINES = tuple(name for name in PAPER_FIVE if name != "SAFE")
"""The paper's baselines: a policy of one's own must beat the best of them."""
UNSEEN = tuple(range(2100, 2108))
"""Missions on which a policy is judged; no notebook flies them."""
TWINS = 0.9
"""A policy that decides like a shipped one in this share of the cycles, or more, is that one."""
WATCHED = 16
"""Cycles in which it is compared."""
SHIPPED = tuple(POLICIES.values())
"""The policies that came with the program: what is registered later is a student's own."""


def fresh(policy: Any) -> Policy:
    """A new instance of a policy class; TypeError for anything else."""
    if not inspect.isclass(policy) or not issubclass(policy, Policy) or inspect.isabstract(policy):
        raise TypeError("a policy class is wanted")
    if not isinstance(getattr(policy, "name", None), str):
        raise SafeExplorerError(f'{policy.__name__} needs a name: write name = "…" as the first line of the class.')
    return guarded(policy)


def guarded(work: Callable[[], T]) -> T:
    """Whatever a student's policy raises becomes a sentence."""
    try:
        return work()
    except (SafeExplorerError, Unanswered):
        raise
    except (Exception, SystemExit) as error:
        raise SafeExplorerError(f"Your policy stopped with {type(error).__name__}: {error}") from error


def unfinished(policy: Any) -> bool:
    """A stub: its `decide` gives ... in the first cycle."""

    class Asked(Policy):
        name = "asked"
        answer: Any = None

        def decide(self, view: CycleView) -> Decision:
            with contextlib.suppress(Exception, SystemExit):  # what it raises is told, with its line, when it flies
                Asked.answer = fresh(policy).decide(view)
            return Decision.of(np.full(len(view.states), -1))

    Simulation(lesson_scenario(), Asked, SEEDS[0]).step()
    return Asked.answer is ...


def own(policy: Any) -> None:
    """SafeExplorerError unless the policy is a student's own: not shipped, not built on a shipped one, not deciding like one.

    TypeError for anything but a policy class, Unanswered for a stub.
    """
    fresh(policy)
    if policy in SHIPPED:
        raise SafeExplorerError(f"{policy.name} is shipped with the program. Write one of your own.")
    if parent := next((p for p in SHIPPED if issubclass(policy, p)), None):
        raise SafeExplorerError(
            f"Your class inherits from {parent.__name__}, which is shipped. Start from Policy instead."
        )
    if unfinished(policy):
        raise Unanswered
    with asked_of_shipped() as asked:  # flown anew every time: a flight that is kept would ask nobody
        simulation = Simulation(lesson_scenario(), policy, SEEDS[0])
        guarded(lambda: [simulation.step() for _ in range(WATCHED)])
    if asked:
        raise SafeExplorerError(f"Your policy asks {asked[0]}, which is shipped, what to do. Decide without it.")
    alike = likeness(Flight.of(lesson_scenario(), policy, SEEDS[0]))
    twin = max(alike, key=lambda name: alike[name])
    if alike[twin] >= TWINS:
        raise SafeExplorerError(
            f"Your policy decides exactly like {twin} in {alike[twin]:.0%} of {WATCHED} cycles, and that one is shipped. "
            "Change what it goes by."
        )


@contextlib.contextmanager
def asked_of_shipped() -> Iterator[list[str]]:
    """The shipped policies that anybody asks to decide meanwhile, by name."""
    asked: list[str] = []
    kept = {policy: policy.__dict__["decide"] for policy in SHIPPED if "decide" in policy.__dict__}

    def noting(policy: type[Policy], decide: Callable[..., Decision]) -> Callable[..., Decision]:
        @functools.wraps(decide)
        def noted(self: Policy, view: CycleView) -> Decision:
            asked.append(type(self).name)
            return decide(self, view)

        return noted

    try:
        for policy, decide in kept.items():
            policy.decide = noting(policy, decide)  # type: ignore[method-assign]
        yield asked
    finally:
        for policy, decide in kept.items():
            policy.decide = decide  # type: ignore[method-assign]


def likeness(flight: Flight) -> dict[str, float]:
    """Share of the first cycles of a flight in which each shipped policy would have sent the very same frame."""
    names = [policy.name for policy in SHIPPED]
    same = np.zeros((WATCHED, len(names)))
    for k in range(WATCHED):
        sent = {loop: exchange.key for loop, exchange in flight.exchanges(k).items()}
        for j, other in enumerate(flight.instant(k).other_policies(names)):
            rows = np.flatnonzero(other.served)
            theirs = {int(i): Exchange.of(other.candidates, int(other.choice[i])).key for i in rows}
            same[k, j] = theirs == sent
    return dict(zip(names, same.mean(axis=0).tolist(), strict=True))


@dataclass(frozen=True)
class Result:
    """How a policy did on the unseen missions.

    Args:
        name: of the policy.
        mean: its mean RMSE [m].
        baseline: the best of BASELINES there.
        difference: the policy minus that baseline, paired over the missions [m].
        places: mean RMSE of the baselines, SAFE and the literature's four, by name [m].
    """

    name: str
    mean: float
    baseline: str
    difference: Interval
    places: dict[str, float]

    @property
    def beats(self) -> bool:
        """The whole interval lies below zero."""
        return self.difference.high < 0

    @property
    def words(self) -> str:
        """The result in a sentence."""
        ahead = [name for name, mean in self.places.items() if mean < self.mean]
        d = self.difference
        return (
            f"On {len(UNSEEN)} missions that the lesson does not show: mean RMSE {self.mean:.2f} m, {self.baseline} minus yours "
            f"{-d.mean:+.2f} m [{-d.high:+.2f}, {-d.low:+.2f}]; "
            + (f"ahead of yours: {', '.join(ahead)}." if ahead else "no shipped method is ahead of yours.")
        )


def judged(policy: Any) -> Result:
    """Fly a student's policy on the unseen missions; SafeExplorerError when it is not one's own or breaks."""
    own(policy)
    mine = np.array([guarded(functools.partial(_rmse, policy, seed)) for seed in UNSEEN])
    theirs = {name: known(name) for name in (*BASELINES, "SAFE", "Whittle-Age", "CALLS", "NMSE-Sched", "Rollout")}
    best = min(BASELINES, key=lambda name: theirs[name].mean())
    return Result(
        str(getattr(policy, "name", policy.__name__)),
        float(mine.mean()),
        best,
        paired_difference(mine, theirs[best]),
        {name: float(values.mean()) for name, values in theirs.items()},
    )


@functools.cache
def known(name: str) -> NDArray[np.float64]:
    """Mean RMSE of a shipped policy on each unseen mission [m]."""
    return np.array([_rmse(POLICIES[name], seed) for seed in UNSEEN])


def _rmse(policy: type[Policy], seed: int) -> float:
    return float(simulate(lesson_scenario(), policy, seed).rmse.mean())


class Witness(Policy):
    """Lets another policy decide and remembers whether it went through the loops in the order of their V.

    Args:
        inner: decides.
        probe: another instance of the same policy, asked what it would send each loop if slots were plenty.
    """

    name = "witness"

    def __init__(self, inner: Policy, probe: Policy) -> None:
        self._inner, self._probe = inner, probe
        self.view_changes, self.horizon = inner.view_changes, inner.horizon  # type: ignore[misc]
        self.kept: list[bool] = []

    def decide(self, view: CycleView) -> Decision:
        """The inner policy's decision."""
        decision = self._inner.decide(view)
        roomy = dataclasses.replace(view, budget=view.budget * len(view.states))  # every loop finds room
        wanted = np.asarray(self._probe.decide(roomy).choice)
        self.kept.append(not passed_over(view, np.asarray(decision.choice), wanted).size)
        return decision


def passed_over(view: CycleView, choice: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Loops without slots whose action would have fitted into what those with a larger V had left.

    Args:
        view: the cycle.
        choice: action of each loop, −1 = none, (N,).
        wanted: the action each loop would get in a long frame, (N,); where that is none, its cheapest usable one counts.
    """
    c, left, found = view.candidates, view.budget, []
    usable = cheapest_usable(c.offsets, c.slots, c.slots <= view.budget, c.delivery(), 0.9)
    for i in np.argsort(-view.states.V, kind="stable"):
        mine = wanted[i] if wanted[i] >= 0 else usable[i]
        if choice[i] >= 0:
            left -= int(c.slots[choice[i]])
        elif mine >= 0 and c.slots[mine] <= left:
            found.append(i)
    return np.array(found, dtype=np.int64)


def serves_worst_first(policy: Any, cycles: int = 16) -> float:
    """Share of cycles in which a policy serves the loops in the order of their V, as far as the frame goes [-]."""
    witness = Witness(fresh(policy), fresh(policy))
    simulation = Simulation(lesson_scenario(), witness, SEEDS[0])
    guarded(lambda: [simulation.step() for _ in range(cycles)])
    return float(np.mean(witness.kept))
