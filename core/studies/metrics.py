"""What the columns of a record mean and in which direction each one is better."""

from __future__ import annotations

from collections.abc import Iterable

HIGHER_IS_BETTER = ("served", "delivered", "certified", "separation")
"""Metrics whose name contains one of these are better when larger; errors, delays and violations when smaller."""


def lower_is_better(metric: str) -> bool:
    """Whether a smaller value of the metric is the better one."""
    return not any(word in metric for word in HIGHER_IS_BETTER)


def metric_columns(columns: Iterable[object], names: Iterable[str]) -> list[str]:
    """The columns that a run measured, as opposed to those that identify it."""
    keys = {"cell", *names, "policy", "seed"}
    return [str(c) for c in columns if c not in keys]
