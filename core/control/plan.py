"""What the twin knows of the way ahead: the references of the next cycles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.control.lifted import FloatArray


@dataclass(frozen=True, eq=False)
class Plan:
    """References of the current cycle and the J cycles after it; part of the mission plan, nothing measured.

    Args:
        references: r_k … r_{k+J}, shape (J+1, N, 3) [m].
    """

    references: FloatArray

    @classmethod
    def ahead(cls, positions: FloatArray, k: int, cycles: int) -> Plan:
        """The plan at cycle k of a mission; after its end every reference flies on straight at its last velocity.

        Args:
            positions: reference positions at all cycle starts, shape (K+1, N, 3) [m].
            k: current cycle, 0 … K.
            cycles: J, how far to look ahead.
        """
        known = positions[k : k + cycles + 1]
        beyond = cycles + 1 - len(known)
        if beyond > 0:
            last = positions[-1] - positions[-2] if len(positions) > 1 else np.zeros_like(positions[-1])
            known = np.concatenate([known, positions[-1] + np.arange(1, beyond + 1)[:, None, None] * last])
        return cls(np.asarray(known, dtype=np.float64))

    @property
    def cycles(self) -> int:
        """J, how many cycles ahead the plan is known."""
        return len(self.references) - 1

    @property
    def steps(self) -> FloatArray:
        """How far each reference moves in each cycle, r_{k+j+1} − r_{k+j}, shape (J, N, 3) [m]."""
        steps: FloatArray = np.diff(self.references, axis=0)
        return steps
