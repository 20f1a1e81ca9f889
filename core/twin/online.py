"""β under shift (D26): the confidence set learns from the link scores that it sees, by adaptive conformal inference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.twin.scores import ROUTE_CLASSES

Floats = npt.NDArray[np.float64]

ALPHA_STEPS = 1000
"""Levels of α at which margins are read: a level is rounded down, which only widens the set."""


@dataclass(frozen=True, eq=False)
class OnlineBeta:
    r"""What a flight has learnt about its confidence set, by class of route (Gibbs and Candès, 2021).

    .. math:: \alpha_{t+1} = \alpha_t + \gamma\,(\beta - err_t), \qquad \alpha_1 = \beta

    :math:`err_t` is the share of the class's routes whose measured score exceeded their margin in cycle t. Over T cycles the
    average of :math:`err_t` lies within :math:`(1+\gamma)/(\gamma T)` of β whatever the channel does, as long as the calibrated
    scores reach far enough. That is a promise over a long flight, not about any one cycle. α itself may run to −γ and 1 + γ: cut
    off at 0 and 1 it would forget misses, and the promise would be lost.

    Args:
        shift: α_t − β, (6,) [-].
    """

    shift: Floats

    @classmethod
    def start(cls) -> OnlineBeta:
        """Nothing learnt yet: the offline set."""
        return cls(np.zeros(len(ROUTE_CLASSES)))

    def alpha(self, beta: float) -> Floats:
        """α by class: the level at which margins are read, within [0, 1], (6,) [-]."""
        return np.clip(beta + self.shift, 0.0, 1.0)

    def learned(self, beta: float, gamma: float, missed: Floats) -> OnlineBeta:
        """After one more cycle's scores.

        Args:
            beta: wanted share of misses [-].
            gamma: step size γ [-].
            missed: err_t of each class, nan where no route of it was measured, (6,) [-].
        """
        moved = self.shift + np.where(np.isnan(missed), 0.0, gamma * (beta - missed))
        return OnlineBeta(np.clip(moved, -gamma - beta, 1.0 + gamma - beta))
