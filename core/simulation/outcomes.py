"""What a TDMA frame delivers: every hop and reserved attempt in slot order over the realised channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from core.allocation import Frame
from core.network import FadingTables, Topology, block_of, table_failure
from core.scenario import Scenario
from core.simulation import draws

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Outcomes:
    """Result of one frame, by loop.

    Args:
        first: first slot of each direction, −1 without service, (N, 2) [slots].
        end: slot after the attempt that delivered the direction end to end, −1 when it failed, (N, 2) [slots].
    """

    first: Ints
    end: Ints

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
    """The reserved attempts of a frame in transmission order, (E,) each; see `Frame`."""

    slot: Ints
    length: Ints
    loop: Ints
    direction: Ints
    hop: Ints
    attempt: Ints
    tx: Ints
    rx: Ints


@njit(cache=True, nogil=True)
def _play(
    sent: _Attempts,
    hops: Ints,
    n: Ints,
    snr_db: NDArray[np.float64],
    rayleigh: NDArray[np.bool_],
    tables: FadingTables,
    seed: int,
    cycle: int,
) -> tuple[Ints, Ints]:
    """First slot and end of every loop's two directions, as in `Outcomes`."""
    nodes = len(snr_db)
    first, end = np.full(hops.shape, -1), np.full(hops.shape, -1)
    reached = np.zeros(hops.shape, dtype=np.int64)  # hops the packet has behind it
    for e in range(len(sent.slot)):
        i, d, tx, rx = sent.loop[e], sent.direction[e], sent.tx[e], sent.rx[e]
        if first[i, d] < 0:
            first[i, d] = sent.slot[e]
        if reached[i, d] != sent.hop[e]:
            continue
        failure = table_failure(tables, block_of(tables, n[i, d]), d, rayleigh[tx, rx], snr_db[tx, rx])
        luck = draws.uniform(seed, draws.PACKET, cycle, 2 * i + d, tx * nodes + rx, sent.attempt[e])
        if luck >= failure:
            reached[i, d] += 1
            if reached[i, d] == hops[i, d]:
                end[i, d] = sent.slot[e] + sent.length[e]
    return first, end


def play_frame(
    scenario: Scenario, frame: Frame, hops: Ints, n: Ints, realised: Topology, seed: int, cycle: int
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
    sent = _Attempts(f.slot, f.length, f.loop, f.direction, f.hop, f.attempt, f.tx, f.rx)
    return Outcomes(*_play(sent, hops, n, realised.snr_db, realised.rayleigh, tables, seed, cycle))
