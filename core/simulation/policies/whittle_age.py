"""Whittle-Age: the Whittle index of a cost that grows with the age of a loop's last exchange."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.allocation import predicted_value
from core.simulation.policies.service import cheapest_usable, picked, serve_in_order
from core.simulation.policy import CycleView, Decision, Policy

Floats = NDArray[np.float64]


def whittle_index(p: Floats, h: NDArray[np.int64], paid: Floats, ahead: Floats) -> Floats:
    r"""Price of one transmission at which sending now and one cycle later cost the same, shape (M,).

    .. math:: W(h) = p\Big(h\, \mathbb{E}[f(h+K)] - \sum_{j=1}^{h} f(j)\Big), \qquad K \sim \mathrm{Geo}(p)

    Tripathi and Modiano's index of a cost f of age over an unreliable channel; p = 1 gives h·f(h+1) − Σf.

    Args:
        p: chance of delivery, shape (M,) [-].
        h: age, 1 in the cycle after a delivery, shape (M,) [cycles].
        paid: f(1) + … + f(h), shape (M,).
        ahead: f(h+1) … f(h+J), taken as constant after that, shape (M, J).
    """
    J = ahead.shape[1]
    missed = (1.0 - p)[:, None] ** np.arange(J + 1)
    expected = p * (missed[:, :J] * ahead).sum(axis=1) + missed[:, J] * ahead[:, -1]
    index: Floats = p * (h * expected - paid)
    return index


class WhittleAge(Policy):
    """Tripathi and Modiano, "A Whittle index approach to minimizing functions of age of information" (Allerton 2019).

    Taken from there: every loop is a restless bandit whose cost is a function of its age, the index for a channel that
    delivers with probability p, and service in the order of the index. Age is the time since the last bidirectional
    success. The cost of an age to come is the W = V + λ_Σ·tr Σ predicted for a loop that is left alone for so long, that
    of an age gone by what the estimate said then; with `of_error` off it is tr Σ, a function of age alone, which is far
    weaker here (docs/POLICIES.md). A loop uses its cheapest usable exchange; exchanges need different numbers of slots,
    so with `per_slot` the index is a price per slot.
    Information: age, predicted delivery, tr Σ; with `of_error` also ẑ, û and the plan over `horizon` cycles.
    Left out: its guarantees, which are for one transmission at a time and a cost that never falls with age.
    """

    name: ClassVar[str] = "Whittle-Age"
    of_error: ClassVar[bool] = True
    per_slot: ClassVar[bool] = True
    usable: ClassVar[float] = 0.7
    horizon: ClassVar[int] = 2

    def __init__(self) -> None:
        self._paid: Floats | None = None

    def decide(self, view: CycleView) -> Decision:
        """Largest index first."""
        c, s = view.candidates, view.states
        now, ahead = self.costs(view)
        # what a loop cost before this policy flew it is unknown, and counts as today's cost
        before = s.c * now if self._paid is None else np.where(s.c > 0, self._paid, 0.0)
        self._paid = before + now
        delivery = c.delivery()
        pick = cheapest_usable(c.offsets, c.slots, np.ones(len(c.slots), dtype=np.bool_), delivery, self.usable)
        index = whittle_index(picked(delivery, pick), s.c + 1, self._paid, ahead)
        if self.per_slot:
            index = index / np.maximum(picked(c.slots, pick), 1.0)
        return Decision.of(serve_in_order(np.argsort(-index, kind="stable"), pick, c.slots, view.budget))

    def costs(self, view: CycleView) -> tuple[Floats, Floats]:
        """f at today's age, shape (N,), and at the ages of the next `horizon` cycles without service, shape (N, J) [m²]."""
        s, model, J = view.states, view.model, self.horizon
        tr_sigma = s.tr_sigma[:, None] + np.arange(1, J + 1) * model.tr_proc
        if not self.of_error:
            return s.tr_sigma, tr_sigma
        return model.W(s.V, s.tr_sigma), model.W(predicted_value(model, s, view.plan, J).V0, tr_sigma)
