"""Recorded links in place of the channel model, where there are records (D27)."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.files.links import LinkTrace, kept_links
from core.network import Links, Topology, link_budget_db, links_at
from core.network.pairs import pair_row
from core.scenario import Scenario

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_PLAIN = Scenario().network


@dataclass(frozen=True, eq=False)
class Records:
    """Directed links with records in one cycle, (E,) each; values that the trace does not have are nan.

    Args:
        tx, rx: nodes.
        level_db: SNR or, negative, the path loss [dB].
        budget_db: at which the SNR was recorded [dB].
        shadow_db: shadowing [dB].
    """

    tx: Ints
    rx: Ints
    level_db: Floats
    budget_db: Floats
    shadow_db: Floats

    def snr_db(self, scenario: Scenario) -> Floats:
        """Mean SNR at the scenario's link budget, (E,) [dB].

        A path loss is taken off the budget. An SNR moves with the budget from the one it was recorded at: that of the trace or,
        where it names none, this scenario's at the default transmit power and SNR offset.
        """
        recorded = np.where(np.isnan(self.budget_db), link_budget_db(at_default_power(scenario)), self.budget_db)
        found: Floats = self.level_db + (link_budget_db(scenario) - recorded)
        return found


def at_default_power(scenario: Scenario) -> Scenario:
    """The scenario at the default transmit power and SNR offset, which shape no link but by one shift of them all."""
    plain = {"network.tx_power_dbm": _PLAIN.tx_power_dbm, "network.snr_offset_db": _PLAIN.snr_offset_db}
    return scenario.replace(**plain)


@dataclass(frozen=True, eq=False)
class ReplayedLinks:
    """Links of one instant as the model has them, except for the SNR of those with a record.

    Args:
        links: of the model.
        recorded_db: SNR by [tx, rx], nan where there is no record, (N+1, N+1) [dB].
    """

    links: Links
    recorded_db: Floats

    @property
    def size(self) -> int:
        """Nodes, N+1."""
        return self.links.size

    def all(self) -> Topology:
        """Every link."""
        found = self.links.all()
        return dataclasses.replace(found, snr_db=_over(found.snr_db, self.recorded_db))

    def some(self, tx: Ints, rx: Ints) -> tuple[Floats, Bools]:
        """Mean SNR [dB] and Rayleigh fading of some directed links, in the shape of tx and rx."""
        snr_db, rayleigh = self.links.some(tx, rx)
        return _over(snr_db, self.recorded_db[tx, rx]), rayleigh


def _over(model_db: Floats, recorded_db: Floats) -> Floats:
    return np.where(np.isnan(recorded_db), model_db, recorded_db)


AnyLinks: TypeAlias = Topology | Links | ReplayedLinks
"""Whatever tells SNR and fading of some directed links."""


class Replay:
    """A link trace in the order of control cycles.

    A record belongs to the nearest cycle; several of one link and cycle are averaged; a link without records of its other
    direction is as good both ways.

    Args:
        trace: the records.
        Ts: control period [s].
        nodes: N+1.
    """

    def __init__(self, trace: LinkTrace, Ts: float, nodes: int) -> None:
        self._nodes = nodes
        k = trace.cycle(Ts)
        links, place, count = np.unique(
            (k * nodes + trace.tx) * nodes + trace.rx, return_inverse=True, return_counts=True
        )

        def mean(values: Floats | None, sign: float = 1.0) -> Floats:
            if values is None:
                return np.full(len(links), np.nan)
            found: Floats = np.bincount(place, weights=sign * values, minlength=len(links)) / count
            return found

        lost = trace.snr_db is None
        self._links = links
        self._columns = (
            mean(trace.path_loss_db, -1.0) if lost else mean(trace.snr_db),
            np.zeros(len(links)) if lost else mean(trace.budget_db),
            mean(trace.shadow_db),
        )
        self._pair_rows = np.array([pair_row(i, nodes) for i in range(nodes)])
        self._line = _line_of_sight(trace, nodes)

    @staticmethod
    def of(scenario: Scenario) -> Replay | None:
        """The replay of a scenario's link trace; None without one."""
        if not scenario.network.link_trace:
            return None
        return _replay(scenario.network.link_trace, scenario.control.Ts, scenario.mission.uavs + 1)

    def records(self, k: int) -> Records:
        """The records of one cycle, both directions."""
        n = self._nodes
        rows = slice(*np.searchsorted(self._links, (k * n * n, (k + 1) * n * n)).tolist())
        tx, rx = np.divmod(self._links[rows] - k * n * n, n)
        one_way = ~np.isin(rx * n + tx, tx * n + rx)
        columns = (np.concatenate([c[rows], c[rows][one_way]]) for c in self._columns)
        return Records(np.concatenate([tx, rx[one_way]]), np.concatenate([rx, tx[one_way]]), *columns)

    def realised(self, scenario: Scenario, links: Links, k: int) -> Links | ReplayedLinks:
        """The links of cycle k, with records in place of the model's."""
        r = self.records(k)
        if not len(r.tx):
            return links
        recorded_db = np.full((self._nodes, self._nodes), np.nan)
        recorded_db[r.tx, r.rx] = r.snr_db(scenario)
        return ReplayedLinks(links, recorded_db)

    def line_of_sight(self, los: Bools) -> Bools:
        """Classes of the run with those that the trace tells of links of the ground station, (N+1, N+1)."""
        found = los.copy()
        found[0] = found[:, 0] = np.where(np.isnan(self._line), los[0], self._line >= 0.5)
        return found

    def shadowing_db(self, scenario: Scenario, positions: Floats, los: Bools, k: int) -> tuple[Ints, Floats]:
        """Shadowing of recorded links in cycle k: what the trace says, or else what the model at the references leaves over.

        Args:
            scenario: radio and buildings.
            positions: references of the UAVs in cycle k, (N, 3) [m].
            los: line-of-sight class of every link, (N+1, N+1).
            k: cycle.

        Returns:
            Places in an array of pairs, (E,), and shadowing there, (E,) [dB].
        """
        r = self.records(k)
        up = r.tx < r.rx  # of a link with both directions the one from the lower node
        tx, rx = r.tx[up], r.rx[up]
        plain = at_default_power(scenario)
        model_db, _ = links_at(plain, positions, los).some(tx, rx)
        shadow_db = np.where(np.isnan(r.shadow_db[up]), r.snr_db(plain)[up] - model_db, r.shadow_db[up])
        return self._pair_rows[tx] + rx, shadow_db


def _line_of_sight(trace: LinkTrace, nodes: int) -> Floats:
    """Share of the records of every ground link that say it has line of sight, nan without any, (N+1,)."""
    if trace.los is None:
        return np.full(nodes, np.nan)
    ground = (trace.tx == 0) | (trace.rx == 0)
    uav, line = np.maximum(trace.tx, trace.rx)[ground], trace.los[ground]
    count = np.bincount(uav, minlength=nodes)
    share: Floats = np.where(count > 0, np.bincount(uav, weights=line, minlength=nodes) / np.maximum(count, 1), np.nan)
    return share


@functools.lru_cache(maxsize=4)
def _replay(name: str, Ts: float, nodes: int) -> Replay:
    return Replay(kept_links(name), Ts, nodes)
