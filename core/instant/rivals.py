"""What every policy would send in this cycle, given the same candidates and states."""

from __future__ import annotations

import copy
import functools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.allocation import Frame, appraise, pack_frame, plan_cycles
from core.control import ControlModel
from core.instant.flight import Flight
from core.instant.key import FlightKey
from core.instant.scene import Walk, flown_course
from core.scenario import Scenario
from core.simulation import POLICIES, CycleView, Decision, Policy, seen_by
from core.simulation.asking import asked, made
from core.simulation.decided import certified_loops
from core.simulation.policy import policy_class
from core.twin import Candidates, certify
from core.wanted import check, holding

if TYPE_CHECKING:
    from core.instant.instant import Instant


@dataclass(frozen=True, eq=False)
class PolicyFrame:
    r"""What one policy would send now, and what that is expected to do.

    .. math:: \Delta W = \sum_i B_i - \sum_{i\ \mathrm{served}} U_i(\pi_i)

    B is the change of W = V + λ_Σ·tr Σ without service and U what an action saves of it, both of the instant's scenario,
    whatever the policy itself goes by. In "predicted" U = ρ_dl·G + λ_Σ·ρ_ul·T with the certified ρ (D23), in the other
    formulations U = B − Φ.

    Attributes:
        policy: name.
        candidates: what it chose from.
        choice: row of them for each loop, −1 = no slots, shape (N,).
        frame: packed.
        uncertified: loops that it serves without a certificate, claimed or not, shape (N,).
        U: value of the action of each loop, 0 without one, shape (N,) [m²].
        saved: Σ U [m²].
        change: expected change of W, summed over the swarm [m²].
    """

    policy: str
    candidates: Candidates
    choice: NDArray[np.int64]
    frame: Frame
    uncertified: NDArray[np.bool_]
    U: NDArray[np.float64]
    saved: float
    change: float

    @property
    def served(self) -> NDArray[np.bool_]:
        """Who gets slots, shape (N,)."""
        return self.choice >= 0

    @property
    def slots(self) -> NDArray[np.int64]:
        """Slots of each loop, 0 when it is not served, shape (N,)."""
        slots = np.zeros(self.choice.size, dtype=np.int64)
        slots[self.served] = self.candidates.slots[self.choice[self.served]]
        return slots

    @property
    def slots_used(self) -> int:
        """Occupied slots of the frame."""
        return int(self.slots.sum())


def other_policies(instant: Instant, names: Sequence[str] | None = None) -> tuple[PolicyFrame, ...]:
    """What each policy would send at an instant.

    A policy that keeps state between cycles (a rotation, sums of past costs) has the memory it would have had it watched
    this flight: its own `decide` is asked in every flown cycle before this one, at the states the flight really had and
    under the scenario then in force, and its answers are not sent. One without state is asked once.

    Args:
        instant: with its what-if; the flight's own policy may have seen other allocation fields, which are undone.
        names: registered policies, all when None.
    """
    classes = [policy_class(name) for name in (POLICIES if names is None else names)]
    here = _unseen(instant)
    views = {policy: _view(here, policy) for policy in classes}
    decisions = {policy: _at_once(policy, view) for policy, view in views.items()}
    watching = [policy for policy, decision in decisions.items() if decision is None]
    if watching:
        remembering = _watch(instant.flight.key).before(watching, instant.cycle)
        decisions |= {policy: asked(remembering[policy], views[policy]) for policy in watching}
    return tuple(_frame(here, policy, views[policy], decisions[policy]) for policy in classes)


def _unseen(instant: Instant) -> Instant:
    """The instant without the changes that the flight's policy wanted in its own view."""
    flight, s = instant.flight, instant.scenario
    flown = flight.scenario_at(instant.cycle)
    own = {n: flown.value(n) for n, v in flight.key.policy.view_changes.items() if s.value(n) == v != flown.value(n)}
    return instant.replace(scenario=s.replace(**own)) if own else instant


def _view(here: Instant, policy: type[Policy]) -> CycleView:
    s = seen_by(policy, here.scenario)
    there = here if s is here.scenario else here.replace(scenario=s)
    plan = here.flight.plan(here.cycle, max(plan_cycles(s), policy.horizon))
    return CycleView(s, there.model, there.candidates, there.states, plan, here.cycle, s.network.slots)


def _at_once(policy: type[Policy], view: CycleView) -> Decision | None:
    """The decision of a policy that keeps no state; None for one that does."""
    one = made(policy)
    if vars(one):
        return None
    decision = asked(one, view)
    return decision if not vars(one) else None


def _frame(here: Instant, policy: type[Policy], view: CycleView, decision: Decision | None) -> PolicyFrame:
    assert decision is not None
    choice = decision.choice
    served, yardstick = choice >= 0, here.allocation
    U = np.zeros(choice.size)
    U[served] = appraise(yardstick, view.candidates).U[choice[served]]
    saved = float(U.sum())
    return PolicyFrame(
        policy=policy.name,
        candidates=view.candidates,
        choice=choice,
        frame=pack_frame(here.scenario, view.candidates, choice),
        uncertified=served & ~certified_loops(view, decision),
        U=U,
        saved=saved,
        change=float(yardstick.valuation.B.sum()) - saved,
    )


def cycles_to_watch(instant: Instant, names: Sequence[str]) -> int:
    """How many cycles policies with a memory would have to look at before they can be asked at an instant."""
    watching = [policy for policy in map(policy_class, names) if vars(made(policy))]
    return _watch(instant.flight.key).missing(watching, instant.cycle) if watching else 0


@functools.lru_cache(maxsize=8)
def _watch(key: FlightKey) -> _Watch:
    return _Watch(key)


class _Watch:
    """Policies that watch a flight: what each remembers at the start of every cycle looked at so far.

    They watch together, so that the candidates of a cycle are certified once for all that see the same.
    """

    def __init__(self, key: FlightKey) -> None:
        self._key = key
        self._lock = threading.Lock()
        self._walk = Walk(flown_course(Flight.keyed(key)), key.seed)
        self._kept: dict[type[Policy], list[Policy]] = {}

    def before(self, policies: Sequence[type[Policy]], k: int) -> dict[type[Policy], Policy]:
        """Policies with their memory at the start of cycle k; copies, which may decide."""
        with holding(self._lock):
            kept = {policy: self._kept.setdefault(policy, [made(policy)]) for policy in policies}
            for j in range(min(len(memories) for memories in kept.values()) - 1, k):
                check()
                self._look(j, {policy: memories for policy, memories in kept.items() if len(memories) == j + 1})
            return {policy: copy.deepcopy(memories[k]) for policy, memories in kept.items()}

    def missing(self, policies: Sequence[type[Policy]], k: int) -> int:
        """How many cycles are not looked at yet by one of these."""
        return max((k + 1 - len(self._kept.get(policy, [None])) for policy in policies), default=0)

    def _look(self, j: int, kept: dict[type[Policy], list[Policy]]) -> None:
        """Let policies decide in cycle j of the flight."""
        flight = Flight.keyed(self._key)
        flown, estimates = flight.scenario_at(j), flight.estimates(j)
        certified: dict[Scenario, Candidates] = {}
        for policy, memories in kept.items():
            s = seen_by(policy, flown)
            states = flight.states(j, s)
            if s not in certified:
                links = self._walk.predicted(j, estimates, s)
                certified[s] = certify(s, links, flight.calibration_at(j), states.c_fail, online=flight.online(j))
            plan = flight.plan(j, max(plan_cycles(s), policy.horizon))
            watcher = copy.deepcopy(memories[-1])
            asked(watcher, CycleView(s, ControlModel.of(s), certified[s], states, plan, j, s.network.slots))
            memories.append(watcher)
