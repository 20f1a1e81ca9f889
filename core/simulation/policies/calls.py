"""CALLS: control-aware low-latency scheduling, delivery targets from a Lyapunov condition, then least airtime."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.allocation import predicted_value
from core.simulation.policies.service import cheapest_usable, serve_in_order
from core.simulation.policy import CycleView, Decision, Policy

Floats = NDArray[np.float64]


class Calls(Policy):
    r"""Eisen et al., "Control aware radio resource allocation in low latency wireless control systems" (IoT-J 2019).

    Taken from there: every loop gets the delivery rate q that its Lyapunov function needs in this cycle to fall in
    expectation, and the radio meets these targets with least airtime:

    .. math:: q\, \mathbb{E}[V^+ | \text{delivered}] + (1-q)\, \mathbb{E}[V^+ | \text{not}] \le \mathtt{rate} \cdot V

    V⁺ is V one cycle ahead, of the estimate (D23) plus X₀₀·tr Σ for its error. A loop that meets the condition without
    service, or whose service would not help, gets no slots; the others come by their target, among equals the one
    furthest from the condition first, each with its cheapest exchange that meets the target, or the most reliable one
    when none does. With feed-forward off the lag alone makes many targets unattainable, so none is above `ceiling`;
    with the constants that fly a target is nothing or the ceiling, and the order is that distance (docs/POLICIES.md).
    Information: ẑ, û, tr Σ, predicted delivery, and the plan of one cycle.
    Left out: the assignment of frequencies and data rates of Wi-Fi, and the random choice among loops when not all fit.
    """

    name: ClassVar[str] = "CALLS"
    rate: ClassVar[float] = 0.5
    ceiling: ClassVar[float] = 0.7
    horizon: ClassVar[int] = 1

    def decide(self, view: CycleView) -> Decision:
        """Largest target first, with least airtime."""
        c = view.candidates
        target, excess = self.targets(view)
        asked = target[c.loop]
        pick = cheapest_usable(c.offsets, c.slots, asked > 0.0, c.delivery() - asked, 0.0)
        return Decision.of(serve_in_order(np.lexsort((-excess, -target)), pick, c.slots, view.budget))

    def targets(self, view: CycleView) -> tuple[Floats, Floats]:
        """q of every loop [-], and E[V⁺] without service above what the condition allows [m²], shape (N,) each."""
        model, s, network = view.model, view.states, view.scenario.network
        found = predicted_value(model, s, view.plan, 1, frame_s=network.frame_s)
        error = model.X[0, 0] * (s.tr_sigma + model.tr_proc)
        excess = found.V0[:, 0] + error - self.rate * s.V
        gain = found.V0[:, 0] - found.V1[:, 0] + model.X[0, 0] * found.T
        helps = (excess > 0.0) & (gain > 0.0)
        q = np.divide(excess, gain, out=np.zeros_like(excess), where=helps)
        return np.minimum(q, self.ceiling), excess
