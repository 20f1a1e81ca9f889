"""Conformal scores by class of route, compressed so that β can slide without new calibration runs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.twin.conformal import conformal_rank

ROUTE_CLASSES = (
    "1 hop, line of sight",
    "1 hop, obstructed",
    "2 hops, line of sight",
    "2 hops, obstructed",
    "3 hops, line of sight",
    "3 hops, obstructed",
)
"""Classes of the class-conditional conformal set: hop count × whether a hop is NLOS or crosses the building."""

SCORE_STEP_DB = 1e-3
"""Stored scores are rounded up to this grid [dB]."""
MAX_POINTS = 2000
"""Quantile points kept per class."""


def route_class(hops: npt.NDArray[np.int64], rayleigh: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Index into ROUTE_CLASSES of each route.

    Args:
        hops: hop counts, (R,).
        rayleigh: whether the prediction has hop j without line of sight (NLOS or blocked), (R, 3); padding ignored.
    """
    used = np.arange(rayleigh.shape[1]) < hops[:, None]
    return (2 * (hops - 1) + (rayleigh & used).any(axis=1)).astype(np.int64)


def route_scores(
    predicted_db: npt.NDArray[np.float64],
    realised_db: npt.NDArray[np.float64],
    predicted_rayleigh: npt.NDArray[np.bool_],
    realised_rayleigh: npt.NDArray[np.bool_],
    hops: npt.NDArray[np.int64],
) -> npt.NDArray[np.float64]:
    r"""Path-level conformal score, max over hops of (predicted − realised SNR), the deviation in Eq. (eq:dt-confidence-set).

    The set covers link classes too: a hop whose fading turned out worse than predicted (Rayleigh instead of Rician,
    a blockage nobody foresaw) scores +inf, otherwise equal SNR would not mean equal failure
    (Remark rem:twin-certificate-soundness).

    Args:
        predicted_db, realised_db: mean SNR per hop, (R, 3), padding ignored [dB].
        predicted_rayleigh, realised_rayleigh: fading class per hop, (R, 3).
        hops: hop counts, (R,).
    """
    used = np.arange(predicted_db.shape[1]) < hops[:, None]
    with np.errstate(invalid="ignore"):
        fall = np.where(used, predicted_db - realised_db, -np.inf)
    fall[used & realised_rayleigh & ~predicted_rayleigh] = np.inf
    score: npt.NDArray[np.float64] = fall.max(axis=1)
    return score


@dataclass(frozen=True, eq=False)
class ScoreQuantiles:
    """Order statistics of n scores: those of the kept ranks, which answer every β conservatively.

    Args:
        n: number of scores behind the points.
        values: order statistics at `kept_ranks(n)`, rounded up to SCORE_STEP_DB, (points,) [dB].
    """

    n: int
    values: npt.NDArray[np.float64]

    @classmethod
    def of(cls, scores: npt.NDArray[np.float64]) -> ScoreQuantiles:
        """Compress scores to at most MAX_POINTS order statistics."""
        s = np.sort(np.asarray(scores, dtype=float))
        kept = s[kept_ranks(s.size) - 1]
        finite = np.isfinite(kept)
        kept[finite] = np.ceil(kept[finite] / SCORE_STEP_DB) * SCORE_STEP_DB
        return cls(int(s.size), kept)

    def margin(self, beta: float) -> float:
        """`conformal_margin` of the scores behind the points, or a little more; +inf when n is too small [dB]."""
        rank = conformal_rank(self.n, beta)
        if rank > self.n:
            return math.inf
        return float(self.values[np.searchsorted(kept_ranks(self.n), rank)])

    def clipped_margin(self, alpha: float) -> float:
        """`margin` at a level in [0, 1] that may ask for more than n scores can tell: never beyond the largest finite one [dB]."""
        least = 1.0 / (self.n + 1)
        found = self.margin(min(max(alpha, least), 1.0 - least))
        return found if math.isfinite(found) else float(self.values[np.isfinite(self.values)].max(initial=-math.inf))


def kept_ranks(n: int) -> npt.NDArray[np.int64]:
    """Ranks of the order statistics that are kept out of n: evenly spaced, the last one n, at most MAX_POINTS."""
    points = min(n, MAX_POINTS)
    return -(-np.arange(1, points + 1, dtype=np.int64) * n // max(points, 1))
