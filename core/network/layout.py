"""Where each hop and reserved attempt of an action sits, relative to the action's first slot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

from core.network.actions import DL_FIRST, GAP, INTERLEAVED, Actions
from core.network.arrays import Ints
from core.network.options import Options
from core.network.routes import Routes
from core.scenario import Scenario


@dataclass(frozen=True)
class Layout:
    """Reserved attempts of several actions in transmission order, E rows.

    Attributes:
        offsets: the q-th asked action owns rows offsets[q]:offsets[q+1].
        slot: first slot relative to the action's first, (E,) [slots].
        length: ς(n), (E,) [slots].
        direction: 0 uplink, 1 downlink, (E,).
        hop, attempt: counted from 0, (E,).
        tx, rx: nodes, (E,).
    """

    offsets: Ints
    slot: Ints
    length: Ints
    direction: Ints
    hop: Ints
    attempt: Ints
    tx: Ints
    rx: Ints


class _Leg(NamedTuple):
    """One direction of the asked actions.

    Attributes:
        path: nodes in travel order, (Q, 4).
        hops: number of hops, (Q,).
        attempts: reserved attempts of every hop, 1 + n_re, (Q,).
        length: slots of an attempt, ς(n), (Q,) [slots].
    """

    path: Ints
    hops: Ints
    attempts: Ints
    length: Ints

    @classmethod
    def of(cls, options: Options, routes: Routes, rows: Ints) -> _Leg:
        """Some rows of one direction's options, (Q,)."""
        hops, attempts = options.hops[rows], 1 + options.n_re[rows]
        return cls(routes.nodes[options.route[rows]], hops, attempts, options.slots[rows] // (hops * attempts))


@njit(cache=True, nogil=True)
def _layout(pattern: Ints, ul: _Leg, dl: _Leg, gap: int, out: Ints) -> None:
    """Fill the columns of `Layout`, (7, E)."""
    e, legs = 0, (ul, dl)
    for q in range(len(pattern)):
        at = 0
        longest = max(ul.hops[q], dl.hops[q])
        # Steps of the sequence: interleaved alternates hops; otherwise one direction ends before the other begins.
        for step in range(2 * longest):
            if pattern[q] == INTERLEAVED:
                direction, hop = step % 2, step // 2
            else:
                direction, hop = step // longest, step % longest
                if pattern[q] == DL_FIRST:
                    direction = 1 - direction
                if pattern[q] == GAP and step == longest:
                    at += gap
            leg = legs[direction]
            if hop >= leg.hops[q]:
                continue
            for attempt in range(leg.attempts[q]):
                out[0, e], out[1, e], out[2, e], out[3, e], out[4, e] = at, leg.length[q], direction, hop, attempt
                out[5, e], out[6, e] = leg.path[q, hop], leg.path[q, hop + 1]
                at += leg.length[q]
                e += 1


def slot_layouts(
    scenario: Scenario,
    actions: Actions,
    ul_options: Options,
    dl_options: Options,
    ul_routes: Routes,
    dl_routes: Routes,
    indices: Ints,
) -> Layout:
    """Relative slots of every reserved attempt of several actions, the σ_i of (eq:feasible-action-set).

    Args:
        scenario: processing gap.
        actions, ul_options, dl_options, ul_routes, dl_routes: the candidate set.
        indices: rows of `actions`, (Q,).
    """
    indices = np.asarray(indices, dtype=np.int64).reshape(-1)
    ul = _Leg.of(ul_options, ul_routes, actions.ul[indices])
    dl = _Leg.of(dl_options, dl_routes, actions.dl[indices])
    count = ul.hops * ul.attempts + dl.hops * dl.attempts
    offsets = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    out = np.empty((7, offsets[-1]), dtype=np.int64)
    _layout(actions.pattern[indices], ul, dl, scenario.network.processing_gap_slots, out)
    return Layout(offsets, *out)
