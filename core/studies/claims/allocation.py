"""Audit of the allocation guarantees: pruning loses nothing, and the dynamic program is exact.

Equalities at a few instances, no chance in them and budgets of one instance nested: a count, but no interval.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse

from core.allocation import Allocation, DynamicProgram, allocate
from core.control import ControlModel, LoopStates
from core.scenario import Scenario
from core.simulation import snapshot
from core.studies.claims.finding import ClaimVerdict, Finding, always_verdict
from core.twin import Calibration, certify

Floats = NDArray[np.float64]
TOLERANCE = 1e-7
"""Relative; HiGHS itself stops at about this accuracy."""
INSTANCES = 3
CYCLES = (40, 65, 90, 115)
NOTHING_ADMITTED = "No action is admitted at any of these states."


def random_loops(model: ControlModel, n: int, rng: np.random.Generator) -> LoopStates:
    """Loop states spread over the admissible domain, stale and failed counters included."""
    c = rng.integers(0, 4, n)
    return LoopStates(
        V=model.V_max * rng.uniform(0, 0.8, n),
        tr_sigma=rng.uniform(model.sigma_min, model.sigma_max, n),
        c=c,
        c_fail=np.minimum(c, rng.integers(0, 3, n)),
        safe=np.zeros(n, dtype=np.bool_),
    )


def instances(
    scenario: Scenario, calibration: Calibration, seed: int, rng: np.random.Generator
) -> list[tuple[Allocation, Allocation]]:
    """Allocations over the full product of actions and over the online set, at the same random states."""
    model = ControlModel.of(scenario)
    found = []
    for cycle in CYCLES[:INSTANCES]:
        topology = snapshot(scenario, seed, cycle).topology
        states = random_loops(model, scenario.mission.uavs, rng)
        both = [certify(scenario, topology, calibration, states.c_fail, full=full) for full in (True, False)]
        full, online = (allocate(scenario, model, candidates, states) for candidates in both)
        found.append((full, online))
    return found


def frontier_preserves(pairs: list[tuple[Allocation, Allocation]]) -> Finding:
    """prop:frontier-sufficiency: P2 over the frontier is worth what P2 over all admitted actions is, at every budget."""
    kept = trials = pruned = left = 0
    for full, _ in pairs:
        q = full.candidates
        whole = DynamicProgram.of(np.where(full.admitted, full.U, -np.inf), q.slots, q.offsets, full.budget).curve
        kept += int(np.sum(_equal(full.curve, whole)))
        trials += len(whole)
        pruned += int(full.admitted.sum() - full.frontier.sum())
        left += int(full.frontier.sum())
    vacuous = left == 0
    return Finding(
        "frontier",
        "Pruning loses nothing",
        "prop:frontier-sufficiency",
        "F_N(b) over the frontier = F_N(b) over all admitted actions",
        f"equal at {kept} of {trials} budgets; {pruned} dominated actions dropped, {left} left",
        0,
        0,
        ClaimVerdict.VACUOUS if vacuous else always_verdict(kept, trials),
        NOTHING_ADMITTED if vacuous else "",
    )


def online_set_suffices(pairs: list[tuple[Allocation, Allocation]]) -> Finding:
    """D17: the small set used online reaches the value of the full product of routes, codings and slot patterns."""
    kept = sum(int(np.sum(_equal(online.curve, full.curve))) for full, online in pairs)
    trials = sum(len(full.curve) for full, _ in pairs)
    sizes = [(full.candidates.loop.size, online.candidates.loop.size) for full, online in pairs]
    mean_full, mean_online = (float(np.mean(column)) for column in zip(*sizes, strict=True))
    vacuous = all(full.curve[-1] <= 0 for full, _ in pairs)
    return Finding(
        "online-set",
        "Directional pre-pruning is exact",
        "D17",
        "F_N(b) of the online actions = F_N(b) of the full product",
        f"equal at {kept} of {trials} budgets; {mean_online:.0f} actions stand for {mean_full:.0f}",
        0,
        0,
        ClaimVerdict.VACUOUS if vacuous else always_verdict(kept, trials),
        "" if kept == trials else "The printed gate is not monotone in g, so no pruning is exact there (D11).",
    )


def program_is_exact(pairs: list[tuple[Allocation, Allocation]]) -> Finding:
    """Eq. (eq:p2-dp-recurrence): the dynamic program's value equals that of an exact integer solver (HiGHS)."""
    kept = trials = 0
    best = 0.0
    values: list[str] = []
    for _, online in pairs:
        q = online.candidates
        for budget in sorted({online.budget // 2, online.budget}):
            exact = integer_program(np.where(online.frontier, online.U, -np.inf), q.slots, q.offsets, budget)
            kept += int(_equal(np.array([online.curve[budget]]), np.array([exact]))[0])
            trials += 1
            best = max(best, exact, float(online.curve[budget]))
            values.append(f"{online.curve[budget]:.4f} / {exact:.4f}")
    return Finding(
        "dynamic-program",
        "The dynamic program is exact",
        "eq:p2-dp-recurrence",
        "F_N(S) = optimum of P2 (HiGHS, gap 0)",
        f"equal in {kept} of {trials}; value / optimum: {values[0]} m²",
        0,
        0,
        ClaimVerdict.VACUOUS if best == 0.0 else always_verdict(kept, trials),
        NOTHING_ADMITTED if best == 0.0 else "",
    )


def integer_program(U: Floats, slots: NDArray[np.int64], offsets: NDArray[np.int64], budget: int) -> float:
    """P2, Eq. (eq:p2-reduced), as a 0–1 program solved by HiGHS.

    Args:
        U: value of each item, -inf = not on offer, (M,).
        slots: cost of each item, (M,) [slots].
        offsets: loop i owns items offsets[i]:offsets[i+1], (N+1,).
        budget: slots to hand out.
    """
    use = np.flatnonzero(np.isfinite(U) & (U > 0) & (slots <= budget))
    if use.size == 0:
        return 0.0
    loop = np.searchsorted(offsets, use, side="right") - 1
    one_each = sparse.csr_array((np.ones(use.size), (loop, np.arange(use.size))), shape=(len(offsets) - 1, use.size))
    cost = sparse.csr_array(slots[use][None, :].astype(float))
    limits = np.concatenate([np.ones(len(offsets) - 1), [float(budget)]])
    answer = optimize.milp(
        -U[use],
        constraints=optimize.LinearConstraint(sparse.vstack([one_each, cost]), ub=limits),
        integrality=np.ones(use.size),
        bounds=optimize.Bounds(0, 1),
        options={"mip_rel_gap": 0.0},
    )
    return float(-answer.fun)


def _equal(a: Floats, b: Floats) -> NDArray[np.bool_]:
    return np.abs(a - b) <= TOLERANCE * np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))
