"""What a learner is shown of a cycle: quantities of the controller's side, one row per loop."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from core.allocation import predicted_value
from core.simulation import ByScore, CycleView
from core.simulation.policies.service import cheapest_usable, picked

LIMIT = 10.0
"""Every number is cut off here on both sides, so that a loop that is lost does not drown the others."""
NO_ACTION = 2.0
"""Share of the frame of an action that does not exist: longer than any that fits."""

FEATURES = MappingProxyType(
    {
        "V": "tracking energy V of the estimate, in V_max",
        "sigma": "estimation uncertainty: 0 is σ_min, 1 is σ_max",
        "c": "cycles since the last exchange that succeeded both ways, in tens",
        "c_fail": "failed attempts in a row, in tens",
        "safe": "1 under the onboard law, else 0",
        "G": "predicted worth of a command in the look-ahead, in V_max (D23)",
        "T": "predicted worth of telemetry, λ_Σ·T, in V_max (D23)",
        "usable_slots": "slots of the cheapest usable exchange, as a share of the frame; 2 without one",
        "usable_delivery": "predicted delivery of that exchange; 0 without one",
        "admitted_slots": "slots of the cheapest admitted action, as a share of the frame; 2 without one",
        "time": "share of the mission that is over, the same for every loop",
    }
)
"""Columns of an observation, in their order, and what each is."""


def observe(view: CycleView) -> NDArray[np.float32]:
    """What a learner sees of a cycle, (N, features); nothing true, only what any policy is given.

    Args:
        view: of the cycle, as `Policy.decide` gets it.
    """
    model, s, c, S = view.model, view.states, view.candidates, max(view.budget, 1)
    L = view.scenario.allocation.lookahead_cycles
    found = predicted_value(model, s, view.plan, L, frame_s=view.scenario.network.frame_s)
    delivery = c.delivery()
    usable = cheapest_usable(c.offsets, c.slots, np.ones(len(c.slots), dtype=np.bool_), delivery, ByScore.usable)
    columns = {
        "V": s.V / model.V_max,
        "sigma": (s.tr_sigma - model.sigma_min) / (model.sigma_max - model.sigma_min),
        "c": s.c / 10.0,
        "c_fail": s.c_fail / 10.0,
        "safe": s.safe,
        "G": found.G / model.V_max,
        "T": model.lam * found.T / model.V_max,
        "usable_slots": np.where(usable >= 0, picked(c.slots, usable) / S, NO_ACTION),
        "usable_delivery": picked(delivery, usable),
        "admitted_slots": _cheapest(c.loop, np.where(view.admit().admitted, c.slots / S, NO_ACTION), len(s)),
        "time": np.full(len(s), view.k / view.scenario.cycles),
    }
    rows = np.stack([np.asarray(columns[name], dtype=np.float64) for name in FEATURES], axis=1)
    return np.clip(np.nan_to_num(rows), -LIMIT, LIMIT).astype(np.float32)


def _cheapest(loop: NDArray[np.int64], share: NDArray[np.float64], N: int) -> NDArray[np.float64]:
    found = np.full(N, NO_ACTION)
    np.minimum.at(found, loop, share)
    return found
