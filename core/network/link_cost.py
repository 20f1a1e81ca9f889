"""What a link costs a route, worked out only for the links that a route may take."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit

from core.network.arrays import Bools, Floats, Ints
from core.network.fading import GRID_START_DB, GRID_STEP_DB, FadingTables, table_failure
from core.network.path_loss import uma_av_path_loss_db
from core.network.topology import Budgets, Links, Topology, budgets, work_out
from core.scenario import Scenario


class RoutingOption(NamedTuple):
    """The attempt by which routes are compared, the middle blocklength sent once.

    Attributes:
        tables: of the scenario.
        block: position of its blocklength in the tables.
        direction: UL or DL, selects the payload.
        floor_db: links below it are not active (â_e = 0 in eq:dt-state-map): cost inf [dB].
    """

    tables: FadingTables
    block: int
    direction: int
    floor_db: float

    @classmethod
    def of(cls, scenario: Scenario, direction: int) -> RoutingOption:
        """The routing option of a scenario in one direction."""
        tables = FadingTables.of(scenario)
        middle = int(np.argsort(tables.blocklengths)[len(tables.blocklengths) // 2])
        return cls(tables, middle, direction, scenario.network.min_link_snr_db)


class LinkCosts(NamedTuple):
    """The additive cost of every link, the same in both directions, worked out when a loop asks for it.

    Attributes:
        links: the instant to work the links out from.
        option: attempt that is paid for.
        least_loss_db: of a link between UAVs, by its squared length, see `least_losses` [dB].
    """

    links: Links
    option: RoutingOption
    least_loss_db: Floats

    @classmethod
    def of(cls, scenario: Scenario, links: Links, direction: int) -> LinkCosts:
        """The costs of links under the routing option."""
        return cls(links, RoutingOption.of(scenario, direction), least_losses(scenario.network.carrier_ghz))

    @property
    def size(self) -> int:
        """Nodes, N+1."""
        return self.links.size


BIN_M2, BINS = 64.0, 16384
"""Squared lengths of links in steps of (8 m)², up to a kilometre: finer than the shadowing, small enough for the cache."""
_ROUNDING_DB = 1e-6
"""More than rounding can add to a link budget [dB]."""


@lru_cache(maxsize=32)
def least_losses(carrier_ghz: float) -> Floats:
    """What a link between UAVs loses at least, by squared length in steps of `BIN_M2`, (BINS,) [dB]."""
    shortest = np.sqrt(BIN_M2 * np.arange(BINS))
    return uma_av_path_loss_db(shortest, 0.0, carrier_ghz, True) - _ROUNDING_DB


@njit(cache=True, nogil=True)
def needed_db(option: RoutingOption, cost: float) -> float:
    """An SNR below which every link costs more than some cost, whatever its fading [dB]: −ln(1−ε) is at least ε."""
    needed = np.inf
    for fading in range(2):
        failure = option.tables.failure[option.block, option.direction, fading]
        low, high = 0, failure.size  # the first point of the grid that fails rarely enough
        while low < high:
            middle = (low + high) // 2
            if failure[middle] <= cost:
                high = middle
            else:
                low = middle + 1
        needed = min(needed, GRID_START_DB + GRID_STEP_DB * (low - 1) if low > 0 else -np.inf)
    return needed - _ROUNDING_DB


@njit(cache=True, nogil=True)
def link_cost(option: RoutingOption, snr_db: float, rayleigh: bool) -> float:
    r"""Cost :math:`-\ln(1-\varepsilon_e)` of a link under the routing option [-]."""
    if not snr_db >= option.floor_db:
        return np.inf
    error = table_failure(option.tables, option.block, option.direction, rayleigh, snr_db)
    cost: float = -np.log1p(-error) if error < 1.0 else np.inf
    return cost


@njit(cache=True, nogil=True, forceinline=True)
def work_out_costs(costs: LinkCosts, tx: Ints, rx: Ints, out: Budgets) -> None:
    """Turn some links into their costs, in place of their SNR; inf from a node to itself."""
    option, cost = costs.option, out.snr_db
    work_out(costs.links, tx, rx, out)
    for e in range(tx.size):
        same = tx[e] == rx[e]
        cost[e] = np.inf if same else link_cost(option, cost[e], out.blocked[e] or not out.los[e])


@njit(cache=True, nogil=True)
def some_costs(costs: LinkCosts, tx: Ints, rx: Ints) -> Floats:
    """Costs of some links, (E,)."""
    out = budgets(tx.size)
    work_out_costs(costs, tx, rx, out)
    found: Floats = out.snr_db
    return found


@njit(cache=True, nogil=True)
def _every_cost(option: RoutingOption, snr_db: Floats, rayleigh: Bools) -> Floats:
    n = len(snr_db)
    cost = np.full((n, n), np.inf)
    for i in range(n):
        for j in range(n):
            if i != j:
                cost[i, j] = link_cost(option, snr_db[i, j], rayleigh[i, j])
    return cost


def link_costs(scenario: Scenario, topology: Topology, direction: int) -> Floats:
    r"""Additive cost :math:`-\ln(1-\varepsilon_e)` of every directed link under the routing option, (N+1, N+1).

    Links below `network.min_link_snr_db` are not active (â_e = 0 in eq:dt-state-map): cost inf.

    Args:
        scenario: payloads, blocklengths, threshold.
        topology: predicted links.
        direction: UL or DL, selects the payload.
    """
    every: Floats = _every_cost(RoutingOption.of(scenario, direction), topology.snr_db, topology.rayleigh)
    return every
