"""SAFE: certified supply frontier and exact allocation (Section IV), with the predicted, repaired or printed value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from core.allocation import allocate
from core.simulation.policy import CycleView, Decision, Policy


class Safe(Policy):
    """The paper's allocator in the scenario's formulation: admission, frontier, U, knapsack, synchronisation pass."""

    name: ClassVar[str] = "SAFE"

    def decide(self, view: CycleView) -> Decision:
        """Allocate by `core.allocation.allocate`."""
        a = allocate(view.scenario, view.model, view.candidates, view.states, plan=view.plan, budget=view.budget)
        return Decision(a.choice, a.synchronisation, a)


class SafeRepaired(Safe):
    """The same allocator with the repaired formulas for the value too, whatever the scenario's formulation."""

    name: ClassVar[str] = "SAFE-repaired"
    view_changes: ClassVar[Mapping[str, Any]] = {"formulation": "repaired"}


class SafePaper(Safe):
    """The same allocator with the formulas exactly as printed, whatever the scenario's formulation."""

    name: ClassVar[str] = "SAFE-paper"
    view_changes: ClassVar[Mapping[str, Any]] = {"formulation": "paper"}
