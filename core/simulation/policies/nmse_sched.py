"""NMSE-Sched: the largest normalised error that the network has left, first."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.allocation.admission import lookahead_inputs
from core.simulation.policies.service import cheapest_usable, picked, serve_in_order
from core.simulation.policy import CycleView, Decision, Policy


class NMSESched(Policy):
    """Ayan et al., "Task-oriented scheduling for networked control systems: an age of information-aware implementation
    on software-defined radios" (arXiv 2202.09189, 2022; IEEE Access as "Semantics- and task-oriented scheduling …").

    Taken from there: greedy polling by the normalised mean squared error, the expected squared estimation error in
    units of what one cycle's noise adds, here tr Σ/tr Σ_proc, times the chance that the exchange delivers. There the
    network only carries sensor data; here it carries commands too, so with `command` the error counts that a cycle of
    flying the velocity in force instead of the newest command makes, T_s·(û − u*). tr Σ alone is far weaker
    (docs/POLICIES.md). A loop uses its cheapest usable exchange.
    Information: tr Σ, predicted delivery; with `command` also ê and û (the reference velocity with feed-forward).
    Left out: contention, polling overhead, different plants; the sensor's own knowledge of its error, which the ground
    station does not have.
    """

    name: ClassVar[str] = "NMSE-Sched"
    command: ClassVar[bool] = True
    usable: ClassVar[float] = 0.7
    horizon: ClassVar[int] = 1

    def decide(self, view: CycleView) -> Decision:
        """Largest expected reduction of the normalised error first."""
        c, delivery = view.candidates, view.candidates.delivery()
        pick = cheapest_usable(c.offsets, c.slots, np.ones(len(c.slots), dtype=np.bool_), delivery, self.usable)
        worth = self.errors(view) * picked(delivery, pick)
        return Decision.of(serve_in_order(np.argsort(-worth, kind="stable"), pick, c.slots, view.budget))

    def errors(self, view: CycleView) -> NDArray[np.float64]:
        """Normalised squared error of every loop, shape (N,) [-]."""
        model, law, squared = view.model, view.model.law, view.states.tr_sigma
        if self.command:
            z, u, steps = lookahead_inputs(view.states, view.plan, 1)
            wanted = -law.k * z[:, 0] + (steps[0] / law.Ts if law.feed_forward else 0.0)
            squared = squared + ((law.Ts * (u - wanted)) ** 2).sum(axis=1)
        normalised: NDArray[np.float64] = squared / model.tr_proc
        return normalised
