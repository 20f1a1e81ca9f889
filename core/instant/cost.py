"""How long things take in this process, said before they are begun: learnt from every cycle that it flies."""

from __future__ import annotations

import math
import threading

GROWTH_S = (1e-3, 2.3e-5, 1.3e-8)
"""How a cycle grows with the UAVs: the least, for each of them, for each pair [s]. Only their ratios count once one is flown."""
NEW = 0.1
"""What the newest cycle counts in the mean of those of its size."""


class CycleTimes:
    """Seconds per cycle by number of UAVs: those measured here, carried over to other numbers by how a cycle grows."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._measured: dict[int, float] = {}

    def learn(self, uavs: int, seconds: float) -> None:
        """Take in what one cycle took."""
        with self._lock:
            known = self._measured.get(uavs)
            expected = known if known is not None else self._expected(uavs)
            # a cycle that waits for a compiler or for another process says little of the next one
            seen = min(seconds, 2.0 * expected)
            self._measured[uavs] = seen if known is None else known + NEW * (seen - known)

    def cycle_s(self, uavs: int) -> float:
        """What a cycle of so many UAVs takes, about [s]."""
        with self._lock:
            return self._expected(uavs)

    def _expected(self, uavs: int) -> float:
        if not self._measured:
            return growth(uavs)
        nearest = min(self._measured, key=lambda known: abs(math.log(known / uavs)))
        return self._measured[nearest] * growth(uavs) / growth(nearest)


def growth(uavs: int) -> float:
    """How a cycle grows with the UAVs [s]."""
    least, each, pair = GROWTH_S
    return least + each * uavs + pair * uavs**2


CYCLE_TIMES = CycleTimes()
"""Of this process."""

INSTANT, BENCHMARK, CURVES = 8, 50, 60
"""How many cycles of a flight an instant with its allocation and offers takes, P1 over all actions, the curves of a solution."""
WALK = 0.2
"""How much of a cycle it takes to follow the links of another geometry than the flown one through it."""
