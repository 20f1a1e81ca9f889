"""VoI-Sched: greedy value of information."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from core.simulation.policies.service import serve_in_order
from core.simulation.policy import CycleView, Decision, Policy


class VoISched(Policy):
    """Ayan et al., "Age-of-information vs. value-of-information scheduling for cellular NCS" (ICCPS 2019).

    Taken from there: two-hop scheduling (sensor to controller, controller to actuator) by one scalar, information age
    weighted with the uncertainty of the persistently propagated estimate, (1 + c)·tr Σ. A loop uses the action with the
    best predicted delivery per slot; loops with the largest value × delivery come first (dividing the order by slots too
    was worse, docs/REPRODUCTION.md).
    Left out: the discount for heterogeneous plant dynamics (all loops have the same plant here).
    """

    name: ClassVar[str] = "VoI-Sched"
    age_power: ClassVar[int] = 1
    """Exponent of the age."""

    def decide(self, view: CycleView) -> Decision:
        """Highest value first."""
        c, s = view.candidates, view.states
        delivery = c.delivery()
        ranked = np.lexsort((c.slots, -delivery / c.slots))
        loops, first = np.unique(c.loop[ranked], return_index=True)
        pick = np.full(len(s), -1, dtype=np.int64)
        pick[loops] = ranked[first]
        worth = np.zeros(len(s))
        worth[loops] = ((1.0 + s.c) ** self.age_power * s.tr_sigma)[loops] * delivery[pick[loops]]
        order = np.argsort(-worth, kind="stable")
        return Decision.of(serve_in_order(order, pick, c.slots, view.budget))
