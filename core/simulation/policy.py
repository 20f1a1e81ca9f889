"""What a policy sees, what it answers, and the register of policies."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.allocation import Admission, Allocation, admit
from core.control import ControlModel, LoopStates, Plan
from core.errors import SafeExplorerError
from core.scenario import Scenario
from core.style import know_own
from core.twin import Candidates


@dataclass(frozen=True, eq=False)
class CycleView:
    """What the controller knows when it allocates the frame of one cycle; nothing true, only estimates.

    Args:
        scenario: with the policy's own `view_changes`.
        model: control model of that scenario.
        candidates: every action on offer with its certificate; the same set for every policy in the same state.
        states: V, tr Σ, staleness c, failed attempts c_fail, safe mode, estimated errors ẑ and velocity û of each loop.
        plan: references of this cycle and those after it that the scenario's allocator (D23, D24) or the policy's own
            `horizon` looks at.
        k: cycle.
        budget: slots in the frame.
    """

    scenario: Scenario
    model: ControlModel
    candidates: Candidates
    states: LoopStates
    plan: Plan
    k: int
    budget: int

    def admit(self) -> Admission:
        """Which candidates the scenario's certificate allows at the loops' states (D24)."""
        return admit(self.scenario, self.model, self.candidates, self.states, self.plan)


@dataclass(frozen=True, eq=False)
class Decision:
    """Whom to serve, and how.

    Args:
        choice: row of `view.candidates` for each loop, −1 = no slots, (N,).
        synchronisation: loops served without any claim of a certificate (D13), (N,).
        allocation: the allocator's own account, for policies that have one.
    """

    choice: NDArray[np.int64]
    synchronisation: NDArray[np.bool_]
    allocation: Allocation | None = None

    @classmethod
    def of(cls, choice: NDArray[np.int64]) -> Decision:
        """A decision that claims nothing beyond its choice."""
        return cls(choice, np.zeros(len(choice), dtype=np.bool_))


class Policy(ABC):
    """A scheduler: one instance flies one mission, so it may keep state between cycles.

    Subclasses set `name`, implement `decide`, and are made known by `register`.
    """

    name: ClassVar[str]
    view_changes: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    """Scenario fields by dotted name that the policy wants otherwise in its view: `formulation` and `allocation.*`, which
    nothing but the decision depends on."""
    horizon: ClassVar[int] = 0
    """Cycles of the plan that the policy wants to see at least, beyond what the scenario's allocator looks at."""

    @abstractmethod
    def decide(self, view: CycleView) -> Decision:
        """Choose at most one action per loop within `view.budget` slots."""


def seen_by(policy: Policy | type[Policy], scenario: Scenario) -> Scenario:
    """The scenario with the policy's `view_changes`; the same object where they change nothing."""
    changes = {n: v for n, v in policy.view_changes.items() if scenario.value(n) != v}
    return scenario.replace(**changes) if changes else scenario


POLICIES: dict[str, type[Policy]] = {}
"""Every known policy by name."""


def register(policy: type[Policy]) -> type[Policy]:
    """Make a policy known by its name; usable as a decorator. Registering a name again from the same file replaces it."""
    given: object = policy  # a user's file is not checked by mypy
    if not (isinstance(given, type) and issubclass(given, Policy)):
        called = getattr(policy, "__name__", type(policy).__name__)
        raise SafeExplorerError(
            f"{called} is no policy; write `class {called}(Policy):`, or ByScore in place of Policy."
        )
    name = getattr(policy, "name", "")
    if not name or not isinstance(name, str):
        raise SafeExplorerError(f"{policy.__name__} needs a class attribute `name` before it can be registered.")
    if odd := re.sub(r"[\w .+*/:-]", "", name):
        raise SafeExplorerError(
            f"The name {name!r} has {odd[0]!r} in it; letters, digits, spaces and . + * / : - _ can name a policy."
        )
    known = POLICIES.get(name)
    if known is not None and known.__module__ != policy.__module__:
        whose = "shipped" if known.__module__.partition(".")[0] == "core" else f"registered by {known.__module__}"
        raise SafeExplorerError(f"There is a policy {name} already, {whose}; give yours another `name`.")
    if foreign := [n for n in policy.view_changes if n != "formulation" and not n.startswith("allocation.")]:
        raise SafeExplorerError(
            f"Policy {policy.name} wants {', '.join(foreign)} changed in its view; a policy may change `formulation` and "
            "fields of `allocation` only, everything else is the same for all."
        )
    if missing := sorted(getattr(policy, "__abstractmethods__", ())):
        raise SafeExplorerError(f"Policy {name} has no method `{missing[0]}(self, view)`; write one.")
    POLICIES[policy.name] = policy
    know_own(policy.name)
    return policy


def policy_class(policy: str | type[Policy]) -> type[Policy]:
    """The class of a policy given by its registered name or as itself."""
    if not isinstance(policy, str):
        return policy
    if policy not in POLICIES:
        raise SafeExplorerError(f"Unknown policy {policy!r}; known are {', '.join(POLICIES)}.")
    return POLICIES[policy]
