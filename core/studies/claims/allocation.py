"""Audit of the allocation guarantees: pruning loses nothing, and the dynamic program is exact.

Equalities at a few instances under every admission rule, no chance in them and budgets of one instance nested: a count,
but no interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse

from core.allocation import Allocation, DynamicProgram, allocate
from core.control import ControlModel
from core.scenario import Scenario
from core.scenario.groups import ADMISSIONS
from core.studies.claims.finding import Finding
from core.studies.claims.moments import Moment, moments
from core.studies.claims.verdict import ClaimVerdict, always_verdict
from core.twin import Calibration, certify

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
TOLERANCE = 1e-7
"""Relative; HiGHS itself stops at about this accuracy."""
NOTHING_ADMITTED = "No action is admitted at any of these states."


@dataclass(frozen=True, eq=False)
class Instance:
    """P2 at one moment under one admission rule, solved in several ways; curves are F_N(b), b = 0 … S [m²].

    Args:
        case: formulation, admission rule and where the states are from, in words.
        actions: size of the full product of actions.
        online_actions: size of the set used online (D17).
        admitted, frontier: actions of the full product that are admitted, and of these on the frontier.
        admitted_curve: over all admitted actions of the full product.
        frontier_curve: over the frontier of the full product.
        online_curve: over the frontier of the online set.
        optimum: value of an exact integer solver over the frontier of the online set, by budget.
    """

    case: str
    actions: int
    online_actions: int
    admitted: int
    frontier: int
    admitted_curve: Floats
    frontier_curve: Floats
    online_curve: Floats
    optimum: dict[int, float]

    @classmethod
    def of(cls, case: str, full: Allocation, online: Allocation) -> Instance:
        """Solve it: `full` and `online` are the allocator's own answers over both sets of actions."""
        q = full.candidates
        whole = DynamicProgram.of(np.where(full.admitted, full.U, -np.inf), q.slots, q.offsets, full.budget)
        q, offered = online.candidates, np.where(online.frontier, online.U, -np.inf)
        budgets = sorted({online.budget // 2, online.budget})
        return cls(
            case=case,
            actions=full.candidates.loop.size,
            online_actions=online.candidates.loop.size,
            admitted=int(full.admitted.sum()),
            frontier=int(full.frontier.sum()),
            admitted_curve=whole.curve,
            frontier_curve=full.program(full.budget).curve,
            online_curve=online.curve,
            optimum={b: integer_program(offered, q.slots, q.offsets, b) for b in budgets},
        )


def instances(
    scenario: Scenario,
    calibration: Calibration,
    seed: int,
    rng: np.random.Generator,
    tick: Callable[[float], None] = lambda _share: None,
) -> list[Instance]:
    """P2 at random and at flown states, under every admission rule (D24)."""
    chosen = moments(scenario, calibration, seed, rng)
    found: list[Instance] = []
    for i, moment in enumerate(chosen):
        found += _solved(scenario, calibration, moment)
        tick((i + 1) / len(chosen))
    return found


def _solved(scenario: Scenario, calibration: Calibration, moment: Moment) -> Iterator[Instance]:
    """One instance per admission rule; the rules share the certificates."""
    states, model = moment.states, ControlModel.of(scenario)
    full, online = (
        certify(scenario, moment.topology, calibration, states.c_fail, full=everything) for everything in (True, False)
    )
    for rule in ADMISSIONS:
        ruled = scenario.replace(**{"allocation.admission": rule})
        case = f"formulation {scenario.formulation}, admission {rule}, {moment.origin}"
        answers = (allocate(ruled, model, candidates, states, plan=moment.plan) for candidates in (full, online))
        yield Instance.of(case, *answers)


def frontier_preserves(found: Sequence[Instance]) -> Finding:
    """prop:frontier-sufficiency: P2 over the frontier is worth what P2 over all admitted actions is, at every budget."""
    same = [_equal(i.frontier_curve, i.admitted_curve) for i in found]
    left = sum(i.frontier for i in found)
    pruned = sum(i.admitted for i in found) - left
    return _finding(
        "frontier",
        "Pruning loses nothing",
        "prop:frontier-sufficiency",
        "F_N(b) over the frontier = F_N(b) over all admitted actions",
        found,
        same,
        f"{pruned} dominated actions dropped, {left} left",
        vacuous=left == 0,
    )


def online_set_suffices(found: Sequence[Instance]) -> Finding:
    """D17: the small set used online reaches the value of the full product of routes, codings and slot patterns."""
    same = [_equal(i.online_curve, i.frontier_curve) for i in found]
    full, online = (float(np.mean([getattr(i, name) for i in found])) for name in ("actions", "online_actions"))
    return _finding(
        "online-set",
        "Directional pre-pruning is exact",
        "D17",
        "F_N(b) of the online actions = F_N(b) of the full product",
        found,
        same,
        f"{online:.0f} actions stand for {full:.0f}",
        vacuous=all(i.frontier_curve[-1] <= 0 for i in found),
        why="The printed gate is not monotone in g, so no pruning is exact there (D11).",
    )


def program_is_exact(found: Sequence[Instance]) -> Finding:
    """Eq. (eq:p2-dp-recurrence): the dynamic program's value equals that of an exact integer solver (HiGHS)."""
    pairs = [(i.online_curve[list(i.optimum)], np.array(list(i.optimum.values()))) for i in found]
    same = [_equal(value, optimum) for value, optimum in pairs]
    best = max((float(np.max(both)) for both in pairs), default=0.0)
    value, optimum = pairs[0]
    return _finding(
        "dynamic-program",
        "The dynamic program is exact",
        "eq:p2-dp-recurrence",
        "F_N(S) = optimum of P2 (HiGHS, gap 0)",
        found,
        same,
        f"value / optimum: {value[-1]:.4f} / {optimum[-1]:.4f} m² in the first",
        vacuous=best == 0.0,
    )


def _finding(
    key: str,
    title: str,
    reference: str,
    promise: str,
    found: Sequence[Instance],
    same: list[Bools],
    detail: str,
    *,
    vacuous: bool,
    why: str = "",
) -> Finding:
    """An equality at every budget of every instance; a violated one names its formulation and rule."""
    kept, trials = (sum(int(count(s)) for s in same) for count in (np.sum, np.size))
    broken = [i.case for i, s in zip(found, same, strict=True) if not s.all()]
    note = f"Broken in {len(broken)} of {len(found)}, first: {broken[0]}. {why}".strip() if broken else ""
    return Finding(
        key,
        title,
        reference,
        promise,
        f"equal at {kept} of {trials} budgets of {len(found)} instances "
        f"(random and flown states, admission {', '.join(ADMISSIONS)}); {detail}",
        0,
        0,
        ClaimVerdict.VACUOUS if vacuous else always_verdict(kept, trials),
        NOTHING_ADMITTED if vacuous else note,
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
