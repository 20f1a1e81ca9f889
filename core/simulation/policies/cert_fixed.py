"""Cert-Fixed: certificates decide what is allowed, a fixed rule decides who is served."""

from __future__ import annotations

from typing import ClassVar

from core.allocation import drift_terms
from core.simulation.policies.service import Rotation, cheapest_usable, serve_in_order
from core.simulation.policy import CycleView, Decision, Policy


class CertFixed(Policy):
    """Section V-B's "certificate filtering with a fixed priority rule".

    Taken from the paper: only actions whose certificate passes the drift test at the loop's state may be used; who
    goes first is fixed. Each loop gets its cheapest admitted action. The fixed rule is the cyclic order of
    Fixed-Service, the fairest one without state (a constant priority by index leaves the last loops to the onboard law
    for the whole mission, docs/REPRODUCTION.md).
    Left out: any ranking of admitted actions or loops by drift reduction.
    """

    name: ClassVar[str] = "Cert-Fixed"
    usable: ClassVar[float] = 0.5

    def __init__(self) -> None:
        self._rotation = Rotation()

    def decide(self, view: CycleView) -> Decision:
        """Serve the next loops of the rotation that have an admitted action."""
        c, s = view.candidates, view.states
        terms = drift_terms(view.model, c, s)
        allowed = c.certified & view.model.admitted(terms, s.c_fail[c.loop], c.g)
        pick = cheapest_usable(c.offsets, c.slots, allowed, c.delivery(), self.usable)
        order = self._rotation.order(len(pick))
        choice = serve_in_order(order, pick, c.slots, view.budget)
        self._rotation.resume(order, pick, choice)
        return Decision.of(choice)
