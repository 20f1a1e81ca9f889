"""What a decision gives each loop: its routes, its certificate, and whether that is the one asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.allocation import exit_cycles, passes
from core.control import DriftTerms
from core.simulation.policy import CycleView, Decision
from core.twin import Candidates

Bools = NDArray[np.bool_]


def routes_of(candidates: Candidates, choice: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Hops and blocklengths of each loop's uplink and downlink, zero without service, (N, 2) each."""
    hops, n = np.zeros((2, len(choice), 2), dtype=np.int64)
    served = np.flatnonzero(choice >= 0)
    rows = choice[served]
    up, down = candidates.actions.ul[rows], candidates.actions.dl[rows]
    hops[served, 0], hops[served, 1] = candidates.ul_options.hops[up], candidates.dl_options.hops[down]
    n[served, 0], n[served, 1] = candidates.ul_options.n[up], candidates.dl_options.n[down]
    return hops, n


def certified_loops(view: CycleView, decision: Decision) -> Bools:
    """Loops that a decision serves with the certificate that the policy's scenario asks for, as a flight counts them, (N,)."""
    certificate, states = certificates(view.candidates, decision.choice), view.states
    terms = view.model.drift(states.V, states.tr_sigma, view.model.counter(states), **certificate)
    return claimed_rightly(view, decision, terms, certificate["g"])


def claimed_rightly(view: CycleView, decision: Decision, terms: DriftTerms, g: NDArray[np.int64]) -> Bools:
    """Served, with a claim of a certificate, and rightly so, (N,)."""
    return (decision.choice >= 0) & ~decision.synchronisation & _admitted(view, terms, g)


def _admitted(view: CycleView, terms: DriftTerms, g: NDArray[np.int64]) -> Bools:
    """Whether each loop's action has the certificate that the scenario asks for (D24), (N,)."""
    rule = view.scenario.allocation.admission
    if rule == "none":
        return np.zeros(len(g), dtype=np.bool_)
    exits = exit_cycles(view.model, view.states, view.plan) if rule == "reach" else None
    return passes(rule, view.model, terms, g, c_fail=view.states.c_fail, exit_cycles=exits)


def certificates(candidates: Candidates, choice: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """ρ_ul, ρ_dl, g, h_ul, h_dl of each loop's action; zero (no certificate) without service, (N,) each."""
    served = choice >= 0
    found = {}
    for name in ("rho_ul", "rho_dl", "g", "h_ul", "h_dl"):
        column = getattr(candidates, name)
        found[name] = np.zeros(len(choice), dtype=column.dtype)
        found[name][served] = column[choice[served]]
    return found
