"""Cert-Fixed: certificates decide what is allowed, a fixed rule decides who is served."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from core.simulation.policies.service import Ints, cheapest_usable, serve_in_order
from core.simulation.policy import CycleView, Decision, Policy


class CertFixed(Policy):
    """Section V-B's "certificate filtering with a fixed priority rule".

    Taken from the paper: only actions whose certificate passes the drift test at the loop's state may be used, and who goes
    first is fixed: loops in the order of their number, each with its cheapest admitted action, while slots last. The last
    loops are often left to the onboard law; a rotation serves them too and has the larger error (docs/REPRODUCTION.md).
    Left out: any ranking of admitted actions or loops by their value.
    """

    name: ClassVar[str] = "Cert-Fixed"
    usable: ClassVar[float] = 0.5

    def decide(self, view: CycleView) -> Decision:
        """Serve loops by their number as long as they have an admitted action that fits."""
        c = view.candidates
        allowed = c.certified & view.admit().admitted
        pick = cheapest_usable(c.offsets, c.slots, allowed, c.delivery(), self.usable)
        return Decision.of(self.serve(pick, c.slots, view.budget))

    def serve(self, pick: Ints, slots: Ints, budget: int) -> Ints:
        """Loops in the order of their number while slots last; arguments as for `serve_in_order`."""
        choice: Ints = serve_in_order(np.arange(len(pick)), pick, slots, budget)
        return choice
