"""Lesson 05: frontier and dynamic program."""

from __future__ import annotations

import functools

import numpy as np

from app.teaching.exercise import Exercise, Trap, add
from app.teaching.instant import picture_of
from app.teaching.matching import number, set_of, whole
from app.teaching.toys import BUDGET, CERTIFICATES, COSTS, SLOTS, VALUES, greedy_value
from core.allocation import certified_frontier, solve_knapsack
from core.scenario import preset

SWARM = preset("teaching-swarm")


def _frontier() -> list[int]:
    return np.flatnonzero(certified_frontier(CERTIFICATES, COSTS)).tolist()


def _cheapest_only() -> list[int]:
    return np.flatnonzero(certified_frontier(np.delete(CERTIFICATES, 4, axis=1)[:, [0, 1, 2, 3, 3]], COSTS)).tolist()


def _marginal(b: int) -> float:
    curve = solve_knapsack(VALUES, SLOTS, b).curve
    return float(curve[b] - curve[b - 1])


@functools.lru_cache(maxsize=8)
def fewest_slots(loops: int) -> int:
    """Smallest frame, from the swarm's own upwards, in which the allocator serves that many of its loops."""
    return next(
        S
        for S in range(SWARM.network.slots, 201)
        if int((picture_of(SWARM, slots=S).allocation.choice >= 0).sum()) >= loops
    )


add(
    Exercise(
        "05.1",
        set_of("row numbers"),
        _frontier,
        hint="A row goes if another one is at least as good in all six columns: lower D and T, higher ρ, fewer slots.",
        praise="Row 4 survives by a single coordinate: certificates are only partially ordered.",
        traps=(
            Trap(_cheapest_only, "Compare ρ_dl too: one row is better than its rival in that column only."),
            Trap(lambda: [i for i in range(len(COSTS)) if i not in _frontier()], "These are the dominated rows."),
        ),
        trains="partial orders and dominance",
    ),
    Exercise(
        "05.2",
        number(rel=1e-6),
        lambda: solve_knapsack(VALUES, SLOTS, BUDGET).value,
        hint="Try all combinations with at most one action per loop and at most 20 slots.",
        praise="The most valuable action per slot is left out: it would block two others.",
        traps=(
            Trap(
                lambda: greedy_value(VALUES, SLOTS, BUDGET),
                "That is the greedy answer (best value per slot first); there is a better one.",
            ),
            Trap(lambda: solve_knapsack(VALUES, SLOTS, BUDGET + 1).value, "That needs 21 slots."),
        ),
        trains="why greedy fails on a knapsack",
    ),
    Exercise(
        "05.3",
        number(rel=1e-6),
        lambda: _marginal(BUDGET + 1),
        hint="F(21) − F(20); `solve_knapsack(values, slots, 21).curve` holds F(b) for every b.",
        praise="The marginal value is what a slot is worth *now*; it is not F(b)/b and it need not fall steadily.",
        traps=(
            Trap(
                lambda: solve_knapsack(VALUES, SLOTS, BUDGET).value / BUDGET,
                "That is the average value of a slot, not that of the next one.",
            ),
        ),
        trains="average against marginal value",
    ),
    Exercise(
        "05.4",
        whole("slots"),
        lambda: fewest_slots(6),
        hint="Count (picture_of(scenario, slots=S).allocation.choice >= 0).sum() for growing S.",
        praise="Loops are not equally dear: those that need relays around the building ask for several times the slots.",
        traps=(Trap(lambda: fewest_slots(5), "With that frame only five loops are served."),),
        trains="using the allocator as an instrument",
    ),
)
