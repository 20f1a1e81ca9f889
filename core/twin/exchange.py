"""An action by what it is, not by its row: a key that survives a recomputation, and a name to read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.scenario import SLOT_PATTERNS

if TYPE_CHECKING:
    from core.twin.certificate import Candidates

_SIDE = r"(\d+(?:-\d+)+)\.(\d+)\.(\d+)"
_KEY = re.compile(rf"{_SIDE}_{_SIDE}_({'|'.join(SLOT_PATTERNS)})")


@dataclass(frozen=True)
class Exchange:
    """One way to exchange telemetry and command with a UAV; equal keys are the same action in any cycle.

    Args:
        ul, dl: nodes of both routes in travel order; node 0 is the ground station, i + 1 the UAV of loop i.
        n: blocklength of uplink and downlink [complex symbols].
        n_re: retransmission limit of uplink and downlink.
        pattern: out of SLOT_PATTERNS.
    """

    ul: tuple[int, ...]
    dl: tuple[int, ...]
    n: tuple[int, int]
    n_re: tuple[int, int]
    pattern: str

    @classmethod
    def of(cls, c: Candidates, row: int) -> Exchange:
        """The action of one row of the candidates."""
        u, d = int(c.actions.ul[row]), int(c.actions.dl[row])
        up, down = c.ul_options, c.dl_options
        return cls(
            path(c.ul_routes.nodes[up.route[u]]),
            path(c.dl_routes.nodes[down.route[d]]),
            (int(up.n[u]), int(down.n[d])),
            (int(up.n_re[u]), int(down.n_re[d])),
            SLOT_PATTERNS[int(c.actions.pattern[row])],
        )

    def row_in(self, c: Candidates) -> int:
        """Row of the candidates that is this action, −1 when it is not among them."""
        same = c.actions.pattern == SLOT_PATTERNS.index(self.pattern)
        for way, nodes, options, routes, rows in (
            (0, self.ul, c.ul_options, c.ul_routes, c.actions.ul),
            (1, self.dl, c.dl_options, c.dl_routes, c.actions.dl),
        ):
            mine = [r for r in set(options.route.tolist()) if path(routes.nodes[r]) == nodes]
            here = np.isin(options.route, mine) & (options.n == self.n[way]) & (options.n_re == self.n_re[way])
            same = same & here[rows]
        hits = np.flatnonzero(same)
        return int(hits[0]) if len(hits) else -1

    @classmethod
    def parse(cls, key: str) -> Exchange | None:
        """The action with this key; None when the text is no key."""
        found = _KEY.fullmatch(key)
        if found is None:
            return None
        up, n_up, again_up, down, n_down, again_down, pattern = found.groups()
        ul, dl = (tuple(int(node) for node in text.split("-")) for text in (up, down))
        return cls(ul, dl, (int(n_up), int(n_down)), (int(again_up), int(again_down)), pattern)

    @property
    def loop(self) -> int:
        """Loop of the UAV, counted from 0."""
        return self.ul[0] - 1

    @property
    def key(self) -> str:
        """Such as "17-3-0.900.1_0-17.600.0_ul-first": nodes, blocklength and retransmissions of each way, pattern."""
        ways = (
            side_key(nodes, n, again) for nodes, n, again in zip((self.ul, self.dl), self.n, self.n_re, strict=True)
        )
        return "_".join((*ways, self.pattern))

    @property
    def route(self) -> str:
        """Both routes, such as "17–3–G ↑ G–17 ↓"; UAVs are counted from 1."""
        return f"{route_name(self.ul)} ↑ {route_name(self.dl)} ↓"

    @property
    def coding(self) -> str:
        """Blocklength × attempts of both ways, and the slot pattern."""
        up, down = (f"{n}×{1 + again}" for n, again in zip(self.n, self.n_re, strict=True))
        return f"{up} ↑ {down} ↓ {self.pattern}"


def path(nodes: NDArray[np.int64]) -> tuple[int, ...]:
    """Nodes of a route without the padding."""
    return tuple(int(node) for node in nodes if node >= 0)


def side_key(nodes: tuple[int, ...], n: int, n_re: int) -> str:
    """One direction of a key."""
    return f"{'-'.join(map(str, nodes))}.{n}.{n_re}"


def route_name(nodes: tuple[int, ...]) -> str:
    """One route in words, such as "17–3–G"."""
    return "–".join("G" if node == 0 else str(node) for node in nodes)
