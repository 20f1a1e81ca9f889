"""Fields, metrics and studies in words: as the sidebar writes them, with symbol, name and unit."""

from __future__ import annotations

import re
from typing import Any

from app.moves import text_of
from core.figures.arrays.study import axis_label, field_name, meaning_of, title_of
from core.scenario import quantity_of
from core.studies import Study

__all__ = [
    "automatic_name",
    "axis_label",
    "field_help",
    "field_name",
    "flown_at",
    "listed",
    "meaning_of",
    "setting",
    "title_of",
]

MAX_NAME = 34
"""Characters of a study's own name; a number may follow."""
NAMED = 6
"""Settings that are named; more are counted."""


def field_help(name: str) -> str:
    """What a tooltip says of a field: the name that files and the command line use, and its sentence."""
    return f"{name}: {quantity_of(name).doc}"


def flown_at(study: Study) -> str:
    """At which settings a study is flown: those that differ from the default, in words; then its missions."""
    fixed = {n: v for n, v in study.scenario.differences().items() if n not in study.fields}
    said = listed([setting(n, v) for n, v in fixed.items()]) if fixed else ""
    words = f"{said}; everything else at its default" if said else "every setting at its default"
    seeds = study.seeds
    run = len(seeds) > 1 and seeds[-1] - seeds[0] == len(seeds) - 1
    which = (
        f"seeds {seeds[0]} to {seeds[-1]}" if run else f"{len(seeds)} seeds" if len(seeds) > 1 else f"seed {seeds[0]}"
    )
    return f"{words}; {which}"


def setting(name: str, value: Any) -> str:
    """Such as "ΔSNR 5 dB"."""
    quantity = quantity_of(name)
    return f"{quantity.symbol} {text_of(value)}" + (f" {quantity.unit}" if quantity.unit else "")


def listed(texts: list[str], most: int = NAMED) -> str:
    """The first of them, and how many more there are."""
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


def automatic_name(study: Study) -> str:
    """A name for a study's folder from what is varied, and from the first settings that are not at their default."""
    varied = "-x-".join(n.rpartition(".")[2] for n in study.names)
    fixed = [
        f"{n.rpartition('.')[2]}-{text_of(v)}" for n, v in study.scenario.differences().items() if n not in study.fields
    ]
    name = varied or "study"
    for part in fixed[:2]:
        plain = re.sub(r"[^A-Za-z0-9-]+", "", re.sub(r"[._−]", "-", part))  # a file's name has a hyphen for a minus
        if len(name) + len(plain) + 1 <= MAX_NAME:
            name += f"_{plain}"
    return name[:MAX_NAME].strip("-_")
