"""Why the frame is scarce: every link of a scenario by class, and what the cheapest reliable exchanges cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.network.actions import combine
from core.network.arrays import Bools, Floats, Ints
from core.network.options import direction_options
from core.network.pruning import prune_options
from core.network.routes import MAX_HOPS, Routes, find_routes
from core.network.topology import Topology
from core.scenario import Scenario

PERCENTILES = (5, 25, 50, 75, 95)
"""Percentiles that summarise SNRs and slot costs."""
USABLE = 0.9
"""Nominal probability of bidirectional delivery from which an exchange counts as usable."""


@dataclass(frozen=True)
class LinkClass:
    """Links of one kind and condition.

    Attributes:
        kind: "GCS-UAV" or "UAV-UAV".
        condition: "LOS", "NLOS" or "blocked" (blocked links count there, whatever their LOS class).
        links: number of links, over all topologies.
        share: part of its kind [-].
        snr_db: PERCENTILES of the mean SNR, nan when there is no link [dB].
    """

    kind: str
    condition: str
    links: int
    share: float
    snr_db: tuple[float, ...]


@dataclass(frozen=True)
class LinkTable:
    """Summary of one or more topologies of a scenario.

    Attributes:
        classes: six rows, GCS-UAV and UAV-UAV links by condition; together every undirected link.
        best_hops: loops whose best route has 0 (no route), 1, 2, 3 hops, per direction "ul" and "dl".
        exchange_slots: cheapest exchange of each loop that delivers both ways with probability ≥ USABLE; 0 = none,
            (topologies, N) [slots].
        exchange_hops: loops whose cheapest usable exchange has 0 (none), 1, 2, 3 hops, per direction.
        loops_per_frame: loops that fit in one frame, cheapest first, (topologies,).
        slots: frame S [slots].
    """

    classes: tuple[LinkClass, ...]
    best_hops: dict[str, tuple[int, ...]]
    exchange_slots: Ints
    exchange_hops: dict[str, tuple[int, ...]]
    loops_per_frame: Ints
    slots: int

    @property
    def unusable_share(self) -> float:
        """Part of the loops without any usable exchange [-]."""
        return float(np.mean(self.exchange_slots == 0))

    @property
    def exchange_percentiles(self) -> tuple[float, ...]:
        """PERCENTILES of the cheapest usable exchange, nan when no loop has one [slots]."""
        return _percentiles(self.exchange_slots[self.exchange_slots > 0].astype(float))


def _percentiles(values: Floats) -> tuple[float, ...]:
    if values.size == 0:
        return (float("nan"),) * len(PERCENTILES)
    return tuple(float(x) for x in np.percentile(values, PERCENTILES))


def _classes(topologies: Sequence[Topology]) -> tuple[LinkClass, ...]:
    rows = []
    for kind in ("GCS-UAV", "UAV-UAV"):
        snr, blocked, los = _undirected(topologies, kind)
        for condition, member in (("LOS", los & ~blocked), ("NLOS", ~los & ~blocked), ("blocked", blocked)):
            share = float(member.mean()) if member.size else 0.0
            rows.append(LinkClass(kind, condition, int(member.sum()), share, _percentiles(snr[member])))
    return tuple(rows)


def _undirected(topologies: Sequence[Topology], kind: str) -> tuple[Floats, Bools, Bools]:
    """SNR (lower of both directions), blocked and LOS of every undirected link of one kind."""
    columns: list[tuple[Floats, Bools, Bools]] = []
    for t in topologies:
        i, j = np.triu_indices(len(t.snr_db), k=1)
        mine = (i == 0) if kind == "GCS-UAV" else (i > 0)
        i, j = i[mine], j[mine]
        columns.append((np.minimum(t.snr_db[i, j], t.snr_db[j, i]), t.blocked[i, j], t.los[i, j]))
    snr, blocked, los = zip(*columns, strict=True)
    return np.concatenate(snr), np.concatenate(blocked), np.concatenate(los)


def best_route_hops(routes: Routes) -> Ints:
    """Hops of each loop's best route, 0 where it has none, (N,)."""
    first = routes.offsets[:-1]
    some = routes.offsets[1:] > first
    hops = np.zeros(len(first), dtype=np.int64)
    hops[some] = routes.hops[first[some]]
    return hops


def cheapest_exchanges(scenario: Scenario, ul_routes: Routes, dl_routes: Routes) -> tuple[Ints, Ints, Ints]:
    """Slots and hops of each loop's cheapest exchange with nominal bidirectional success ≥ USABLE.

    Args:
        scenario: options on offer.
        ul_routes, dl_routes: candidate routes.

    Returns:
        Slots, uplink hops, downlink hops, (N,) each; 0 where a loop has no such exchange.
    """
    ul = prune_options(direction_options(scenario, ul_routes, np.zeros(len(ul_routes.hops))))
    dl = prune_options(direction_options(scenario, dl_routes, np.zeros(len(dl_routes.hops))))
    actions = combine(scenario, ul, dl, ("ul-first",))
    success = (1.0 - ul.failure_nominal[actions.ul]) * (1.0 - dl.failure_nominal[actions.dl])
    usable = np.flatnonzero(success >= USABLE)
    cheapest_first = usable[np.lexsort((actions.slots[usable], actions.loop[usable]))]
    loops, at = np.unique(actions.loop[cheapest_first], return_index=True)
    chosen = cheapest_first[at]
    out = np.zeros((3, len(ul_routes.offsets) - 1), dtype=np.int64)
    out[:, loops] = actions.slots[chosen], ul.hops[actions.ul[chosen]], dl.hops[actions.dl[chosen]]
    return out[0], out[1], out[2]


def _hop_counts(hops: list[Ints]) -> tuple[int, ...]:
    return tuple(int(x) for x in np.bincount(np.concatenate(hops), minlength=MAX_HOPS + 1))


def link_table(scenario: Scenario, topologies: Sequence[Topology]) -> LinkTable:
    """Account for every link and for the cost of every loop's cheapest usable exchange.

    Args:
        scenario: network and frame.
        topologies: at least one predicted topology of that scenario, all of N+1 nodes.
    """
    best: dict[str, list[Ints]] = {"ul": [], "dl": []}
    cheapest: dict[str, list[Ints]] = {"ul": [], "dl": []}
    slots = []
    for t in topologies:
        ul, dl = find_routes(scenario, t)
        cost, hops_ul, hops_dl = cheapest_exchanges(scenario, ul, dl)
        slots.append(cost)
        for routes, hops in ((ul, hops_ul), (dl, hops_dl)):
            best[routes.direction].append(best_route_hops(routes))
            cheapest[routes.direction].append(hops)
    fit = [int(np.sum(np.cumsum(np.sort(x[x > 0])) <= scenario.network.slots)) for x in slots]
    return LinkTable(
        classes=_classes(topologies),
        best_hops={d: _hop_counts(h) for d, h in best.items()},
        exchange_slots=np.stack(slots),
        exchange_hops={d: _hop_counts(h) for d, h in cheapest.items()},
        loops_per_frame=np.array(fit, dtype=np.int64),
        slots=scenario.network.slots,
    )
