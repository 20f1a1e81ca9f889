"""Every number of a sentence about a loop, recomputed from allocation, candidates and model instead of read from the words."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from read_number import read_number

from core.allocation import Sentence, solve_knapsack
from core.instant import Focus, Instant
from core.twin import Exchange


def p2(here: Instant, without: int | None = None, room: int | None = None) -> float:
    """P2's value again, from lists, with one loop left out."""
    a, q = here.allocation, here.candidates
    spans = list(itertools.pairwise(q.offsets.tolist()))
    rows = [np.flatnonzero(a.frontier[b:e]) + b if i != without else np.empty(0, int) for i, (b, e) in enumerate(spans)]
    budget = a.budget - a.reserve if room is None else room
    return (
        solve_knapsack([a.U[r] for r in rows], [q.slots[r] for r in rows], budget).value if budget >= 0 else -math.inf
    )


def recomputed(focus: Focus, source: str) -> object:
    """The value of a name in a sentence about a focus, from allocation, candidates and model, not from the words."""
    here, i = focus.instant, focus.loop
    a, q, m, s = here.allocation, here.candidates, here.model, here.scenario
    whole = here.whole_set(i)
    room = a.budget - a.reserve
    plain = {
        "uav": i + 1,
        "N": s.mission.uavs,
        "budget": s.network.slots,
        "reserve": a.reserve,
        "room": room,
        "value": a.value,
        "H_T": s.twin.H_T,
        "delta_T": s.twin.delta_T,
        "deadline_ms": s.network.deadline_ms,
        "c": here.states.c[i],
        "c_fail": here.states.c_fail[i],
        "v_ratio": here.states.V[i] / m.V_max,
        "tr_sigma": here.states.tr_sigma[i],
        "candidates": len(whole.slots),
        "rank": 1 + sum(w > a.valuation.worth[i] for w in a.valuation.worth),
        "noise_term": a.terms.noise_term,
        "L": s.allocation.lookahead_cycles,
    }
    if source in plain:
        return plain[source]
    paths = here.paths(i)
    ahead = {
        "G": lambda: paths.V_without[1:].mean() - paths.V_served[1:].mean(),
        "telemetry": lambda: m.lam * max(0.0, here.states.tr_sigma[i] + m.tr_proc - m.tr_meas - m.h_max * m.tr_proc),
        "off_without_m": lambda: np.linalg.norm(paths.without[-1] - paths.references[-1]),
        "off_served_m": lambda: np.linalg.norm(paths.at_end[-1] - paths.references[-1]),
        "price": lambda: a.value - p2(here, without=i),
        "B": lambda: a.valuation.B[i],
        "exit_cycles": lambda: a.admission.exit_cycles[i],
        "best_U": lambda: a.U[q.offsets[i] : q.offsets[i + 1]][a.frontier[q.offsets[i] : q.offsets[i + 1]]].max(),
        "cheapest": lambda: here.whole_set(i, here.longest).slots.min(),
    }
    if source in ahead:
        return ahead[source]()
    name, _, what = source.rpartition(".")
    if name in ("chosen", "instead"):
        row = int(a.choice[i])
        named = {
            "slots": q.slots[row],
            "route": Exchange.of(q, row).route,
            "coding": Exchange.of(q, row).coding,
            "U": a.U[row],
        }
        return named[what]
    action = focus.held
    if action is None:
        return recomputed_missing(focus, source)
    if name == "pushed":
        left = room - action.slots
        rows = [np.flatnonzero(a.frontier[b:e]) + b for b, e in itertools.pairwise(q.offsets.tolist())]
        rows[i] = np.empty(0, int)
        then = solve_knapsack([a.U[r] for r in rows], [q.slots[r] for r in rows], left).choice
        out = [j + 1 for j in range(len(then)) if j != i and a.choice[j] >= 0 and not a.needy[j] and then[j] < 0]
        return len(out) - 3 if what == "more" else out[int(what)]
    if name == "dominator":
        row = focus.explanation.dominator
        named = {"slots": q.slots[row], "route": Exchange.of(q, row).route, "coding": Exchange.of(q, row).coding}
        return named[what] if what in named else getattr(q, what)[row] * (1e3 if what[0] in "DT" else 1.0)
    if name == "own":
        return getattr(whole, what)[action.row] * (1e3 if what[0] in "DT" else 1.0)
    if name in ("held", "nearest"):
        return {"slots": action.slots, "route": action.exchange.route}[what]
    drift = m.drift(
        here.states.V[i],
        here.states.tr_sigma[i],
        m.counter(here.states)[i],
        *(getattr(whole, n)[action.row] for n in ("rho_ul", "rho_dl", "g", "h_ul", "h_dl")),
    )
    if source in ("phi", "alpha_bar", "v_term", "sigma_term", "c_star"):
        return getattr(drift, source)
    lists = {
        "U_per_slot": lambda: action.U / action.slots,
        "loss": lambda: a.value - action.U - p2(here, without=i, room=room - action.slots),
        "silent_cycles": lambda: whole.g[action.row] - 1,
        "delivery": lambda: whole.delivery()[action.row],
        "U": lambda: value_of(focus, action.row),
    }
    return lists[source]() if source in lists else getattr(whole, source)[action.row]


def recomputed_missing(focus: Focus, source: str) -> object:
    """A value of the sentence that says why the action wanted is not on offer."""
    here, i, exchange = focus.instant, focus.loop, Exchange.parse(focus.wanted)
    assert exchange is not None
    network = here.scenario.network
    if source == "lost":
        for way, routes in ((exchange.ul, here.candidates.ul_routes), (exchange.dl, here.candidates.dl_routes)):
            known = [
                tuple(n for n in nodes if n >= 0)
                for nodes in routes.nodes[routes.offsets[i] : routes.offsets[i + 1]].tolist()
            ]
            if way not in known:
                return "–".join("G" if node == 0 else str(node) for node in way)
    if source == "gone":
        offered = (*network.blocklengths, *network.retransmissions, *network.patterns)
        return next(v for v in (*exchange.n, *exchange.n_re, exchange.pattern) if v not in offered)
    if source == "needed":
        more = here.whole_set(i, here.longest)
        return next(more.slots[row] for row in range(len(more.slots)) if Exchange.of(more, row) == exchange)
    return {"route": exchange.route, "other": exchange.loop + 1}[source]


def value_of(focus: Focus, row: int) -> float:
    """U by its definition (D23, or B − Φ)."""
    here, i = focus.instant, focus.loop
    whole, found, m = here.whole_set(i), here.allocation.predicted, here.model
    if found is None:
        return float(here.allocation.valuation.B[i] - focus.offer.appraisal.admission.terms.phi[row])
    G = found.G[i]
    return float((whole.rho_dl[row] * G if G >= 0 else G) + m.lam * whole.rho_ul[row] * found.T[i])


def check(focus: Focus, said: Sentence) -> set[str]:
    """Every number of a sentence is its name's value, and no other words hold numbers."""
    seen = set()
    for part in said:
        if part.source:
            expected = recomputed(focus, part.source)
            if isinstance(part.value, str):
                assert part.text == expected, part
            else:
                assert part.value == pytest.approx(float(expected), rel=1e-9, abs=1e-6), part
                assert read_number(part.text) == pytest.approx(float(expected), rel=0.06, abs=0.06), part
            seen.add(part.source)
        else:
            words = part.text
            for symbol in ("P2", "D8", "D13", "D17", "D19", "> 0", "≤ 0", "(ᾱ−1)V"):
                words = words.replace(symbol, "")
            assert not set("0123456789") & set(words), part
    return seen
