"""Transmission options of one direction: route × blocklength × retransmission limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from core.network.arrays import Bools, Floats, Ints, Number
from core.network.fading import DL, UL, FadingTables, table_failure
from core.network.routes import Routes
from core.scenario import Scenario


@dataclass(frozen=True, eq=False)
class Options:
    """One direction of the action set (eq:feasible-action-set), M rows over all loops.

    Attributes:
        loop: loop of each row, (M,).
        offsets: loop i owns rows offsets[i]:offsets[i+1], (N+1,).
        route: row of the direction's Routes, (M,).
        hops: hops of that route, (M,).
        n: blocklength, (M,) [complex symbols].
        n_re: retransmission limit per hop, (M,).
        slots: hops·(1+n_re)·ς(n), also the direction's span when it is sent in one piece, (M,) [slots].
        failure_nominal: path failure at the predicted SNR, (M,).
        failure_worst: path failure with every hop lowered by the margin of its route, (M,).
    """

    loop: Ints
    offsets: Ints
    route: Ints
    hops: Ints
    n: Ints
    n_re: Ints
    slots: Ints
    failure_nominal: Floats
    failure_worst: Floats

    def take(self, rows: Ints | Bools) -> Options:
        """The given rows only (mask or ascending indices)."""
        loop = self.loop[rows]
        offsets = np.searchsorted(loop, np.arange(len(self.offsets)))
        return Options(
            loop,
            offsets,
            self.route[rows],
            self.hops[rows],
            self.n[rows],
            self.n_re[rows],
            self.slots[rows],
            self.failure_nominal[rows],
            self.failure_worst[rows],
        )


@njit(cache=True, nogil=True)
def either_fails(p: Number, q: Number) -> Number:
    """Probability that at least one of two independent steps fails, 1 − (1−p)(1−q) without losing tiny p and q."""
    return p + q * (1.0 - p)


@njit(cache=True, nogil=True)
def _path_failures(
    snr_db: Floats,
    rayleigh: Bools,
    hops: Ints,
    margin_db: Floats,
    tables: FadingTables,
    direction: int,
    retransmissions: Ints,
) -> tuple[Floats, Floats]:
    """Nominal and worst path failure of every route, blocklength and retransmission limit, (R, B, limits) each."""
    shape = (len(hops), len(tables.blocklengths), len(retransmissions))
    nominal, worst = np.zeros(shape), np.zeros(shape)
    for r in range(shape[0]):
        for b in range(shape[1]):
            for x in range(hops[r]):
                miss = table_failure(tables, b, direction, rayleigh[r, x], snr_db[r, x])
                lower = table_failure(tables, b, direction, rayleigh[r, x], snr_db[r, x] - margin_db[r])
                for m in range(shape[2]):
                    attempts = 1 + retransmissions[m]
                    nominal[r, b, m] = either_fails(nominal[r, b, m], miss**attempts)
                    worst[r, b, m] = either_fails(worst[r, b, m], lower**attempts)
    return nominal, worst


def direction_options(scenario: Scenario, routes: Routes, margin_db: Floats) -> Options:
    r"""Every (route, n, n_re) of one direction that meets the deadline, with its slots and failure.

    .. math:: s = L(1+n_{re})\varsigma(n), \quad F = 1 - \prod_{hops}\bigl(1 - \varepsilon^{1+n_{re}}\bigr)

    The worst case lowers every hop by the route's margin, the supremum of (eq:dt-service-failure). Spans longer than
    `network.deadline_ms` are dropped (eq:directional-delay).

    Args:
        scenario: blocklengths, retransmission limits, payloads, deadline.
        routes: one direction's routes, R rows.
        margin_db: conformal margin of each route, (R,) or a scalar [dB].
    """
    net = scenario.network
    tables = FadingTables.of(scenario)
    limits = np.array(net.retransmissions, dtype=np.int64)
    margin = np.ascontiguousarray(np.broadcast_to(np.asarray(margin_db, dtype=float), routes.hops.shape))
    direction = UL if routes.direction == "ul" else DL
    nominal, worst = _path_failures(routes.snr_db, routes.rayleigh, routes.hops, margin, tables, direction, limits)
    slots = routes.hops[:, None, None] * tables.slots[:, None] * (1 + limits)
    route, b, m = np.nonzero(slots <= deadline_slots(scenario))
    loop = routes.loop[route]
    return Options(
        loop=loop,
        offsets=np.searchsorted(loop, np.arange(len(routes.offsets))),
        route=route,
        hops=routes.hops[route],
        n=tables.blocklengths[b],
        n_re=limits[m],
        slots=slots[route, b, m],
        failure_nominal=nominal[route, b, m],
        failure_worst=worst[route, b, m],
    )


def deadline_slots(scenario: Scenario) -> int:
    """Longest span ℓ^χ whose delay ℓ^χ·τ_slot (eq:directional-delay) meets the control deadline [slots]."""
    net = scenario.network
    return int(np.floor(net.deadline_ms * 1e-3 / net.tau_slot_s * (1.0 + 1e-12)))
