"""What the columns of a record mean and in which direction each one is better."""

from __future__ import annotations

from collections.abc import Iterable

from core.scenario import quantity_of
from core.simulation import METRICS
from core.simulation.metric_table import Direction


def direction_of(metric: str) -> Direction:
    """Which values of a metric are better; "none" of one that is not in the table."""
    return METRICS[metric].direction if metric in METRICS else "none"


def unit_of(column: str) -> str:
    """Unit of a column: that of the scenario field or of the metric it names; "" when it has none."""
    if "." in column or column == "formulation":
        return quantity_of(column).unit
    return METRICS[column].unit if column in METRICS else ""


def metric_columns(columns: Iterable[object], names: Iterable[str]) -> list[str]:
    """The columns that a run measured, as opposed to those that identify it."""
    keys = {"cell", *names, "policy", "seed"}
    return [str(c) for c in columns if c not in keys]
