"""What the scene shows, as plain arrays: what stands still, one cycle of a flight, and where one UAV is headed."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.instant import Flight, Focus
from core.network import all_boxes

SWARM = ("position", "estimate", "reference")
"""Three columns each of the swarm's array, in this order."""
ATTEMPTS = ("slot", "length", "loop", "direction", "hop", "attempt", "tx", "rx", "fate")
"""Columns of the array of attempts."""


def still(flight: Flight) -> dict[str, Any]:
    """What does not move.

    Returns:
        buildings: lower and upper corner of every box, six numbers each [m]; gcs: ground station [m]; low, high: corners
        of the box that the references of the mission fill [m].
    """
    places = flight.trace.positions
    return {
        "buildings": all_boxes(flight.scenario).tolist(),
        "gcs": [float(x) for x in flight.scenario.network.gcs],
        "low": places.min(axis=(0, 1)).tolist(),
        "high": places.max(axis=(0, 1)).tolist(),
    }


def moving(flight: Flight, k: int) -> dict[str, Any]:
    """The swarm at the start of cycle k, and the frame of that cycle; the cycle must be over.

    Returns:
        flight: what it is a cycle of; cycle, slots; swarm: (N, 9), columns as in SWARM [m]; modes: core.allocation.Mode,
        (N,); attempts: (E, 9), columns as in ATTEMPTS.
    """
    k = flight.at(k)
    frame, history = flight.frame(k), flight.history()
    places = (flight.positions(k), flight.estimates(k), flight.trace.positions[k])
    return {
        "flight": f"{flight.key.policy.name} {flight.key.seed}",
        "cycle": k,
        "slots": frame.slots,
        "swarm": np.concatenate(places, axis=1).astype(np.float32),
        "modes": history.mode[k].astype(np.int8),
        "attempts": np.stack([getattr(frame, name) for name in ATTEMPTS], axis=1).astype(np.int16),
    }


def ahead(focus: Focus) -> dict[str, Any]:
    """Where the UAV in focus is headed, as the twin sees it (D23).

    Returns:
        uav: counted from 1; cycle: now; cycles: L; references, without, served: (L+1, 3) [m], the command arriving at the end of the
        frame; off: distance from the reference after L cycles without and with it [m]; onboard: who flies meanwhile.
    """
    found = focus.paths
    ways = {"references": found.references, "without": found.without, "served": found.at_end}
    return {
        "uav": focus.uav,
        "cycle": focus.instant.cycle,
        "cycles": found.cycles,
        "off": [float(found.off(way)[-1]) for way in (found.without, found.at_end)],
        "onboard": found.onboard,
        **{name: way.astype(np.float32) for name, way in ways.items()},
    }
