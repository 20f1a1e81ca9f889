"""What the columns of a record mean and in which direction each one is better."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from core.scenario import Scenario
from core.simulation import simulate

HIGHER_IS_BETTER = ("served", "delivered", "certified", "separation")
"""Metrics whose name contains one of these are better when larger; errors, delays and violations when smaller."""


def lower_is_better(metric: str) -> bool:
    """Whether a smaller value of the metric is the better one."""
    return not any(word in metric for word in HIGHER_IS_BETTER)


def metric_columns(columns: Iterable[object], names: Iterable[str]) -> list[str]:
    """The columns that a run measured, as opposed to those that identify it."""
    keys = {"cell", *names, "policy", "seed"}
    return [str(c) for c in columns if c not in keys]


@functools.cache
def run_metrics() -> tuple[str, ...]:
    """Names of what every run measures, known before a study has flown: those of the shortest mission of one UAV."""
    shortest = Scenario().replace(**{"mission.uavs": 1, "mission.duration_s": 1.0})
    return tuple(simulate(shortest).summary())
