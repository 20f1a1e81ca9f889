"""Every action of one loop, judged by the allocation of all loops."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.allocation import VERDICTS, Allocation, Appraisal, Explanation, Others, appraise, explain
from core.instant.action import Action
from core.lazy import cached_property
from core.network import Options, Routes
from core.scenario import SLOT_PATTERNS
from core.twin import Candidates, Exchange
from core.twin.exchange import path, route_name, side_key

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ALIKE = 0.005
"""Candidates whose ρ differ by less are drawn as one dot (frontier points never share one)."""


@dataclass(frozen=True, eq=False)
class Offer:
    """The whole set of one loop, K rows: unpruned, every pattern.

    Every verdict, loss and rival is that of the one allocation of all loops.

    Args:
        allocation: of all loops.
        loop: counted from 0.
        whole: its candidates, no others.
    """

    allocation: Allocation
    loop: int
    whole: Candidates

    @cached_property
    def appraisal(self) -> Appraisal:
        """Admission, Φ and U of every row."""
        return appraise(self.allocation, self.whole)

    @cached_property
    def others(self) -> Others:
        """P2 without the loop."""
        return Others.of(self.allocation, self.loop)

    @cached_property
    def rows(self) -> Ints:
        """Row of the whole set of each candidate that the allocator searches, shape (searched,)."""
        q, whole = self.allocation.candidates, self.whole
        own = self.allocation.rows_of(self.loop)
        sides = []
        for options, kept, at in (
            (whole.ul_options, q.ul_options, q.actions.ul[own]),
            (whole.dl_options, q.dl_options, q.actions.dl[own]),
        ):
            codes = _codes(options)
            order = np.argsort(codes)  # blocklengths stand in the scenario's order
            sides.append(order[np.searchsorted(codes[order], _codes(kept)[at])])
        # the rows are ordered by pattern (as offered), uplink option, downlink option
        offered = self.allocation.scenario.network.patterns
        place = np.array([offered.index(name) if name in offered else -1 for name in SLOT_PATTERNS])
        mine = _joined(place[q.actions.pattern[own]], sides[0], sides[1], whole)
        theirs = _joined(place[whole.actions.pattern], whole.actions.ul, whole.actions.dl, whole)
        return np.searchsorted(theirs, mine)

    @cached_property
    def searched(self) -> Ints:
        """Row of the allocation's candidates of each action, −1 = one that the allocator does not search, shape (K,)."""
        found = np.full(len(self.whole.slots), -1, dtype=np.int64)
        found[self.rows] = int(self.allocation.candidates.offsets[self.loop]) + np.arange(len(self.rows))
        return found

    @cached_property
    def frontier(self) -> Bools:
        """Whether an action is on the loop's certified supply frontier, shape (K,)."""
        found = np.zeros(len(self.whole.slots), dtype=np.bool_)
        found[self.rows] = self.allocation.frontier_of(self.loop)
        return found

    @cached_property
    def verdict(self) -> NDArray[np.int8]:
        """What became of each action, position in VERDICTS, shape (K,)."""
        found = self.appraisal.standing
        found[self.rows] = self.allocation.verdicts_of(self.loop)
        return found

    @cached_property
    def loss(self) -> Floats:
        """How much the total falls when an action is imposed on the loop, shape (K,) [m²]; see `core.allocation.Others`."""
        return self.others.loss(self.appraisal.U, self.whole.slots)

    @cached_property
    def chosen(self) -> int:
        """Row of the action that the allocator sends, −1 = none."""
        row = int(self.allocation.choice[self.loop])
        return int(self.rows[row - int(self.allocation.candidates.offsets[self.loop])]) if row >= 0 else -1

    def row_of(self, exchange: Exchange | None) -> int:
        """Row of an action, −1 when it is not on offer."""
        return -1 if exchange is None else exchange.row_in(self.whole)

    @cached_property
    def nearest(self) -> int:
        """Row of the action that would cost least to impose, −1 = none at all.

        Among those on the frontier that fit; else the certified one with the largest value per slot, else any.
        """
        c = self.whole
        if len(c.slots) == 0:
            return -1
        loss = np.where(self.frontier, self.loss, np.inf)
        if np.isfinite(loss).any():
            return int(np.lexsort((c.slots, loss))[0])
        worth = np.where(c.certified, self.appraisal.U / np.maximum(c.slots, 1), -np.inf)
        return int(np.lexsort((-c.rho_ul * c.rho_dl, -worth, ~self.frontier, ~c.certified))[0])

    def action(self, row: int) -> Action:
        """One row."""
        c, terms = self.whole, self.appraisal.admission.terms
        numbers: dict[str, Any] = {
            name: getattr(source, name)[row].item()
            for source, names in (
                (c, ("slots", "rho_ul", "rho_dl", "mu1", "p11", "g", "T_cert", "D_ul", "D_dl", "h_ul", "h_dl")),
                (c, ("beyond_horizon", "certified")),
                (terms, ("alpha_bar", "c_star", "phi", "v_term", "sigma_term")),
                (self.appraisal, ("U", "admitted")),
            )
            for name in names
        }
        U, slots = numbers["U"], numbers["slots"]
        return Action(
            row=row,
            exchange=Exchange.of(c, row),
            noise_term=float(terms.noise_term),
            loss=float(self.others.loss(U, slots)),
            frontier=bool(self.frontier[row]),
            searched=bool(self.searched[row] >= 0),
            chosen=row == self.chosen,
            verdict=VERDICTS[int(self.verdict[row])],
            **numbers,
        )

    def explain(self, row: int) -> Explanation:
        """Why one action was or was not used, from the allocation of all loops."""
        return explain(self.allocation, row, self.appraisal, VERDICTS[int(self.verdict[row])], self.others)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many actions survive each stage."""
        return {
            "candidates": len(self.whole.slots),
            "certified": int(self.whole.certified.sum()),
            "admitted": int(self.appraisal.admitted.sum()),
            "frontier": int(self.frontier.sum()),
            "searched": len(self.rows),
        }

    @cached_property
    def distinct(self) -> dict[str, Any]:
        """Columns of the actions, one row for those with equal cost, g, ρ and drift; `many` counts them, `row` is the one shown."""
        c, a = self.whole, self.appraisal
        first = np.argsort(~self.frontier, kind="stable")
        apart = np.where(self.frontier, np.arange(1, len(c.slots) + 1), 0)
        # one whole number per row: slots, g, both ρ, admission, and a number of its own for every frontier point
        code = np.zeros(len(c.slots), dtype=np.int64)
        for part, size in (
            (c.slots, 1000),
            (np.minimum(c.g, 999), 1000),
            (np.round(c.rho_ul / ALIKE), 256),
            (np.round(c.rho_dl / ALIKE), 256),
            (a.admitted, 2),
            (apart, len(c.slots) + 1),
        ):
            code = code * size + part.astype(np.int64)
        _, index, many = np.unique(code[first], return_index=True, return_counts=True)
        keep = first[index]
        names = ("slots", "g", "rho_ul", "rho_dl", "T_cert", "D_ul", "D_dl", "certified")
        columns: dict[str, Any] = {"row": keep} | {n: getattr(c, n)[keep] for n in names}
        columns |= {"phi": a.admission.terms.phi[keep], "U": a.U[keep], "loss": self.loss[keep]}
        columns |= {"admitted": a.admitted[keep], "frontier": self.frontier[keep], "verdict": self.verdict[keep]}
        (up, _, _), (down, _, _) = self._options
        key = up[c.actions.ul[keep]] + "_" + down[c.actions.dl[keep]] + _PATTERN_KEYS[c.actions.pattern[keep]]
        return columns | {"many": many, "key": key}

    @cached_property
    def spelled(self) -> dict[str, NDArray[Any]]:
        """Route and coding of the distinct actions, in words."""
        actions, rows = self.whole.actions, self.distinct["row"]
        u, d, pattern = actions.ul[rows], actions.dl[rows], actions.pattern[rows]
        (_, ul_route, ul_coding), (_, dl_route, dl_coding) = self._options
        return {
            "route": ul_route[u] + " " + dl_route[d],
            "coding": ul_coding[u] + " " + dl_coding[d] + _PATTERN_NAMES[pattern],
        }

    @property
    def _options(self) -> tuple[tuple[NDArray[Any], ...], tuple[NDArray[Any], ...]]:
        c = self.whole
        return _texts(c.ul_options, c.ul_routes, "↑"), _texts(c.dl_options, c.dl_routes, "↓")


def _codes(options: Options) -> Ints:
    """One number per option: route, blocklength, retransmissions."""
    code: Ints = (options.route * 32768 + options.n) * 16 + options.n_re
    return code


def _joined(pattern: Ints, ul: Ints, dl: Ints, whole: Candidates) -> Ints:
    code: Ints = (pattern * (len(whole.ul_options.n) + 1) + ul) * (len(whole.dl_options.n) + 1) + dl
    return code


_PATTERN_KEYS = np.array([f"_{name}" for name in SLOT_PATTERNS], dtype=object)
_PATTERN_NAMES = np.array([f" {name}" for name in SLOT_PATTERNS], dtype=object)


@functools.lru_cache(maxsize=64)
def _texts(options: Options, routes: Routes, arrow: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Key, route and coding of each option of one direction, so that actions only join them; the same while only the state moves."""
    nodes = {r: path(routes.nodes[r]) for r in set(options.route.tolist())}
    rows = list(zip(options.route.tolist(), options.n.tolist(), options.n_re.tolist(), strict=True))
    texts = (
        [side_key(nodes[r], n, again) for r, n, again in rows],
        [f"{route_name(nodes[r])} {arrow}" for r, _, _ in rows],
        [f"{n}×{1 + again} {arrow}" for _, n, again in rows],
    )
    key, route, coding = (np.array(t, dtype=object) for t in texts)
    return key, route, coding
