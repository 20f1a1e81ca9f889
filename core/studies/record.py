"""One record of a study: the row that one closed-loop run leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from core.scenario import Scenario
from core.simulation import simulate
from core.studies.definition import Task
from core.studies.policies import policy_to_fly
from core.studies.samples import Samples, samples_of

Row = dict[str, Any]


class Summarised(Protocol):
    """What a run function must return: anything with a summary of plain numbers."""

    def summary(self) -> Mapping[str, Any]: ...


RunFunction = Callable[[Scenario, Any, int], Summarised]
"""`simulate`, or a hook in its place: scenario, policy (a registered name, or a class with a study's constants), seed."""


class Flown(NamedTuple):
    """What one run leaves: its row, and the distributions that the study keeps."""

    row: Row
    samples: Samples


def run_task(scenario: Scenario, task: Task, run: RunFunction = simulate) -> Row:
    """The tidy row of one closed loop: cell, setting, varied fields, policy, seed, then the run's own summary.

    Args:
        scenario: the scenario of the task's cell.
        task: cell, policy and seed.
        run: the simulator, `simulate(scenario, policy, seed)`.
    """
    return fly_task(scenario, task, run).row


def fly_task(scenario: Scenario, task: Task, run: RunFunction = simulate, samples: tuple[str, ...] = ()) -> Flown:
    """Run one closed loop; as `run_task`, with the named distributions of core.studies.samples.SAMPLES."""
    flown = run(scenario, policy_to_fly(task.policy), task.seed)
    metrics = {name: float(value) for name, value in flown.summary().items() if isinstance(value, (int, float))}
    return Flown({**keys_of(task), **metrics}, samples_of(flown, samples) if samples else {})  # type: ignore[arg-type]


def keys_of(task: Task) -> Row:
    """The columns that identify a record."""
    return {"cell": task.cell.id, **dict(task.cell.values), "policy": task.policy, "seed": task.seed}
