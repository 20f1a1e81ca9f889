"""The TDMA frame as blocks: the attempts of the allocation, and one block per loop where several frames are stacked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.allocation import Frame
from core.instant import Focus, PolicyFrame
from core.style import FOCUS, MODE_COLOUR, NEUTRAL

ATTEMPT = ("left", "right", "bottom", "top", "colour", "alpha", "uav", "what", "slot")
BLOCK = ("left", "right", "bottom", "top", "colour", "uav", "slots", "U", "what")
LABEL = ("x", "y", "text")
SYNCHRONISATION = MODE_COLOUR[1]
PALE = 0.4
"""Opacity of an attempt that is only reserved for a retransmission."""
CHARACTERS = 0.011
"""Share of the frame that one character of a label takes where the plot is narrowest."""


def colours(loops: NDArray[np.int64], synchronisation: NDArray[np.bool_], focused: int) -> list[str]:
    """Colour of each block: the UAV in focus, those sent without a certificate, the others in turn.

    Args:
        loops: loop of each block, in the order of the frame.
        synchronisation: whether each loop is sent without a certificate, shape (N,).
        focused: the loop in focus.
    """
    turn = {loop: i for i, loop in enumerate(dict.fromkeys(loops.tolist()))}
    return [
        FOCUS if loop == focused else SYNCHRONISATION if synchronisation[loop] else NEUTRAL[turn[loop] % len(NEUTRAL)]
        for loop in loops.tolist()
    ]


def attempts(focus: Focus) -> dict[str, Any]:
    """Every reserved attempt of the frame at its slot, uplink above downlink."""
    f = focus.instant.frame
    up = f.direction == 0
    fields = zip(*(getattr(f, n).tolist() for n in ("direction", "hop", "attempt", "tx", "rx")), strict=True)
    return {
        "left": f.slot.astype(np.int32),
        "right": (f.slot + f.length).astype(np.int32),
        "bottom": np.where(up, 1.0, 0.0).astype(np.float32),
        "top": np.where(up, 2.0, 1.0).astype(np.float32),
        "colour": colours(f.loop, focus.allocation.synchronisation, focus.loop),
        "alpha": np.where(f.attempt == 0, 1.0, PALE).astype(np.float32),
        "uav": (f.loop + 1).astype(np.int32),
        "what": [
            f"{'uplink' if d == 0 else 'downlink'} hop {h + 1}, {'first attempt' if a == 0 else f'reserved attempt {a + 1}'}, "
            f"{_node(t)} → {_node(r)}"
            for d, h, a, t, r in fields
        ],
        "slot": [
            f"{s + 1}–{s + n}" if n > 1 else f"{s + 1}" for s, n in zip(f.slot.tolist(), f.length.tolist(), strict=True)
        ],
    }


def labels(frame: Frame, slots: NDArray[np.int64], y: float) -> dict[str, Any]:
    """The number of each served UAV over the middle of its slots, where it has room."""
    shown = [i for i in np.flatnonzero(slots).tolist() if slots[i] >= len(str(i + 1)) * CHARACTERS * frame.slots]
    return {
        "x": [float(frame.start[i] + slots[i] / 2) for i in shown],
        "y": [y] * len(shown),
        "text": [str(i + 1) for i in shown],
    }


def before_blocks(before: Focus | None, bottom: float, top: float) -> dict[str, Any]:
    """The frame before the last move, one block per loop."""
    if before is None:
        return {name: [] for name in ("left", "right", "bottom", "top", "uav")}
    slots, start = before.allocation.slots, before.instant.frame.start
    served = np.flatnonzero(slots)
    return {
        "left": start[served].astype(np.int32),
        "right": (start + slots)[served].astype(np.int32),
        "bottom": [bottom] * len(served),
        "top": [top] * len(served),
        "uav": (served + 1).astype(np.int32),
    }


def stacked(found: Sequence[PolicyFrame], focus: Focus) -> dict[str, Any]:
    """One row of blocks per policy, the first on top, with the numbers of the UAVs."""
    blocks: dict[str, list[Any]] = {name: [] for name in BLOCK}
    names: dict[str, list[Any]] = {name: [] for name in LABEL}
    unit = focus.model.V_max
    for row, policy in enumerate(found):
        y, slots, start = len(found) - 1.0 - row, policy.slots, policy.frame.start
        served = np.flatnonzero(slots)
        served = served[np.argsort(start[served])]
        blocks["left"] += start[served].tolist()
        blocks["right"] += (start + slots)[served].tolist()
        blocks["bottom"] += [y + 0.12] * len(served)
        blocks["top"] += [y + 0.88] * len(served)
        blocks["colour"] += colours(served, policy.uncertified, focus.loop)
        blocks["uav"] += (served + 1).tolist()
        blocks["slots"] += slots[served].tolist()
        blocks["U"] += (policy.U[served] / unit).tolist()
        blocks["what"] += [
            f"{policy.policy}, without a certificate" if policy.uncertified[i] else policy.policy for i in served
        ]
        for name, values in labels(policy.frame, slots, y + 0.5).items():
            names[name] += values
    return {"blocks": blocks, "names": names}


def _node(node: int) -> str:
    return "GCS" if node == 0 else f"UAV {node}"
