"""What an audit of a guarantee finds: its measurement, an interval, and a verdict in words."""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.studies.claims.intervals import share_interval
from core.studies.claims.verdict import ClaimVerdict


@dataclass(frozen=True)
class Finding:
    """A guarantee of the paper beside its measurement.

    Args:
        key: short name, stable across versions.
        title: what is promised, in a few words.
        reference: equation label, proposition or decision number.
        promise: the promise with its numbers.
        measured: the measurement with its numbers.
        kept, trials: cases in which the promise was kept, and cases looked at; 0 trials for a check without chance and
            for a mean.
        verdict: holds, compatible, violated or vacuous here.
        note: why, and which decision repairs it.
        effective: independent trials that tell as much, where the trials hang together; None = they are independent.
        bounds: interval at 95 % of a measured mean, as a share of V_max; None where the measurement is a count [-].
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
    bounds: tuple[float, float] | None = None

    @property
    def share(self) -> float:
        """Share of the trials in which the promise was kept [-]."""
        return self.kept / self.trials if self.trials else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Interval at 95 %: of a mean, or of that share, exact where the trials are independent [-]."""
        return share_interval(self.kept, self.trials, self.effective) if self.bounds is None else self.bounds

    @property
    def interval_text(self) -> str:
        """The interval in brackets; empty for a check without chance."""
        low, high = self.interval
        if math.isnan(low):
            return ""
        return f"[{low:.4f}, {high:.4f}]" if self.bounds is None else f"[{low:+.3%}, {high:+.3%}] of V_max"
