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
        passed: whether the goal is met.
    """

    said: str
    passed: bool


@dataclass(frozen=True)
class Check:
    """One promise.

    Args:
        name: number or word on the command line.
        what: what is checked.
        goal: the figure to reach.
        measure: measures it on a tree.
        in_ci: which test holds it in CI; "" = the figure depends on the machine, so only this command measures it.
    """

    name: str
    what: str
    goal: str
    measure: Callable[[Tree], Figure]
    in_ci: str = ""
