"""What a TDMA frame delivers: every hop and reserved attempt in slot order over the realised channel."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from core.allocation import Frame
from core.network import FadingTables, block_of, table_failure
from core.scenario import Scenario
from core.simulation import draws
from core.simulation.replay import AnyLinks

Ints = NDArray[np.int64]


class Fate(IntEnum):
    """What became of one reserved attempt."""

    ARRIVED = 0
    LOST = 1
    NOT_NEEDED = 2
    NOTHING_TO_SEND = 3

    @property
    def sentence(self) -> str:
        """The fate in words."""
        return _FATES[self]


_FATES = {
    Fate.ARRIVED: "Sent, and received.",
    Fate.LOST: "Sent, and lost.",
    Fate.NOT_NEEDED: "Not needed: an earlier attempt got through.",
    Fate.NOTHING_TO_SEND: "Silent: the packet never reached this hop.",
}
_ARRIVED, _LOST, _NOT_NEEDED, _NOTHING = (np.int8(fate) for fate in Fate)  # plain numbers for the kernel


@dataclass(frozen=True)
class Outcomes:
    """Result of one frame, by loop and by reserved attempt.

    Args:
        first: first slot of each direction, −1 without service, (N, 2) [slots].
        end: slot after the attempt that delivered the direction end to end, −1 when it failed, (N, 2) [slots].
        fate: Fate of each attempt of the frame, (E,).
    """

    first: Ints
    end: Ints
    fate: NDArray[np.int8]

    @property
    def uplink(self) -> NDArray[np.bool_]:
        """Whose telemetry arrived, (N,)."""
        return self.end[:, 0] >= 0

    @property
    def downlink(self) -> NDArray[np.bool_]:
        """Whose command arrived, (N,)."""
        return self.end[:, 1] >= 0

    @property
    def fresh(self) -> NDArray[np.bool_]:
        """Whose telemetry arrived before the downlink began, so that this frame's command uses it, (N,)."""
        return self.uplink & (self.end[:, 0] <= self.first[:, 1])


class _Attempts(NamedTuple):
    """The reserved attempts of a frame in transmission order, (E,) each; see `Frame`, and the link each goes over."""

    slot: Ints
    length: Ints
    loop: Ints
    direction: Ints
    hop: Ints
    attempt: Ints
    tx: Ints
    rx: Ints
    snr_db: NDArray[np.float64]
    rayleigh: NDArray[np.bool_]


@njit(cache=True, nogil=True)
def _play(
    sent: _Attempts,
    hops: Ints,
    n: Ints,
    nodes: int,
    tables: FadingTables,
    seed: int,
    cycle: int,
) -> tuple[Ints, Ints, NDArray[np.int8]]:
    """First slot and end of every loop's two directions and the fate of every attempt, as in `Outcomes`."""
    first, end = np.full(hops.shape, -1), np.full(hops.shape, -1)
    fate = np.empty(len(sent.slot), dtype=np.int8)
    reached = np.zeros(hops.shape, dtype=np.int64)  # hops the packet has behind it
    for e in range(len(sent.slot)):
        i, d, tx, rx = sent.loop[e], sent.direction[e], sent.tx[e], sent.rx[e]
        if first[i, d] < 0:
            first[i, d] = sent.slot[e]
        if reached[i, d] != sent.hop[e]:
            fate[e] = _NOT_NEEDED if reached[i, d] > sent.hop[e] else _NOTHING
            continue
        failure = table_failure(tables, block_of(tables, n[i, d]), d, sent.rayleigh[e], sent.snr_db[e])
        luck = draws.uniform(seed, draws.PACKET, cycle, 2 * i + d, tx * nodes + rx, sent.attempt[e])
        fate[e] = _ARRIVED if luck >= failure else _LOST
        if luck >= failure:
            reached[i, d] += 1
            if reached[i, d] == hops[i, d]:
                end[i, d] = sent.slot[e] + sent.length[e]
    return first, end, fate


def play_frame(
    scenario: Scenario,
    frame: Frame,
    hops: Ints,
    n: Ints,
    realised: AnyLinks,
    seed: int,
    cycle: int,
) -> Outcomes:
    """Send every reserved attempt that is still needed and report who was reached when.

    An attempt over a hop fails with the fading-averaged packet error at the realised mean SNR (D16); a hop starts once
    the packet has arrived at its transmitter. Luck is keyed by (seed, cycle, loop, direction, link, attempt), so the
    same attempt succeeds or fails alike under every policy.

    Args:
        scenario: fading tables.
        frame: reserved attempts in transmission order.
        hops: hops of each loop's two routes, 0 without service, (N, 2).
        n: blocklength of each loop's two directions, any on offer without service, (N, 2) [complex symbols].
        realised: links at the true positions with shadowing.
        seed, cycle: key of the draws.
    """
    tables = FadingTables.of(scenario)
    f = frame
    sent = _Attempts(f.slot, f.length, f.loop, f.direction, f.hop, f.attempt, f.tx, f.rx, *realised.some(f.tx, f.rx))
    return Outcomes(*_play(sent, hops, n, realised.size, tables, seed, cycle))
