"""A policy that is flown only to choose between it and a registered one."""

from __future__ import annotations

from typing import ClassVar

from core.simulation.policies import CertFixed
from core.simulation.policies.service import Ints, Rotation


class CertRotation(CertFixed):
    """Cert-Fixed in the cyclic order of Fixed-Service: no loop is last for ever."""

    name: ClassVar[str] = "Cert-Rotation"

    def __init__(self) -> None:
        self._rotation = Rotation()

    def serve(self, pick: Ints, slots: Ints, budget: int) -> Ints:
        """Serve the next loops of the rotation."""
        return self._rotation.serve(pick, slots, budget)
