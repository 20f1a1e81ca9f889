"""The TDMA frame: chosen actions side by side, every hop and reserved attempt at its slot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import ScenarioError
from core.network import slot_layouts
from core.scenario import Scenario
from core.twin import Candidates

UPLINK, DOWNLINK = 0, 1


@dataclass(frozen=True, eq=False)
class Frame:
    """A packed frame of S slots, E reserved attempts in transmission order.

    Attributes:
        slots: S [slots].
        tau_slot_s: slot with its guard interval, τ_slot [s].
        guard_s: guard interval at the end of each slot [s].
        start: first slot of each loop's action, -1 = not served, shape (N,).
        slot: first slot of each attempt, shape (E,).
        length: slots of each attempt, shape (E,).
        loop: loop of each attempt, shape (E,).
        direction: 0 uplink, 1 downlink, shape (E,).
        hop, attempt: counted from 0, shape (E,).
        tx, rx: sending and receiving node (0 = GCS, i+1 = UAV i), shape (E,).
    """

    slots: int
    tau_slot_s: float
    guard_s: float
    start: NDArray[np.int64]
    slot: NDArray[np.int64]
    length: NDArray[np.int64]
    loop: NDArray[np.int64]
    direction: NDArray[np.int64]
    hop: NDArray[np.int64]
    attempt: NDArray[np.int64]
    tx: NDArray[np.int64]
    rx: NDArray[np.int64]

    @property
    def begin_s(self) -> NDArray[np.float64]:
        """When each attempt begins, from the start of the frame, shape (E,) [s]."""
        return np.asarray(self.slot * self.tau_slot_s, dtype=np.float64)

    @property
    def end_s(self) -> NDArray[np.float64]:
        """When each attempt has been received, its last guard interval left out, shape (E,) [s]."""
        return np.asarray((self.slot + self.length) * self.tau_slot_s - self.guard_s, dtype=np.float64)


def frame_starts(slots: NDArray[np.int64], order: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """First slot of each loop when the served loops follow each other without gaps.

    Args:
        slots: slots of each loop, 0 = not served, shape (N,).
        order: loops in the order in which they are sent, shape (N,); loop order when None.

    Returns:
        First slot, -1 = not served, shape (N,).
    """
    slots = np.asarray(slots, dtype=np.int64)
    sequence = np.arange(slots.size) if order is None else np.asarray(order, dtype=np.int64)
    starts = np.empty(slots.size, dtype=np.int64)
    taken = slots[sequence]
    starts[sequence] = np.cumsum(taken) - taken
    starts[slots == 0] = -1
    return starts


def pack_frame(
    scenario: Scenario,
    candidates: Candidates,
    choice: NDArray[np.int64],
    *,
    order: NDArray[np.int64] | None = None,
) -> Frame:
    """Pack the chosen actions contiguously and deterministically (Section II-B).

    An action occupies as many slots in a row as it costs, so any choice within the budget fits, and its own order of
    hops and directions, and with it D_ul, D_dl and τ_opp, stays as certified.

    Args:
        scenario: S, slot and guard durations.
        candidates: the actions of all loops.
        choice: row of `candidates` that each loop sends, -1 = none, shape (N,).
        order: loops in the order in which they are sent, shape (N,); loop order when None.

    Raises:
        ScenarioError: the choice needs more than S slots.
    """
    choice = np.asarray(choice, dtype=np.int64)
    served = choice >= 0
    cost = np.zeros(choice.size, dtype=np.int64)
    cost[served] = candidates.slots[choice[served]]
    S = scenario.network.slots
    if cost.sum() > S:
        raise ScenarioError(
            f"The chosen actions need {cost.sum()} slots, but the frame has {S}; choose cheaper ones or raise network.slots."
        )
    start = frame_starts(cost, order)
    loops = np.flatnonzero(served)
    loops = loops[np.argsort(start[loops])]
    q = candidates
    layout = slot_layouts(scenario, q.actions, q.ul_options, q.dl_options, q.ul_routes, q.dl_routes, choice[loops])
    loop = np.repeat(loops, np.diff(layout.offsets))
    return Frame(
        slots=S,
        tau_slot_s=scenario.network.tau_slot_s,
        guard_s=scenario.network.guard_ms * 1e-3,
        start=start,
        slot=start[loop] + layout.slot,
        length=layout.length,
        loop=loop,
        direction=layout.direction,
        hop=layout.hop,
        attempt=layout.attempt,
        tx=layout.tx,
        rx=layout.rx,
    )
