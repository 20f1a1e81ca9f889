"""DynTx-HLC: dynamic transmission count with hold-last-control."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from core.simulation.policies.service import cheapest_usable, serve_in_order
from core.simulation.policy import CycleView, Decision, Policy


class DynTxHLC(Policy):
    """Ma et al., "Optimal dynamic transmission scheduling for wireless networked control systems" (TCST 2022).

    Taken from there: the number of transmissions of an exchange is chosen dynamically and grows with the run of failures;
    loops that have gone longest without a successful interaction come first; an actuator that hears nothing holds its
    last command. A loop takes the cheapest exchange whose predicted delivery reaches `target`; after every `patience`
    failures in a row it reserves one more retransmission, up to the most that one direction offers. Waiting for a few
    failures first is the stronger choice: one more after each failure costs 0.9 m (docs/REPRODUCTION.md).
    Left out: the optimal thresholds by dynamic programming over a two-loop system, which do not scale to N loops with
    multi-hop actions.
    """

    name: ClassVar[str] = "DynTx-HLC"
    target: ClassVar[float] = 0.8
    patience: ClassVar[int] = 3

    def decide(self, view: CycleView) -> Decision:
        """Longest without interaction first, more transmissions after failures."""
        c, s = view.candidates, view.states
        delivery = c.delivery()
        n_re = c.ul_options.n_re[c.actions.ul] + c.dl_options.n_re[c.actions.dl]
        wanted = np.minimum(s.c_fail // self.patience, max(view.scenario.network.retransmissions))
        pick = cheapest_usable(c.offsets, c.slots, n_re >= wanted[c.loop], delivery, self.target)
        without = cheapest_usable(c.offsets, c.slots, n_re >= 0, delivery, self.target)
        pick = np.where(pick >= 0, pick, without)  # a loop whose routes allow no more is still tried
        order = np.lexsort((np.arange(len(s.c)), -s.c_fail, -s.c)).astype(np.int64)
        return Decision.of(serve_in_order(order, pick, c.slots, view.budget))
