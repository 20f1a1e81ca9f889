"""Communication actions: uplink option × downlink option × slot pattern."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

from core.errors import ScenarioError
from core.network.arrays import Bools, Floats, Ints
from core.network.options import Options, deadline_slots
from core.scenario import SLOT_PATTERNS, Scenario
from core.wanted import pieces

UL_FIRST, DL_FIRST, INTERLEAVED, GAP = range(len(SLOT_PATTERNS))
"""Pattern codes: positions in SLOT_PATTERNS.

ul-first: all uplink hops, then all downlink hops. dl-first: the reverse. interleaved: hop 1 of the uplink, hop 1 of
the downlink, hop 2 of the uplink, …; the longer route ends alone. gap: ul-first with idle slots between the directions.
A hop always occupies its (1+n_re) reserved attempts in a row.
"""


MOST_ACTIONS = 4_000_000
"""Actions that all loops may have together: a second of work and a gigabyte of memory.

The default network offers 1,000 UAVs 119,000 of them, 1.2 million without pruning."""
_AT_ONCE = 400_000
"""Actions formed before somebody asks whether they are still wanted: some hundredths of a second."""


@dataclass(frozen=True)
class Actions:
    """The feasible actions Π_i of (eq:feasible-action-set), M rows over all loops; ul-first rows of a loop come first.

    Attributes:
        loop: loop of each row, (M,).
        offsets: loop i owns rows offsets[i]:offsets[i+1], (N+1,).
        ul, dl: rows of the uplink and downlink Options, (M,).
        pattern: index into SLOT_PATTERNS, (M,).
        slots: cost s(π), idle gap included, (M,) [slots].
        span_ul, span_dl: ℓ^χ, first to last slot of the direction, (M,) [slots].
        tau_opp_s: opportunity spacing τ_opp (eq:opportunity-spacing), (M,) [s].
    """

    loop: Ints
    offsets: Ints
    ul: Ints
    dl: Ints
    pattern: Ints
    slots: Ints
    span_ul: Ints
    span_dl: Ints
    tau_opp_s: Floats

    def take(self, rows: Bools) -> Actions:
        """The rows of a mask only."""
        before = np.concatenate([[0], np.cumsum(rows)])
        names = ("loop", "ul", "dl", "pattern", "slots", "span_ul", "span_dl", "tau_opp_s")
        return Actions(offsets=before[self.offsets], **{name: getattr(self, name)[rows] for name in names})


@njit(cache=True, nogil=True)
def spans(pattern: int, hops_ul: int, slots_ul: int, hops_dl: int, slots_dl: int, gap: int) -> tuple[int, int, int]:
    """Cost and the two spans of one action [slots].

    Interleaving stretches a direction by the other's hops that fall between its first and last hop: min(L_ul−1, L_dl)
    downlink hops within the uplink, min(L_ul, L_dl) − 1 uplink hops within the downlink.
    """
    if pattern == INTERLEAVED:
        within_ul = min(hops_ul - 1, hops_dl) * (slots_dl // hops_dl)
        within_dl = (min(hops_ul, hops_dl) - 1) * (slots_ul // hops_ul)
        return slots_ul + slots_dl, slots_ul + within_ul, slots_dl + within_dl
    idle = gap if pattern == GAP else 0
    return slots_ul + slots_dl + idle, slots_ul, slots_dl


class _Side(NamedTuple):
    """What the product needs of one direction's Options."""

    offsets: Ints
    hops: Ints
    slots: Ints


class _Limits(NamedTuple):
    """Idle slots between the directions, slots of the frame, longest span of a direction [slots]."""

    gap: int
    frame: int
    deadline: int


@njit(cache=True, nogil=True)
def _combine(
    first: int, last: int, ul: _Side, dl: _Side, patterns: Ints, limits: _Limits, offsets: Ints, out: Ints
) -> None:
    """Write the feasible actions of loops first … last − 1 after those of the loops before, and their offsets."""
    m = offsets[first]
    for i in range(first, last):
        for p in patterns:
            for u in range(ul.offsets[i], ul.offsets[i + 1]):
                for d in range(dl.offsets[i], dl.offsets[i + 1]):
                    s, a, b = spans(p, ul.hops[u], ul.slots[u], dl.hops[d], dl.slots[d], limits.gap)
                    if s > limits.frame or a > limits.deadline or b > limits.deadline:
                        continue
                    out[0, m], out[1, m], out[2, m], out[3, m] = i, u, d, p
                    out[4, m], out[5, m], out[6, m] = s, a, b
                    m += 1
        offsets[i + 1] = m


def _too_many(scenario: Scenario, count: int, loops_by_done: float) -> str:
    net = scenario.network
    way = "switch allocation.directional_pruning on, or "
    if scenario.allocation.directional_pruning:
        way = "leave formulation 'paper', or " if scenario.formulation == "paper" else ""
    return (
        f"The swarm would have about {count * loops_by_done / 1e6:.0f} million actions to choose from, and at most "
        f"{MOST_ACTIONS / 1e6:.0f} million can be looked at: {way}offer fewer of the {len(net.blocklengths)} network.blocklengths, "
        f"{len(net.retransmissions)} network.retransmissions and {net.routes_per_direction} network.routes_per_direction, or lower "
        f"mission.uavs = {scenario.mission.uavs}."
    )


def combine(scenario: Scenario, ul: Options, dl: Options, patterns: Sequence[str], frame: int | None = None) -> Actions:
    """Form the product of (eq:feasible-action-set), keeping what fits the frame (s ≤ S) and both deadlines.

    Args:
        scenario: frame, deadline, processing gap.
        ul, dl: options of each direction, same loops.
        patterns: names out of SLOT_PATTERNS, in the order in which a loop lists them.
        frame: S; the scenario's when None [slots].

    Returns:
        Actions ordered by loop, then pattern, uplink option, downlink option.
    """
    net = scenario.network
    codes = np.array([SLOT_PATTERNS.index(p) for p in patterns], dtype=np.int64)
    limits = _Limits(net.processing_gap_slots, net.slots if frame is None else frame, deadline_slots(scenario))
    offsets = np.zeros(len(ul.offsets), dtype=np.int64)
    product = len(codes) * int((ul.offsets[1:] - ul.offsets[:-1]) @ (dl.offsets[1:] - dl.offsets[:-1]))
    # memory beyond the feasible rows is never touched; beyond the most, there is room for the loops of one piece
    largest = len(codes) * int(np.max(np.diff(ul.offsets) * np.diff(dl.offsets), initial=0))
    loops = len(offsets) - 1
    at_once = max(_AT_ONCE // max(largest, 1), 1)
    out = np.empty((7, min(product, MOST_ACTIONS + at_once * largest)), dtype=np.int64)
    sides = _Side(ul.offsets, ul.hops, ul.slots), _Side(dl.offsets, dl.hops, dl.slots)
    for some in pieces(loops, at_once):
        _combine(some.start, some.stop, *sides, codes, limits, offsets, out)
        if offsets[some.stop] > MOST_ACTIONS:
            raise ScenarioError(_too_many(scenario, int(offsets[some.stop]), loops / some.stop))
    count = int(offsets[-1])
    loop, u, d, pattern, slots, span_ul, span_dl = out[:, :count]
    # Every pattern begins at the action's first slot and ends at its last: the opportunity is as long as the cost.
    return Actions(loop, offsets, u, d, pattern, slots, span_ul, span_dl, slots * net.tau_slot_s)
