"""What a TDMA frame delivers: every hop and reserved attempt in slot order over the realised channel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from core.allocation import Frame
from core.network import FadingTables, Topology, table_failure
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


@njit(cache=True, nogil=True)
def _play(
    slot: Ints,
    length: Ints,
    loop: Ints,
    direction: Ints,
    hop: Ints,
    attempt: Ints,
    tx: Ints,
    rx: Ints,
    hops: Ints,
    block: Ints,
    snr_db: NDArray[np.float64],
    rayleigh: NDArray[np.bool_],
    tables: NDArray[np.float64],
    start_db: float,
    step_db: float,
    seed: int,
    cycle: int,
    first: Ints,
    end: Ints,
) -> None:
    nodes = len(snr_db)
    reached = np.zeros(hops.shape, dtype=np.int64)  # hops the packet has behind it
    for e in range(len(slot)):
        i, d = loop[e], direction[e]
        if first[i, d] < 0:
            first[i, d] = slot[e]
        if reached[i, d] != hop[e]:
            continue
        row = tables[block[i, d], d, 1 if rayleigh[tx[e], rx[e]] else 0]
        failure = table_failure(row, start_db, step_db, snr_db[tx[e], rx[e]])
        luck = draws.uniform(seed, draws.PACKET, cycle, 2 * i + d, tx[e] * nodes + rx[e], attempt[e])
        if luck >= failure:
            reached[i, d] += 1
            if reached[i, d] == hops[i, d]:
                end[i, d] = slot[e] + length[e]


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
    by_length = np.argsort(tables.blocklengths)
    block = by_length[np.searchsorted(tables.blocklengths[by_length], n)]
    first = np.full(hops.shape, -1, dtype=np.int64)
    end = np.full(hops.shape, -1, dtype=np.int64)
    _play(
        frame.slot,
        frame.length,
        frame.loop,
        frame.direction,
        frame.hop,
        frame.attempt,
        frame.tx,
        frame.rx,
        hops,
        block,
        realised.snr_db,
        realised.rayleigh,
        tables.failure,
        tables.start_db,
        tables.step_db,
        seed,
        cycle,
        first,
        end,
    )
    return Outcomes(first, end)
