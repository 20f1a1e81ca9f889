"""One record of a study: the row that one closed-loop run leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from core.scenario import Scenario
from core.simulation import simulate
from core.studies.definition import Task

Row = dict[str, Any]


class Summarised(Protocol):
    """What a run function must return: anything with a summary of plain numbers."""

    def summary(self) -> Mapping[str, Any]: ...


RunFunction = Callable[[Scenario, str, int], Summarised]


def run_task(scenario: Scenario, task: Task, run: RunFunction = simulate) -> Row:
    """Run one closed loop and return its tidy row: cell, varied fields, policy, seed, then the run's own summary.

    Args:
        scenario: the scenario of the task's cell.
        task: cell, policy and seed.
        run: the simulator, `simulate(scenario, policy, seed)`.
    """
    summary = run(scenario, task.policy, task.seed).summary()
    metrics = {name: float(value) for name, value in summary.items() if isinstance(value, (int, float))}
    return {**keys_of(task), **metrics}


def keys_of(task: Task) -> Row:
    """The columns that identify a record."""
    return {"cell": task.cell.id, **dict(task.cell.values), "policy": task.policy, "seed": task.seed}
