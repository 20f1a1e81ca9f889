"""What an audit of a guarantee finds: a count, its exact binomial interval, and a verdict in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from scipy import stats

CONFIDENCE = 0.95


class ClaimVerdict(Enum):
    """Outcome of an audit; the value is what the reader sees."""

    HOLDS = "holds"
    VIOLATED = "violated"
    VACUOUS = "vacuous here"


@dataclass(frozen=True)
class Finding:
    """A guarantee of the paper beside its measurement.

    Args:
        key: short name, stable across versions.
        title: what is promised, in a few words.
        reference: equation label, proposition or decision number.
        promise: the promise with its numbers.
        measured: the measurement with its numbers.
        kept, trials: cases in which the promise was kept, and cases looked at; 0 trials for a single exact check.
        verdict: holds, violated or vacuous here.
        note: why, and which decision repairs it.
    """

    key: str
    title: str
    reference: str
    promise: str
    measured: str
    kept: int
    trials: int
    verdict: ClaimVerdict
    note: str = ""

    @property
    def share(self) -> float:
        """Share of the trials in which the promise was kept [-]."""
        return self.kept / self.trials if self.trials else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Exact binomial interval of that share at 95 % [-]."""
        return clopper_pearson(self.kept, self.trials)


def clopper_pearson(kept: int, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Exact two-sided binomial interval of a proportion (Clopper and Pearson 1934).

    Args:
        kept: successes.
        trials: independent trials; none gives (nan, nan).
        confidence: coverage, in (0, 1) [-].
    """
    if trials == 0:
        return (math.nan, math.nan)
    tail = (1 - confidence) / 2
    lower = 0.0 if kept == 0 else float(stats.beta.ppf(tail, kept, trials - kept + 1))
    upper = 1.0 if kept == trials else float(stats.beta.ppf(1 - tail, kept + 1, trials - kept))
    return (lower, upper)


def probability_verdict(kept: int, trials: int, promised: float) -> ClaimVerdict:
    """Violated only when the whole interval lies below the promised probability; vacuous without a trial."""
    if trials == 0 or promised <= 0.0:
        return ClaimVerdict.VACUOUS
    return ClaimVerdict.VIOLATED if clopper_pearson(kept, trials)[1] < promised else ClaimVerdict.HOLDS


def always_verdict(kept: int, trials: int) -> ClaimVerdict:
    """For a promise without exceptions: one counterexample violates it."""
    if trials == 0:
        return ClaimVerdict.VACUOUS
    return ClaimVerdict.HOLDS if kept == trials else ClaimVerdict.VIOLATED
