"""Lesson 05: frontier and dynamic program."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from app.teaching.closed_loop import lesson_flight
from app.teaching.coding import function
from app.teaching.exercise import Exercise, Trap, add
from app.teaching.matching import number, whole
from app.teaching.toys import BUDGET, CERTIFICATES, COSTS, SLOTS, VALUES, greedy_value
from core.allocation import dominates, solve_knapsack
from core.allocation.frontier import SIGN

CYCLE, LOOPS = 24, 5
"""Instant and number of loops of exercise 05.4."""
CHEAPER = [*SLOTS[:2], SLOTS[2] - 1]
"""The toy with a cheaper loop C (exercise 05.3)."""


def beats(a: Any, b: Any) -> bool:
    """What exercise 05.1 asks for: dominance with one coordinate strictly better."""
    return bool(dominates(a, b) and np.any(a != b))


def _equals_count(a: Any, b: Any) -> bool:
    return bool(dominates(a, b))


def _all_strict(a: Any, b: Any) -> bool:
    return bool(np.all(np.asarray(a) * SIGN < np.asarray(b) * SIGN))


def _all_smaller(a: Any, b: Any) -> bool:
    return bool(np.all(np.asarray(a) <= np.asarray(b)) and np.any(a != b))


def _cost_forgotten(a: Any, b: Any) -> bool:
    x, y = (np.asarray(v) * SIGN for v in (a, b))
    return bool(np.all(x[:5] <= y[:5]) and np.any(x[:5] != y[:5]))


@functools.cache
def _pairs() -> Sequence[tuple[Any, ...]]:
    rows, draw = np.column_stack([CERTIFICATES, COSTS]), np.random.default_rng(505)
    cases = []
    for i in range(60):
        a = rows[draw.integers(len(rows))].copy()
        b = a.copy()
        for _ in range(i % 4):  # none, one or a few coordinates differ, in either direction
            at = draw.integers(6)
            b[at] += draw.choice([-1.0, 1.0]) * (0.01 if at in (3, 4) else 0.001 if at < 2 else 1.0)
        worse = b - 0.5 * SIGN * np.abs(b) * (i % 5 == 0)
        cases.append((a, worse if i % 5 == 0 else b))
    return [*cases, *((b, a) for a, b in cases)]


def best_values(values: Any, slots: Any, budget: int) -> Any:
    """What exercise 05.2 asks for."""
    return solve_knapsack(values, slots, budget).curve


def _greedy(values: Any, slots: Any, budget: int) -> Any:
    return [greedy_value(values, slots, b) for b in range(budget + 1)]


def _many_per_loop(values: Any, slots: Any, budget: int) -> Any:
    flat = [([v], [s]) for vs, ss in zip(values, slots, strict=True) for v, s in zip(vs, ss, strict=True)]
    return solve_knapsack([v for v, _ in flat], [s for _, s in flat], budget).curve


def _again_and_again(values: Any, slots: Any, budget: int) -> Any:
    F = [0.0] * (budget + 1)
    items = [(v, int(s)) for vs, ss in zip(values, slots, strict=True) for v, s in zip(vs, ss, strict=True)]
    for b in range(budget + 1):
        F[b] = max([0.0, *(F[b - s] + v for v, s in items if s <= b)])
    return F


@functools.cache
def _problems() -> Sequence[tuple[Any, ...]]:
    draw, cases = np.random.default_rng(515), []
    for n in (1, 2, 3, 4, 5, 6) * 3:
        sizes = draw.integers(1, 4, n)
        values = [np.round(draw.uniform(0.5, 10.0, k), 1) for k in sizes]
        cases.append((values, [draw.integers(1, 14, k) for k in sizes], int(draw.integers(5, 40))))
    return cases


def _marginal(slots: list[np.ndarray], b: int) -> float:
    curve = solve_knapsack(VALUES, slots, b).curve
    return float(curve[b] - curve[b - 1])


@functools.cache
def fewest_slots(loops: int) -> int:
    """Smallest frame, from the swarm's own upwards, in which the allocator serves that many loops in the exercise's instant."""
    now = lesson_flight().instant(CYCLE)
    frames = range(now.scenario.network.slots, now.longest + 1)
    return next(S for S in frames if int((_frame(S).choice >= 0).sum()) >= loops)


def _frame(slots: int) -> Any:
    now = lesson_flight().instant(CYCLE)
    return now.replace(scenario=now.scenario.replace(**{"network.slots": slots})).allocation


add(
    Exercise(
        "05.1",
        function(
            "beats(a, b)",
            "True where row a dominates row b (D_ul, D_dl, T_cert, ρ_ul, ρ_dl, slots)",
            _pairs,
            shipped=("dominates", "certified_frontier"),
        ),
        lambda: beats,
        hints=(
            "Nowhere worse, and somewhere better. What about two equal rows?",
            "Smaller is better in columns 0, 1, 2 and 5, larger in 3 and 4; turn the signs of those two and compare all at once.",
            "sign = np.array([1, 1, 1, -1, -1, 1]); bool(np.all(a * sign <= b * sign) and np.any(a != b)).",
        ),
        praise="A partial order: most pairs of actions do not dominate each other either way, so most frontiers are long.",
        traps=(
            Trap(
                lambda: _equals_count, "Equal rows do not dominate each other: one coordinate must be strictly better."
            ),
            Trap(
                lambda: _all_strict,
                "Better everywhere is too much to ask: no worse anywhere and better somewhere is enough.",
            ),
            Trap(lambda: _all_smaller, "Larger is better for ρ_ul and ρ_dl."),
            Trap(
                lambda: _cost_forgotten, "The slots count too: a better certificate that costs more does not dominate."
            ),
        ),
        trains="partial orders and dominance",
    ),
    Exercise(
        "05.2",
        function(
            "best_values(values, slots, budget)",
            "the list F(0), F(1), …, F(budget) after all loops",
            _problems,
            shipped=("solve_knapsack", "solve_knapsack_csr"),
        ),
        lambda: best_values,
        hints=(
            "One row of F per loop; a new row looks only at the row before it.",
            "Start with F = [0] * (budget + 1). For each loop make a new list from the old F: stay at F[b], or take one action of cost s ≤ b and add its value to F[b − s].",
            "for v, s in zip(values, slots): F = [max([F[b], *(F[b - int(c)] + x for x, c in zip(v, s) if c <= b)]) for b in range(budget + 1)].",
        ),
        praise="Exact, for every budget at once. The allocator does the same with a thousand actions per frame.",
        traps=(
            Trap(
                lambda: _greedy,
                "That is greedy (best value per slot first): a small item in the way can cost two others.",
            ),
            Trap(
                lambda: _many_per_loop,
                "At most one action per loop: a new row may only look at the row of the loops before it.",
            ),
            Trap(lambda: _again_and_again, "You take the same action more than once; each loop has one row."),
        ),
        trains="writing the dynamic program",
    ),
    Exercise(
        "05.3",
        number(rel=1e-6),
        lambda: _marginal(CHEAPER, BUDGET),
        hints=(
            "Marginal: what the 20th slot adds to 19.",
            "F(20) − F(19) with SLOTS[2] replaced by [9]; your function or solve_knapsack(…).curve has both.",
            "curve = solve_knapsack(VALUES, [SLOTS[0], SLOTS[1], [9]], 20).curve; curve[20] - curve[19].",
        ),
        praise="The marginal value is what a slot is worth now; it is not F(b)/b and it need not fall steadily.",
        traps=(
            Trap(
                lambda: solve_knapsack(VALUES, CHEAPER, BUDGET).value / BUDGET,
                "That is the average value of a slot, not that of the last one.",
            ),
            Trap(lambda: _marginal(SLOTS, BUDGET), "That is with C at 10 slots, as in the table."),
        ),
        trains="average against marginal value",
    ),
    Exercise(
        "05.4",
        whole("slots"),
        lambda: fewest_slots(LOOPS),
        hints=(
            "Lengthen the frame and count who gets slots.",
            'later = flight.instant(24); later.replace(scenario=scenario.replace(**{"network.slots": S})).allocation.choice is −1 for loops without slots.',
            "next(S for S in range(32, 200) if (later.replace(scenario=…).allocation.choice >= 0).sum() >= 5).",
        ),
        praise="Loops are not equally expensive: those that need relays around the building ask for several times the slots.",
        traps=(Trap(lambda: fewest_slots(LOOPS - 1), "With that frame only four loops are served."),),
        trains="using the allocator as an instrument",
    ),
)
