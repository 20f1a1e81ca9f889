"""How well the confidence set of the twin covers the links of a cycle: what really happened, and what beacons measured."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.network import Routes
from core.scenario import Scenario
from core.simulation.replay import AnyLinks
from core.twin import ROUTE_CLASSES, Candidates, route_class, route_scores

if TYPE_CHECKING:
    from core.simulation.channel import Channel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_COMPARED = ("nodes", "hops", "snr_db", "rayleigh")


@dataclass(frozen=True, eq=False)
class Coverage:
    """Candidate routes of one cycle that have a margin, both directions, by class of route.

    Args:
        routes: how many there were, (6,).
        covered: how many of them kept within their margin (eq:dt-confidence-set), (6,).
        measured: how many of them seemed to, by the noisy link measurements of the cycle (D21); zeros without any, (6,).
    """

    routes: Ints
    covered: Ints
    measured: Ints

    @property
    def missed(self) -> Floats:
        """Share of each class that the measurements found outside its margin, nan where there was no route, (6,) [-]."""
        none = self.routes == 0
        return np.where(none, np.nan, 1.0 - self.measured / np.where(none, 1, self.routes))


def coverage_of(
    scenario: Scenario, candidates: Candidates, realised: AnyLinks, channel: Channel | None = None
) -> Coverage:
    """Compare the confidence set of every candidate route with the links that came.

    Args:
        scenario: error of the measurements.
        candidates: routes with their margins.
        realised: links of the cycle.
        channel: gives the errors of its measurements; without one nothing is measured.
    """
    routes = _both(candidates.ul_routes, candidates.dl_routes)
    margin_db = np.concatenate([candidates.margin_ul_db, candidates.margin_dl_db])
    real, bounded = realised_routes(routes, realised), np.isfinite(margin_db)
    score = route_scores(routes.snr_db, real.snr_db, routes.rayleigh, real.rayleigh, routes.hops)
    kind = route_class(routes.hops, routes.rayleigh)
    kept = [bounded, bounded & (score <= margin_db)]
    if channel is not None:
        kept.append(bounded & (_measured_scores(scenario, routes, real, channel) <= margin_db))
    counts = [np.bincount(kind[rows], minlength=len(ROUTE_CLASSES)) for rows in kept]
    return Coverage(*counts, *(np.zeros_like(counts[0]) for _ in range(3 - len(counts))))


def _both(ul: Routes, dl: Routes) -> Routes:
    """The routes of both directions, the uplinks first; of offsets and failures nothing is asked here."""
    joined: dict[str, Any] = {name: np.concatenate([getattr(ul, name), getattr(dl, name)]) for name in _COMPARED}
    return dataclasses.replace(ul, **joined)


def _measured_scores(scenario: Scenario, routes: Routes, real: Routes, channel: Channel) -> Floats:
    r"""Scores as the beacons tell them, without knowing how a link fades, (R,) [dB].

    A measurement with error ν scatters the deviation d of a link more than the link itself does, and a set that covers the
    measurements would be too wide. So deviations are drawn together by what the error adds to their mean square, both known in flight:

    .. math:: d \leftarrow d\,\sqrt{\max(0,\ 1 - \nu^2/\overline{d^2})}
    """
    tx, rx = routes.nodes[:, :-1], routes.nodes[:, 1:]
    hop = rx >= 0
    fall = routes.snr_db[hop] - real.snr_db[hop] - channel.measurement_error_db(scenario, tx[hop], rx[hop])
    spread = float(np.mean(fall**2)) if fall.size else 0.0
    own = max(0.0, 1.0 - scenario.twin.link_noise_db**2 / spread) if spread > 0.0 else 0.0
    score = np.full(hop.shape, -np.inf)
    score[hop] = np.sqrt(own) * fall
    highest: Floats = score.max(axis=1)
    return highest


def realised_routes(routes: Routes, realised: AnyLinks) -> Routes:
    """The same paths with the realised SNR and fading class of every hop."""
    tx, rx = routes.nodes[:, :-1], routes.nodes[:, 1:]
    hop = rx >= 0
    snr_db, rayleigh = np.full(hop.shape, np.inf), np.zeros(hop.shape, dtype=np.bool_)
    snr_db[hop], rayleigh[hop] = realised.some(tx[hop], rx[hop])
    return dataclasses.replace(routes, snr_db=snr_db, rayleigh=rayleigh)
