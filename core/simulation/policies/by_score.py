"""A score per loop, turned into a frame: the rule of SAFE-greedy, and of whoever brings scores of his own."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.simulation.policies.service import cheapest_usable, serve_in_order
from core.simulation.policy import CycleView, Decision, Policy

Floats = NDArray[np.float64]


class ByScore(Policy):
    """Loops by their score, the largest first, while slots last; a loop whose score is not above 0 gets none.

    Each loop has one action, the cheapest one whose predicted delivery is usable. Subclasses implement `scores`.
    """

    usable: ClassVar[float] = 0.5
    """Predicted delivery of an exchange that is well enough [-]."""

    @abstractmethod
    def scores(self, view: CycleView) -> Floats:
        """How urgent it is to serve each loop, any unit, shape (N,)."""

    def decide(self, view: CycleView) -> Decision:
        """Largest score first."""
        return by_score(view, self.scores(view), self.usable)


def by_score(view: CycleView, scores: Floats, usable: float = ByScore.usable) -> Decision:
    """The frame that scores ask for.

    Args:
        view: of the cycle.
        scores: of the loops; only their order and their sign count, (N,).
        usable: predicted delivery of an exchange that is well enough [-].
    """
    c, score = view.candidates, np.asarray(scores, dtype=np.float64)
    N = len(view.states)
    if score.shape != (N,):
        raise ValueError(f"there must be one score for each of the {N} loops; the scores have the shape {score.shape}")
    if np.isnan(score).any():
        raise ValueError(f"a score must be a number; that of UAV {np.flatnonzero(np.isnan(score))[0] + 1} is nan")
    pick = cheapest_usable(c.offsets, c.slots, score[c.loop] > 0.0, c.delivery(), usable)
    return Decision.of(serve_in_order(np.argsort(-score, kind="stable"), pick, c.slots, view.budget))
