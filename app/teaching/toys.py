"""Problems small enough for pencil and paper (lesson 05)."""

from __future__ import annotations

import numpy as np

CERTIFICATES = np.array(
    [
        # D_ul [s], D_dl [s], T_cert [s], ρ_ul, ρ_dl
        [0.005, 0.005, 0.50, 0.95, 0.95],
        [0.005, 0.005, 0.50, 0.95, 0.95],
        [0.008, 0.008, 0.25, 0.99, 0.99],
        [0.008, 0.008, 0.50, 0.97, 0.96],
        [0.005, 0.005, 0.75, 0.90, 0.97],
        [0.005, 0.005, 0.25, 0.99, 0.99],
    ]
)
"""Six actions of one loop."""
COSTS = np.array([8, 10, 12, 12, 8, 20])
"""Their slots."""

VALUES = [np.array([9.0, 4.5]), np.array([7.5]), np.array([7.4])]
"""Harm reduction of the actions of three loops."""
SLOTS = [np.array([11, 6]), np.array([10]), np.array([10])]
"""Their slots."""
BUDGET = 20


def greedy_value(values: list[np.ndarray], slots: list[np.ndarray], budget: int) -> float:
    """Best value per slot first, as long as it fits: what a scheduler without a plan would do."""
    items = [
        (v / s, v, s, i)
        for i, (vs, ss) in enumerate(zip(values, slots, strict=True))
        for v, s in zip(vs, ss, strict=True)
    ]
    served: set[int] = set()
    total, left = 0.0, budget
    for _, value, cost, loop in sorted(items, key=lambda item: -item[0]):
        if loop not in served and cost <= left:
            served.add(loop)
            total, left = total + float(value), left - int(cost)
    return total
