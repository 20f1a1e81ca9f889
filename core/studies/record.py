"""One record of a study: the row that one closed-loop run leaves, and the unit of each of its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from core.scenario import Scenario, quantity_of
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


UNITS = {"slots_used": "slots", "served_per_cycle": "loops", "bound_exceeded": "events"}
"""Units of metrics whose name does not end in one."""
UNIT_SUFFIXES = {"_ms": "ms", "_m": "m", "_s": "s", "_cycles": "cycles", "_slots": "slots", "_db": "dB"}


def unit_of(column: str) -> str:
    """Unit of a column: a scenario field's own unit, otherwise that of the metric's name; "" when it has none."""
    if "." in column or column == "formulation":
        return quantity_of(column).unit
    found = [unit for suffix, unit in UNIT_SUFFIXES.items() if column.endswith(suffix)]
    return UNITS.get(column, found[0] if found else "")
