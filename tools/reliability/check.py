"""A check, and what it found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tools.reliability.tree import Tree


@dataclass(frozen=True)
class Figure:
    """What was measured.

    Args:
        said: in words, with units.
        passed: whether the goal is met; None = the tree cannot be asked, which says nothing about it.
    """

    said: str
    passed: bool | None


def not_comparable(why: str) -> Figure:
    """The figure of a tree that does not have what the check asks for."""
    return Figure(f"not comparable: {why}", None)


@dataclass(frozen=True)
class Check:
    """One promise.

    Args:
        name: number or word on the command line.
        what: what is checked.
        goal: the figure to reach.
        measure: measures it on a tree.
        in_ci: which test holds it in CI; "" = the figure depends on the machine, so only this command measures it.
        beside: what it measures does not depend on the load, so that both trees, and two such checks, may be measured at once.
        long: it takes as long as several others; begun first among those.
    """

    name: str
    what: str
    goal: str
    measure: Callable[[Tree], Figure]
    in_ci: str = ""
    beside: bool = False
    long: bool = False
