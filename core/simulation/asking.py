"""Ask a policy for its decision; what fails or cannot be flown is told with the policy's name, file and line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.allocation import Allocation
from core.errors import PolicyError
from core.own_code import in_files, own_files, told, where_defined
from core.simulation.policy import CycleView, Decision, Policy


def made(policy: type[Policy]) -> Policy:
    """A new instance; PolicyError when a user's own cannot be made."""
    try:
        return policy()
    except Exception as error:
        if not (files := own_files(policy)):
            raise
        name = getattr(policy, "name", policy.__name__)
        raise PolicyError(f"Policy {name} cannot be made: {told(error, files)}", name) from error


def asked(policy: Policy, view: CycleView) -> Decision:
    """The decision of a policy, with its choice as whole numbers.

    Args:
        policy: may be a user's own.
        view: what it is given.

    Raises:
        PolicyError: a user's own raised something, or any answered what cannot be flown.
    """
    try:
        decision = policy.decide(view)
    except Exception as error:
        if not (files := own_files(type(policy))):
            raise
        # what ByScore finds wrong with scores happens in no line of theirs
        named = policy.name if in_files(error, files) else _named(policy)
        raise PolicyError(f"Policy {named} failed in cycle {view.k}: {told(error, files)}", policy.name) from error
    if problem := _problem(decision, view):
        raise PolicyError(f"Policy {_named(policy)} {problem}", policy.name)
    return Decision(
        np.asarray(decision.choice).astype(np.int64), np.asarray(decision.synchronisation), decision.allocation
    )


def _named(policy: Policy) -> str:
    """A policy's name, and where the method of the user's own is that answers for it."""
    files = own_files(type(policy))
    for method in ("decide", "scores"):
        function = getattr(type(policy), method, None)
        code = getattr(function, "__code__", None)
        if code is not None and code.co_filename in files:
            return f"{policy.name} ({where_defined(function)})"
    return policy.name


def _problem(decision: object, view: CycleView) -> str:
    """What is wrong with a decision, as the end of a sentence; "" when it can be flown."""
    c, N = view.candidates, len(view.states)
    if not isinstance(decision, Decision):
        return f"answered {_kind(decision)} in place of a Decision; end `decide` with `return Decision.of(choice)`."
    choice = _array(decision.choice)
    if choice.shape != (N,):
        return f"must choose one row of the candidates, or -1, for each of the {N} loops; its choice has the shape {choice.shape}."
    if choice.dtype.kind not in "iuf" or not np.all(np.isfinite(choice)) or np.any(choice != np.floor(choice)):
        return f"must choose rows of the candidates by whole numbers, or -1; its choice holds {_odd(choice)}."
    rows = choice.astype(np.int64)
    if rows.min(initial=-1) < -1 or rows.max(initial=-1) >= len(c.slots):
        row = rows[(rows < -1) | (rows >= len(c.slots))][0]
        return f"must choose one row of the candidates, 0 to {len(c.slots) - 1}, or -1; it chose {row}."
    served = np.flatnonzero(rows >= 0)
    owner = c.loop[rows[served]]
    if np.any(wrong := owner != served):
        return (
            f"gave a loop an action of another loop: UAV {served[wrong][0] + 1} has one of UAV {owner[wrong][0] + 1}."
        )
    if (used := int(c.slots[rows[served]].sum())) > view.budget:
        return f"used {used} slots of {view.budget} in cycle {view.k}."
    if _array(decision.synchronisation).shape != (N,) or _array(decision.synchronisation).dtype.kind != "b":
        return f"must say for each of the {N} loops whether it is served without a certificate, true or false."
    allocation: object = decision.allocation
    if not (allocation is None or isinstance(allocation, Allocation)):
        return f"answered {_kind(allocation)} in place of an Allocation, or None."
    return ""


def _array(value: object) -> NDArray[np.generic]:
    try:
        return np.asarray(value)
    except ValueError:  # lists of different lengths
        return np.asarray(None)


def _odd(choice: NDArray[np.generic]) -> str:
    if choice.dtype.kind == "f":
        return str(next(x for x in choice.tolist() if not (np.isfinite(x) and x == np.floor(x))))
    return f"values of type {choice.dtype}"


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
