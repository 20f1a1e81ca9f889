"""How a study's metrics and varied fields are named, and where their values stand on an axis."""

from __future__ import annotations

from typing import Any

from core.scenario import quantity_of
from core.simulation import METRICS
from core.studies.metrics import unit_of
from core.studies.setting import SETTING


def field_name(name: str) -> str:
    """A field without its group and unit: "network.snr_offset_db" is "snr offset"."""
    leaf = name.rpartition(".")[2]
    unit = quantity_of(name).unit.lower().replace("/", "p").replace("²", "2")
    return (leaf.removesuffix(f"_{unit}") if unit else leaf).replace("_", " ")


def axis_label(name: str) -> str:
    """A field as a choice or an axis is labelled: symbol, name, unit; settings have names only."""
    if name == SETTING:
        return name
    quantity, words = quantity_of(name), field_name(name)
    unit = f" [{quantity.unit}]" if quantity.unit and quantity.unit.lower() != words else ""
    return f"{quantity.symbol}, {words}{unit}"


def title_of(metric: str) -> str:
    """A metric's name in words with its unit."""
    words = metric
    unit = unit_of(metric)
    if unit and words.endswith(f"_{unit}"):
        words = words.removesuffix(f"_{unit}")
    words = words.replace("_", " ").replace("rmse", "RMSE").replace("p95", "P95")
    words = "V / V_max" if words == "v" else words.replace(" v", " V / V_max") if words.endswith(" v") else words
    return f"{words} [{unit}]" if unit else words


def meaning_of(metric: str) -> str:
    """What a metric says and which values are better; empty for one that is not in the table."""
    if metric not in METRICS:
        return ""
    better = {"lower": " Lower is better.", "higher": " Higher is better.", "none": " Neither direction is better."}
    return METRICS[metric].sentence + better[METRICS[metric].direction]


def places(values: list[Any]) -> dict[Any, float | int]:
    """Where each value is drawn: numbers at themselves, words and switches one after the other."""
    numeric = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
    return {v: float(v) if numeric else i for i, v in enumerate(values)}
