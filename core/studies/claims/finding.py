"""What an audit of a guarantee finds: a count, its binomial interval, and a verdict in words."""

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
        kept, trials: cases in which the promise was kept, and cases looked at; 0 trials for a check without chance.
        verdict: holds, violated or vacuous here.
        note: why, and which decision repairs it.
        effective: independent trials that tell as much, where the trials hang together; None = they are independent.
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
    effective: float | None = None

    @property
    def share(self) -> float:
        """Share of the trials in which the promise was kept [-]."""
        return self.kept / self.trials if self.trials else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Binomial interval of that share at 95 %, exact where the trials are independent [-]."""
        return share_interval(self.kept, self.trials, self.effective)


def share_interval(kept: int, trials: int, effective: float | None = None) -> tuple[float, float]:
    """Clopper–Pearson interval of kept/trials, on the effective number of trials where they hang together."""
    if effective is None or trials == 0:
        return clopper_pearson(kept, trials)
    return clopper_pearson(kept / trials * effective, effective)


def clopper_pearson(kept: float, trials: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Exact two-sided binomial interval of a proportion (Clopper and Pearson 1934).

    Args:
        kept: successes; need not be whole (effective counts).
        trials: independent trials; none gives (nan, nan).
        confidence: coverage, in (0, 1) [-].
    """
    if trials == 0:
        return (math.nan, math.nan)
    tail = (1 - confidence) / 2
    lower = 0.0 if kept == 0 else float(stats.beta.ppf(tail, kept, trials - kept + 1))
    upper = 1.0 if kept == trials else float(stats.beta.ppf(1 - tail, kept + 1, trials - kept))
    return (lower, upper)


def probability_verdict(kept: int, trials: int, promised: float, effective: float | None = None) -> ClaimVerdict:
    """Violated only when the whole interval lies below the promised probability; vacuous without a trial."""
    if trials == 0 or effective == 0.0 or promised <= 0.0:
        return ClaimVerdict.VACUOUS
    return ClaimVerdict.VIOLATED if share_interval(kept, trials, effective)[1] < promised else ClaimVerdict.HOLDS


def always_verdict(kept: int, trials: int) -> ClaimVerdict:
    """For a promise without exceptions: one counterexample violates it."""
    if trials == 0:
        return ClaimVerdict.VACUOUS
    return ClaimVerdict.HOLDS if kept == trials else ClaimVerdict.VIOLATED
