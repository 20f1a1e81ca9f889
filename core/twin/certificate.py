"""The certificate of every candidate action: from the predicted topology to q = (D_ul, D_dl, T_cert, ρ_ul, ρ_dl)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from core.network import (
    Actions,
    Options,
    Routes,
    Topology,
    combine,
    direction_options,
    find_routes,
    link_budget_db,
    prune_options,
)
from core.network.arrays import Bools, Floats, Ints
from core.scenario import Scenario
from core.twin.calibration import Calibration
from core.twin.failure_chain import NO_TOLERANCE, tolerance
from core.twin.persistence import BIN_EDGES
from core.twin.scores import route_class

RHO_STEPS = 1_000_000
"""Certificate library: ρ is rounded down to whole millionths, D up to whole slots. μ₁ follows from the rounded ρ, so
rounding can only weaken a certificate; far finer than any δ_T/H_T on offer."""
_COMPACT = ("ul-first", "dl-first")


@dataclass(frozen=True, eq=False)
class Candidates:
    """Every candidate action of every loop with its certificate (eq:dt-certificate-map), M rows, ordered by loop.

    Attributes:
        actions: routes, options and slot pattern of each row.
        ul_options, dl_options: the options that `actions.ul`, `actions.dl` point to.
        ul_routes, dl_routes: the routes that these point to.
        margin_ul_db, margin_dl_db: conformal margin of each route, (R,) [dB].
        rho_ul, rho_dl: lower bounds on directional service success (eq:directional-delivery), (M,).
        mu1: upper bound on bidirectional failure, 1 − max(0, ρ_ul + ρ_dl − 1), (M,).
        p11: upper bound on failure persistence, nan = none, (M,).
        g: failure tolerance (eq:markov-failure-tolerance), 0 = no certificate: no tolerance meets δ_T, there is no p₁₁, or
            a route's class has no margin, (M,).
        D_ul, D_dl: delay bounds (eq:directional-delay), (M,) [s].
        T_cert: certified interaction bound g·T_s (eq:tuple-interaction-cert), inf without certificate, (M,) [s].
        h_ul, h_dl: delay indices ⌈D/T_s⌉, (M,) [cycles].
        beyond_horizon: g > H_T: true but empty within the horizon, no run of g fits into it (D19), (M,).
    """

    actions: Actions
    ul_options: Options
    dl_options: Options
    ul_routes: Routes
    dl_routes: Routes
    margin_ul_db: Floats
    margin_dl_db: Floats
    rho_ul: Floats
    rho_dl: Floats
    mu1: Floats
    p11: Floats
    g: Ints
    D_ul: Floats
    D_dl: Floats
    T_cert: Floats
    h_ul: Ints
    h_dl: Ints
    beyond_horizon: Bools

    @property
    def certified(self) -> Bools:
        """Whether the action has a certificate at all, (M,)."""
        return np.not_equal(self.g, NO_TOLERANCE)

    @property
    def loop(self) -> Ints:
        """Loop of each row, (M,)."""
        return self.actions.loop

    @property
    def offsets(self) -> Ints:
        """Loop i owns rows offsets[i]:offsets[i+1], (N+1,)."""
        return self.actions.offsets

    @property
    def slots(self) -> Ints:
        """Cost of each row, (M,) [slots]."""
        return self.actions.slots

    def delivery(self, rows: Ints | slice = slice(None)) -> Floats:
        """Chance that both directions arrive at the predicted SNR, without the β margin, for some rows or all [-]."""
        up = 1.0 - self.ul_options.failure_nominal[self.actions.ul[rows]]
        down = 1.0 - self.dl_options.failure_nominal[self.actions.dl[rows]]
        # rounded, so that the same factors in another order tie exactly, on every kind of processor alike
        both: Floats = np.round(up * down, 12)
        return both

    def certificates(self) -> Floats:
        """The coordinates (D_ul, D_dl, T_cert, ρ_ul, ρ_dl), (M, 5)."""
        return np.column_stack([self.D_ul, self.D_dl, self.T_cert, self.rho_ul, self.rho_dl])


def certify(
    scenario: Scenario,
    topology: Topology,
    calibration: Calibration,
    c_fail: Ints,
    *,
    full: bool = False,
    loops: Ints | None = None,
) -> Candidates:
    """Certificates of all candidate actions (eq:dt-certificate-map), worst case over the confidence set.

    The online set holds what can lie on the frontier: one compact pattern (dl-first ties with ul-first in every
    coordinate, interleaved and gap never beat them) over the options left by directional pre-pruning (D17). The
    printed formulation's gate is not monotone in g, so there the options stay unpruned.

    Args:
        scenario: β, δ_T, H_T, confidence of p₁₁, network and frame.
        topology: links predicted from controller-side estimates and, where the twin measures links (D21), the shadowing
            it expects there, N+1 nodes.
        calibration: margins and persistence.
        c_fail: failed attempts in a row of each loop, (N,).
        full: the whole unpruned product with all of `network.patterns`.
        loops: form actions of these loops only, the others get none; None = all.
    """
    ul_routes, dl_routes = find_routes(scenario, topology)
    failed = np.asarray(c_fail) >= 1
    margin_ul, margin_dl = (route_margins(scenario, calibration, r, failed) for r in (ul_routes, dl_routes))
    bounded_ul, bounded_dl = np.isfinite(margin_ul), np.isfinite(margin_dl)
    ul = direction_options(scenario, ul_routes, margin_ul)
    dl = direction_options(scenario, dl_routes, margin_dl)
    if loops is not None:
        ul, dl = (options.take(np.isin(options.loop, loops)) for options in (ul, dl))
    offered = scenario.network.patterns
    compact = next((p for p in _COMPACT if p in offered), None)
    patterns = offered if full or compact is None else (compact,)
    exact = compact is not None and scenario.allocation.directional_pruning and scenario.formulation != "paper"
    if exact and not full:
        ul, dl = prune_options(ul, bounded_ul[ul.route]), prune_options(dl, bounded_dl[dl.route])
    actions = combine(scenario, ul, dl, patterns)
    count = actions.loop.size
    real, whole = np.empty((7, count)), np.empty((3, count), dtype=np.int64)
    twin, Ts = scenario.twin, scenario.control.Ts
    _certificates(
        actions.ul,
        actions.dl,
        actions.span_ul,
        actions.span_dl,
        ul.failure_worst,
        dl.failure_worst,
        ul.failure_nominal,
        dl.failure_nominal,
        bounded_ul[ul.route],
        bounded_dl[dl.route],
        BIN_EDGES,
        calibration.persistence(twin.chain_confidence, twin.min_failures, link_budget_db(scenario)),
        twin.H_T,
        twin.delta_T,
        Ts,
        scenario.network.tau_slot_s,
        real,
        whole,
    )
    rho_ul, rho_dl, mu1, p11, D_ul, D_dl, T_cert = real
    g, h_ul, h_dl = whole
    return Candidates(
        actions,
        ul,
        dl,
        ul_routes,
        dl_routes,
        margin_ul,
        margin_dl,
        rho_ul,
        rho_dl,
        mu1,
        p11,
        g,
        D_ul,
        D_dl,
        T_cert,
        h_ul,
        h_dl,
        g > twin.H_T,
    )


def route_margins(scenario: Scenario, calibration: Calibration, routes: Routes, failed: Bools) -> Floats:
    """Conformal margin of each route at the scenario's β (eq:dt-confidence-set), (R,) [dB].

    Args:
        scenario: gives β.
        calibration: margins by class.
        routes: one direction.
        failed: whether the loop's latest attempt failed, (N,).
    """
    return calibration.margin_db(scenario.twin.beta, route_class(routes.hops, routes.rayleigh), failed[routes.loop])


@njit(cache=True, nogil=True)
def _certificates(
    ul: Ints,
    dl: Ints,
    span_ul: Ints,
    span_dl: Ints,
    worst_ul: Floats,
    worst_dl: Floats,
    nominal_ul: Floats,
    nominal_dl: Floats,
    bounded_ul: Bools,
    bounded_dl: Bools,
    edges: Floats,
    p11_of_bin: Floats,
    H_T: int,
    delta_T: float,
    Ts: float,
    tau_slot_s: float,
    real: Floats,
    whole: Ints,
) -> None:
    for m in range(ul.size):
        u, d = ul[m], dl[m]
        steps_ul = math.floor((1.0 - worst_ul[u]) * RHO_STEPS)
        steps_dl = math.floor((1.0 - worst_dl[d]) * RHO_STEPS)
        # ρ_bi ≥ max(0, ρ_ul + ρ_dl − 1) whatever the dependence between the directions.
        mu1 = 1.0 - max(0, steps_ul + steps_dl - RHO_STEPS) / RHO_STEPS
        failure = nominal_ul[u] + nominal_dl[d] * (1.0 - nominal_ul[u])
        lo, hi = 0, edges.size
        while lo < hi:
            middle = (lo + hi) // 2
            if edges[middle] < failure:
                lo = middle + 1
            else:
                hi = middle
        p11 = p11_of_bin[lo]
        # Without a margin or without a p₁₁ the promise would rest on nothing: the action is excluded.
        known = bounded_ul[u] and bounded_dl[d] and not math.isnan(p11)
        g = tolerance(mu1, p11, H_T, delta_T) if known else NO_TOLERANCE
        D_ul, D_dl = span_ul[m] * tau_slot_s, span_dl[m] * tau_slot_s
        real[0, m], real[1, m], real[2, m], real[3, m] = steps_ul / RHO_STEPS, steps_dl / RHO_STEPS, mu1, p11
        real[4, m], real[5, m], real[6, m] = D_ul, D_dl, g * Ts if g > 0 else np.inf
        whole[0, m] = g
        whole[1, m], whole[2, m] = math.ceil(D_ul / Ts - 1e-9), math.ceil(D_dl / Ts - 1e-9)
