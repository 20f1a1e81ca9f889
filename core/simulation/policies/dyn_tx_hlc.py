"""DynTx-HLC: dynamic transmission count with hold-last-control."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from core.simulation.policies.service import cheapest_usable, serve_in_order
from core.simulation.policy import CycleView, Decision, Policy


class DynTxHLC(Policy):
    """Ma et al., "Optimal dynamic transmission scheduling for wireless networked control systems" (TCST 2022).

    Taken from there: the transmission effort of a packet is chosen dynamically and grows with the run of failures;
    loops that have gone longest without a successful interaction come first; an actuator that hears nothing holds its
    last command. A loop takes the cheapest exchange whose predicted delivery reaches a target, and after a failure a
    higher one: more transmissions per hop, longer blocks or another route, whichever is cheapest (asking for a number
    of retransmissions as such was worse, docs/REPRODUCTION.md).
    Left out: the optimal thresholds by dynamic programming over a two-loop system, which do not scale to N loops with
    multi-hop actions.
    """

    name: ClassVar[str] = "DynTx-HLC"
    targets: ClassVar[tuple[float, ...]] = (0.8, 0.9)
    """Delivery asked for after 0, 1, … failures in a row; the last one for all longer runs."""

    def decide(self, view: CycleView) -> Decision:
        """Longest without interaction first, more effort after failures."""
        c, s = view.candidates, view.states
        delivery = c.delivery()
        allowed = np.ones(len(c.slots), dtype=np.bool_)
        level = np.minimum(s.c_fail, len(self.targets) - 1)
        picks = [cheapest_usable(c.offsets, c.slots, allowed, delivery, target) for target in self.targets]
        pick = np.choose(level, picks)
        order = np.lexsort((np.arange(len(s.c)), -s.c_fail, -s.c)).astype(np.int64)
        return Decision.of(serve_in_order(order, pick, c.slots, view.budget))
