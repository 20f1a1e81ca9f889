"""The certificate of every candidate action: from the predicted topology to q = (D_ul, D_dl, T_cert, ρ_ul, ρ_dl)."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

from core.lazy import cached_property
from core.network import (
    Actions,
    Links,
    Options,
    Routes,
    Topology,
    combine,
    direction_options,
    either_fails,
    find_routes,
    link_budget_db,
    prune_options,
)
from core.network.arrays import Bools, Floats, Ints
from core.scenario import Scenario
from core.twin.calibration import Calibration
from core.twin.failure_chain import NO_TOLERANCE, tolerance
from core.twin.online import OnlineBeta
from core.twin.persistence import bin_of
from core.twin.scores import route_class
from core.wanted import check, pieces

RHO_STEPS = 1_000_000
"""Certificate library: ρ is rounded down to whole millionths, D up to whole slots. μ₁ follows from the rounded ρ, so
rounding can only weaken a certificate; far finer than any δ_T/H_T on offer."""
_COMPACT = ("ul-first", "dl-first")
_AT_ONCE = 250_000
"""Actions certified before somebody asks whether they are still wanted: some hundredths of a second."""


@dataclass(frozen=True, eq=False, kw_only=True)
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

    @cached_property
    def nbytes(self) -> int:
        """Memory of what has a row per action."""
        columns = [
            *vars(self.actions).values(),
            *(getattr(self, name) for name in _Bounds._fields),
            self.beyond_horizon,
        ]
        return sum(column.nbytes for column in columns)

    def delivery(self, rows: Ints | slice = slice(None)) -> Floats:
        """Chance that both directions arrive at the predicted SNR, without the β margin, for some rows or all [-]."""
        up = 1.0 - self.ul_options.failure_nominal[self.actions.ul[rows]]
        down = 1.0 - self.dl_options.failure_nominal[self.actions.dl[rows]]
        # rounded, so that the same factors in another order tie exactly, on every kind of processor alike
        both: Floats = np.round(up * down, 12)
        return both

    def within(self, frame: int) -> Candidates:
        """Those of at most so many slots, as `certify` would have formed them for a frame of that length [slots]."""
        rows = self.slots <= frame
        if rows.all():
            return self
        columns = {name: getattr(self, name)[rows] for name in (*_Bounds._fields, "beyond_horizon")}
        return dataclasses.replace(self, actions=self.actions.take(rows), **columns)

    def certificates(self) -> Floats:
        """The coordinates (D_ul, D_dl, T_cert, ρ_ul, ρ_dl), (M, 5)."""
        return np.column_stack([self.D_ul, self.D_dl, self.T_cert, self.rho_ul, self.rho_dl])


def certify(
    scenario: Scenario,
    topology: Topology | Links,
    calibration: Calibration,
    c_fail: Ints,
    *,
    full: bool = False,
    loops: Ints | None = None,
    frame: int | None = None,
    routes: tuple[Routes, Routes] | None = None,
    online: OnlineBeta | None = None,
) -> Candidates:
    """Certificates of all candidate actions (eq:dt-certificate-map), worst case over the confidence set.

    The online set holds what can lie on the frontier: one compact pattern (dl-first ties with ul-first in every
    coordinate, interleaved and gap never beat them) over the options left by directional pre-pruning (D17). The
    printed formulation's gate is not monotone in g, so there the options stay unpruned.

    Args:
        scenario: β, δ_T, H_T, confidence of p₁₁, network and frame.
        topology: links predicted from controller-side estimates and, where the twin measures links (D21), the shadowing
            it expects there, N+1 nodes; of links not worked out yet, only those that matter are.
        calibration: margins and persistence.
        c_fail: failed attempts in a row of each loop, (N,).
        full: the whole unpruned product with all of `network.patterns`.
        loops: form actions of these loops only, the others get none; None = all.
        frame: form actions of up to so many slots; those that fit the scenario's frame when None [slots].
        routes: those of both directions, where the caller has them already.
        online: what the flight has learnt about β (D26); read only where `twin.online_beta` is on.
    """
    ul_routes, dl_routes = routes if routes is not None else find_routes(scenario, topology)
    failed = np.asarray(c_fail) >= 1
    margin_ul, margin_dl = (route_margins(scenario, calibration, r, failed, online) for r in (ul_routes, dl_routes))
    bounded_ul, bounded_dl = np.isfinite(margin_ul), np.isfinite(margin_dl)
    check()
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
    actions = combine(scenario, ul, dl, patterns, frame)
    twin, count = scenario.twin, actions.loop.size
    bounds = _Bounds(*np.empty((7, count)), *np.empty((3, count), dtype=np.int64))
    up = _Direction(actions.ul, actions.span_ul, ul.failure_worst, ul.failure_nominal, bounded_ul[ul.route])
    down = _Direction(actions.dl, actions.span_dl, dl.failure_worst, dl.failure_nominal, bounded_dl[dl.route])
    p11 = calibration.persistence(twin.chain_confidence, twin.min_failures, link_budget_db(scenario))
    promise = _Promise(twin.H_T, twin.delta_T, scenario.control.Ts, scenario.network.tau_slot_s)
    for rows in pieces(count, _AT_ONCE):
        _certificates(up.of(rows), down.of(rows), p11, promise, bounds.of(rows))
    return Candidates(
        actions=actions,
        ul_options=ul,
        dl_options=dl,
        ul_routes=ul_routes,
        dl_routes=dl_routes,
        margin_ul_db=margin_ul,
        margin_dl_db=margin_dl,
        beyond_horizon=bounds.g > twin.H_T,
        **bounds._asdict(),
    )


def route_margins(
    scenario: Scenario, calibration: Calibration, routes: Routes, failed: Bools, online: OnlineBeta | None = None
) -> Floats:
    """Conformal margin of each route at the scenario's β (eq:dt-confidence-set), (R,) [dB].

    Args:
        scenario: gives β.
        calibration: margins by class.
        routes: one direction.
        failed: whether the loop's latest attempt failed, (N,).
        online: what the flight has learnt about β (D26); read only where `twin.online_beta` is on.
    """
    kind, recent = route_class(routes.hops, routes.rayleigh), failed[routes.loop]
    if online is None or not scenario.twin.online_beta:
        return calibration.margin_db(scenario.twin.beta, kind, recent)
    found: Floats = calibration.margins_at(online.alpha(scenario.twin.beta))[kind, recent.astype(np.int64)]
    return found


@njit(cache=True, nogil=True)
def rho_steps(failure_worst: float) -> int:
    """ρ^χ = 1 − worst path failure (eq:directional-delivery), rounded down to the certificate library [1/RHO_STEPS]."""
    return math.floor((1.0 - failure_worst) * RHO_STEPS)


@njit(cache=True, nogil=True)
def bidirectional_failure(steps_ul: int, steps_dl: int) -> float:
    """μ₁ = 1 − max(0, ρ_ul + ρ_dl − 1), whatever the dependence between the directions; ρ as in `rho_steps` [-]."""
    mu1: float = 1.0 - max(0, steps_ul + steps_dl - RHO_STEPS) / RHO_STEPS
    return mu1


@njit(cache=True, nogil=True)
def delay_index(D: float, Ts: float) -> int:
    """h = ⌈D/T_s⌉ of a delay bound D [s], a whole number of periods T_s [s] staying that number [cycles]."""
    return math.ceil(D / Ts - 1e-9)


class _Direction(NamedTuple):
    """One direction of every action.

    Attributes:
        option: row of the direction's options, (M,).
        span: ℓ^χ, (M,) [slots].
        worst, nominal: path failure of each option [-].
        bounded: whether the route of each option has a margin.
    """

    option: Ints
    span: Ints
    worst: Floats
    nominal: Floats
    bounded: Bools

    def of(self, rows: slice) -> _Direction:
        """The same of some actions."""
        return self._replace(option=self.option[rows], span=self.span[rows])


class _Promise(NamedTuple):
    """What a certificate promises and in which units: H_T [opportunities], δ_T [-], T_s and τ_slot [s]."""

    H_T: int
    delta_T: float
    Ts: float
    tau_slot_s: float


class _Bounds(NamedTuple):
    """The columns of `Candidates` that the kernel fills, (M,) each."""

    rho_ul: Floats
    rho_dl: Floats
    mu1: Floats
    p11: Floats
    D_ul: Floats
    D_dl: Floats
    T_cert: Floats
    g: Ints
    h_ul: Ints
    h_dl: Ints

    def of(self, rows: slice) -> _Bounds:
        """The same of some actions, to be filled in place."""
        return self._replace(**{name: column[rows] for name, column in self._asdict().items()})


@njit(cache=True, nogil=True)
def _certificates(ul: _Direction, dl: _Direction, p11_of_bin: Floats, promise: _Promise, out: _Bounds) -> None:
    for m in range(ul.option.size):
        u, d = ul.option[m], dl.option[m]
        steps_ul, steps_dl = rho_steps(ul.worst[u]), rho_steps(dl.worst[d])
        mu1 = bidirectional_failure(steps_ul, steps_dl)
        p11 = p11_of_bin[bin_of(either_fails(ul.nominal[u], dl.nominal[d]))]
        # Without a margin the promise would rest on nothing: the action is excluded.
        bounded = ul.bounded[u] and dl.bounded[d]
        g = tolerance(mu1, p11, promise.H_T, promise.delta_T) if bounded else NO_TOLERANCE
        D_ul, D_dl = ul.span[m] * promise.tau_slot_s, dl.span[m] * promise.tau_slot_s
        out.rho_ul[m], out.rho_dl[m] = steps_ul / RHO_STEPS, steps_dl / RHO_STEPS
        out.mu1[m], out.p11[m] = mu1, p11
        out.D_ul[m], out.D_dl[m] = D_ul, D_dl
        out.g[m], out.T_cert[m] = g, g * promise.Ts if g > 0 else np.inf
        out.h_ul[m], out.h_dl[m] = delay_index(D_ul, promise.Ts), delay_index(D_dl, promise.Ts)
