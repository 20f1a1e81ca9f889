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


class SlotUse(NamedTuple):
    """One reserved attempt: `length` slots from `slot` on, counted from the action's first slot."""

    slot: int
    length: int
    direction: str
    hop: int
    attempt: int
    tx: int
    rx: int


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


@njit(cache=True, nogil=True)
def _place(out: Ints, e: int, at: int, length: int, direction: int, hop: int, attempts: int, path: Ints) -> int:
    for a in range(attempts):
        out[0, e + a], out[1, e + a], out[2, e + a] = at + a * length, length, direction
        out[3, e + a], out[4, e + a] = hop, a
        out[5, e + a], out[6, e + a] = path[hop], path[hop + 1]
    return attempts


@njit(cache=True, nogil=True)
def _layout(
    pattern: Ints,
    paths_ul: Ints,
    hops_ul: Ints,
    attempts_ul: Ints,
    length_ul: Ints,
    paths_dl: Ints,
    hops_dl: Ints,
    attempts_dl: Ints,
    length_dl: Ints,
    gap: int,
    out: Ints,
) -> None:
    e = 0
    for q in range(len(pattern)):
        at = 0
        longest = max(hops_ul[q], hops_dl[q])
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
            if direction == 0 and hop < hops_ul[q]:
                e += _place(out, e, at, length_ul[q], 0, hop, attempts_ul[q], paths_ul[q])
                at += length_ul[q] * attempts_ul[q]
            elif direction == 1 and hop < hops_dl[q]:
                e += _place(out, e, at, length_dl[q], 1, hop, attempts_dl[q], paths_dl[q])
                at += length_dl[q] * attempts_dl[q]


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
    u, d = actions.ul[indices], actions.dl[indices]
    hops_ul, attempts_ul = ul_options.hops[u], 1 + ul_options.n_re[u]
    hops_dl, attempts_dl = dl_options.hops[d], 1 + dl_options.n_re[d]
    offsets = np.concatenate([[0], np.cumsum(hops_ul * attempts_ul + hops_dl * attempts_dl)]).astype(np.int64)
    out = np.empty((7, offsets[-1]), dtype=np.int64)
    _layout(
        actions.pattern[indices],
        ul_routes.nodes[ul_options.route[u]],
        hops_ul,
        attempts_ul,
        ul_options.slots[u] // (hops_ul * attempts_ul),
        dl_routes.nodes[dl_options.route[d]],
        hops_dl,
        attempts_dl,
        dl_options.slots[d] // (hops_dl * attempts_dl),
        scenario.network.processing_gap_slots,
        out,
    )
    return Layout(offsets, *out)


def slot_layout(
    scenario: Scenario,
    actions: Actions,
    ul_options: Options,
    dl_options: Options,
    ul_routes: Routes,
    dl_routes: Routes,
    index: int,
) -> list[SlotUse]:
    """`slot_layouts` of one action as a list, for drawing and explaining."""
    layout = slot_layouts(
        scenario, actions, ul_options, dl_options, ul_routes, dl_routes, np.array([index], dtype=np.int64)
    )
    columns = (layout.slot, layout.length, layout.direction, layout.hop, layout.attempt, layout.tx, layout.rx)
    return [
        SlotUse(s, n, "dl" if direction else "ul", hop, attempt, tx, rx)
        for s, n, direction, hop, attempt, tx, rx in zip(*(c.tolist() for c in columns), strict=True)
    ]
