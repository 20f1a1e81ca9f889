"""Which seeds a study flies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.errors import StudyError

EVALUATION_SEED = 10_000
"""First evaluation seed; seeds below 1000 are for calibration and for choosing parameters."""
MOST_TRIALS = 100_000
MOST_SEED = 2**31 - 1


def seed_range(trials: Any, start: Any = EVALUATION_SEED) -> tuple[int, ...]:
    """The seeds start, start+1, … of a number of trials."""
    for name, value in (("trials", trials), ("seed_start", start)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise StudyError(f"{name} = {value!r} must be a whole number.")
    if not 1 <= trials <= MOST_TRIALS:
        raise StudyError(f"trials = {trials} must be between 1 and {MOST_TRIALS}.")
    return tuple(range(start, start + trials))


def checked_seeds(seeds: Iterable[int]) -> tuple[int, ...]:
    """The seeds in ascending order, each once; StudyError when there is none or one that cannot be flown."""
    found = tuple(sorted(set(seeds)))
    if not found:
        raise StudyError("A study needs at least one seed; give trials.")
    if not 0 <= found[0] <= found[-1] <= MOST_SEED:
        raise StudyError(f"Seeds must lie between 0 and {MOST_SEED}.")
    return found
