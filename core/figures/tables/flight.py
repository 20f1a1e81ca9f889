"""Metrics of flights by policy."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from core.figures.arrays.flight import HEADS, NUMBERS
from core.figures.flight import flight_stamp, flights_words, flown
from core.figures.paper.table import Table
from core.instant import Flight
from core.simulation import METRICS


def flight_numbers(flights: Mapping[str, Flight], k: int, loop: int = 0, link: str = "") -> Table:
    """One row per policy, over the cycles since the last change of settings.

    Args:
        flights: by policy; same take-off, seed and changes.
        k: last cycle counted.
        loop: counted from 0.
        link: query string of the page that shows the same.
    """
    found = flown(flights, k, loop)
    heads = [f"{HEADS[n][0]}{f' [{METRICS[n].unit}]' if METRICS[n].unit else ''}" for n in NUMBERS]
    rows = [[policy, *(shown(n, numbers[n]) for n in NUMBERS)] for policy, numbers in found.numbers.items()]
    values = pd.DataFrame(
        [[p, *(numbers[n] for n in NUMBERS)] for p, numbers in found.numbers.items()], columns=["policy", *heads]
    )
    return Table(
        "flight-numbers",
        f"Metrics by policy over the cycles {found.start} to {found.cycle} of one mission. {flights_words(flights)}",
        flight_stamp(flights, found, link),
        ("policy", *heads),
        rows,
        values,
    )


def shown(name: str, value: float) -> str:
    """A metric with the digits of the table; a dash where there is nothing."""
    return f"{value:.{HEADS[name][1]}f}" if math.isfinite(value) else "–"
