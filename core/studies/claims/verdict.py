"""The verdict on a guarantee, from its measurement."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from core.studies.claims.intervals import Mean, share_interval


class ClaimVerdict(Enum):
    """Outcome of an audit; the value is what the reader sees."""

    HOLDS = "holds"
    COMPATIBLE = "compatible"
    VIOLATED = "violated"
    VACUOUS = "vacuous here"


def probability_verdict(kept: int, trials: int, promised: float, effective: float | None = None) -> ClaimVerdict:
    """For a promised probability: holds or violated only when the whole interval is on that side, else compatible."""
    if trials == 0 or effective == 0.0 or promised <= 0.0:
        return ClaimVerdict.VACUOUS
    low, high = share_interval(kept, trials, effective)
    if high < promised:
        return ClaimVerdict.VIOLATED
    return ClaimVerdict.HOLDS if low >= promised else ClaimVerdict.COMPATIBLE


def always_verdict(kept: int, trials: int) -> ClaimVerdict:
    """For a promise without exceptions: one counterexample violates it."""
    if trials == 0:
        return ClaimVerdict.VACUOUS
    return ClaimVerdict.HOLDS if kept == trials else ClaimVerdict.VIOLATED


def bias_verdict(means: Sequence[Mean], tolerance: float) -> ClaimVerdict:
    """For means that should all be zero: violated when an interval excludes zero, holds when all are exactly there.

    Args:
        means: with their intervals, those that are known.
        tolerance: rounding, in the unit of the means.
    """
    if not means:
        return ClaimVerdict.VACUOUS
    if any(m.low > tolerance or m.high < -tolerance for m in means):
        return ClaimVerdict.VIOLATED
    exact = all(abs(end) <= tolerance for m in means for end in (m.low, m.high))
    return ClaimVerdict.HOLDS if exact else ClaimVerdict.COMPATIBLE


def ceiling_verdict(means: Sequence[Mean]) -> ClaimVerdict:
    """For means that should all be at most zero: one interval above it violates, all at or below it hold."""
    if not means:
        return ClaimVerdict.VACUOUS
    if any(m.low > 0 for m in means):
        return ClaimVerdict.VIOLATED
    return ClaimVerdict.HOLDS if all(m.high <= 0 for m in means) else ClaimVerdict.COMPATIBLE


def worst(verdicts: Sequence[ClaimVerdict]) -> ClaimVerdict:
    """Of several promises made at once: violated when one is, holds when all do."""
    for verdict in (ClaimVerdict.VIOLATED, ClaimVerdict.COMPATIBLE, ClaimVerdict.HOLDS):
        if verdict in verdicts:
            return verdict
    return ClaimVerdict.VACUOUS
