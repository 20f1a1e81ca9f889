"""Candidates and certificates of one control cycle against the same rules written with one object per thing.

The peer reads like the paper: for each loop, route, blocklength and retransmission limit an object, for each pair of
them an action with its certificate, pre-pruned alike (D17). Both start from the same routes; the first line of each N has
the route search in it as well. The peer runs on the first 25 loops and is scaled up, since it is linear in the loops.
Times are CPU time of one thread, best of several rounds.

Run: python benchmarks/bench_certify.py [N ...]      (default 50 200 1000)
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from results import Figure, publish
from timing import best_ms

from core import Scenario
from core.network import Routes, fading_table, find_routes
from core.simulation import snapshot
from core.twin import Calibration, certify, default_calibration, link_budget_db
from core.twin.certificate import RHO_STEPS
from core.twin.persistence import failure_bin

PEER_LOOPS = 25
GRID_DB = np.linspace(-40.0, 60.0, 2001)


@dataclass(frozen=True)
class Option:
    slots: int
    worst: float
    nominal: float


@dataclass(frozen=True)
class Action:
    D_ul: float
    D_dl: float
    T_cert: float
    rho_ul: float
    rho_dl: float
    slots: int


def attempt(scenario: Scenario, snr_db: float, rayleigh: bool, n: int, bits: int) -> float:
    table = fading_table(n, bits, None if rayleigh else scenario.network.rician_k_db)
    return float(np.interp(snr_db, GRID_DB, table, left=1.0))


def options_of(scenario: Scenario, calibration: Calibration, routes: Routes, loop: int, bits: int) -> list[Option]:
    net, found = scenario.network, []
    for r in range(routes.offsets[loop], routes.offsets[loop + 1]):
        hops = int(routes.hops[r])
        margin = calibration.margins(scenario.twin.beta)[2 * (hops - 1) + int(routes.rayleigh[r, :hops].any()), 0]
        for n in net.blocklengths:
            for n_re in net.retransmissions:
                failure = {0.0: 0.0, margin: 0.0}
                for lowered in failure:
                    for x in range(hops):
                        e = attempt(scenario, routes.snr_db[r, x] - lowered, bool(routes.rayleigh[r, x]), n, bits)
                        failure[lowered] += e ** (1 + n_re) * (1.0 - failure[lowered])
                slots = hops * (1 + n_re) * math.ceil(n / net.symbols_per_slot)
                if slots * net.tau_slot_s <= net.deadline_ms * 1e-3:
                    found.append(Option(slots, failure[margin], failure[0.0]))
    return [o for o in dict.fromkeys(found) if not any(beats(b, o) for b in found)]


def beats(b: Option, a: Option) -> bool:
    return b != a and b.slots <= a.slots and b.worst <= a.worst and b.nominal <= a.nominal


def actions_of(scenario: Scenario, calibration: Calibration, ul: Routes, dl: Routes, loop: int) -> list[Action]:
    net, twin, found = scenario.network, scenario.twin, []
    p11_of = calibration.persistence(twin.chain_confidence, twin.min_failures, link_budget_db(scenario))
    down = options_of(scenario, calibration, dl, loop, net.bits_dl)
    for u in options_of(scenario, calibration, ul, loop, net.bits_ul):
        for d in down:
            if u.slots + d.slots > net.slots:
                continue
            rho_ul, rho_dl = (math.floor((1.0 - x.worst) * RHO_STEPS) / RHO_STEPS for x in (u, d))
            mu1 = 1.0 - max(0.0, rho_ul + rho_dl - 1.0)
            p11 = p11_of[int(failure_bin(1.0 - (1.0 - u.nominal) * (1.0 - d.nominal)))]
            g = next((L for L in range(1, 1000) if twin.H_T * mu1 * p11 ** (L - 1) <= twin.delta_T), math.inf)
            D_ul, D_dl = u.slots * net.tau_slot_s, d.slots * net.tau_slot_s
            found.append(Action(D_ul, D_dl, g * scenario.control.Ts, rho_ul, rho_dl, u.slots + d.slots))
    return found


def figures(sizes: list[int]) -> Iterator[Figure]:
    calibration = default_calibration()
    for N in sizes:
        scenario = Scenario().replace(**{"mission.uavs": N})
        topology, calm = snapshot(scenario).topology, np.zeros(N, dtype=np.int64)
        c = certify(scenario, topology, calibration, calm)
        ul, dl = find_routes(scenario, topology)
        loops = range(min(N, PEER_LOOPS))
        peer = [actions_of(scenario, calibration, ul, dl, i) for i in loops]
        for i in loops:  # the same work, or the ratio means nothing
            mine = c.certificates()[c.offsets[i] : c.offsets[i + 1]]
            theirs = np.array([[a.D_ul, a.D_dl, a.T_cert, a.rho_ul, a.rho_dl] for a in peer[i]]).reshape(-1, 5)
            order_mine, order_theirs = np.lexsort(mine.round(5).T), np.lexsort(theirs.round(5).T)
            assert np.allclose(mine[order_mine], theirs[order_theirs], atol=2e-5), f"loop {i} differs"
        ours = best_ms(lambda: certify(scenario, topology, calibration, calm), 9)  # noqa: B023
        routes = best_ms(lambda: find_routes(scenario, topology), 9)  # noqa: B023
        slow = best_ms(lambda: [actions_of(scenario, calibration, ul, dl, i) for i in loops], 2)  # noqa: B023
        size = f"N = {N}, {c.g.size:,} candidates"
        yield Figure(
            "routes, actions and certificates", size, ours, "ms", "control period T_s", scenario.control.Ts * 1e3
        )
        yield Figure(
            "actions and certificates", size, ours - routes, "ms", "one object per thing, Python", slow * N / len(loops)
        )


if __name__ == "__main__":
    publish(figures([int(x) for x in sys.argv[1:]] or [50, 200, 1000]))
