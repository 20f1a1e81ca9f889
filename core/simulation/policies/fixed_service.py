"""Fixed-Service: regular rotation, blind to every loop's state."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from core.simulation.policies.service import Rotation, cheapest_usable
from core.simulation.policy import CycleView, Decision, Policy


class FixedService(Policy):
    """Section V-B's "fixed regular-service selector".

    Taken from the paper: a regular pattern of service that never reallocates slots to loops in need. Every loop gets
    the cheapest usable exchange in a fixed cyclic order; what does not fit resumes first in the next frame.
    Left out: any use of V, tr Σ, failures or certificates.
    """

    name: ClassVar[str] = "Fixed-Service"
    usable: ClassVar[float] = 0.5

    def __init__(self) -> None:
        self._rotation = Rotation()

    def decide(self, view: CycleView) -> Decision:
        """Serve the next loops of the rotation."""
        c = view.candidates
        allowed = np.ones(len(c.slots), dtype=np.bool_)
        pick = cheapest_usable(c.offsets, c.slots, allowed, c.delivery(), self.usable)
        return Decision.of(self._rotation.serve(pick, c.slots, view.budget))
