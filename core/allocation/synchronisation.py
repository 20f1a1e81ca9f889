"""Who is heard although P2 passes it over: leftover slots and a reserve go to the loops that need it (D13)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.allocation.knapsack import DynamicProgram, solve_knapsack_csr
from core.control import LoopStates
from core.twin import Candidates

MIN_DELIVERY = 0.05
"""Smallest predicted chance of a bidirectional exchange that is worth slots [-]."""


@dataclass(frozen=True, eq=False)
class Synchronisation:
    """Outcome of the pass.

    Attributes:
        certified: P2's choice within what the reserve leaves it, -1 = none, shape (N,).
        choice: candidate sent without claiming a certificate, -1 = none, shape (N,).
        needy: loops in need that P2 does not serve, shape (N,).
        priority: what hearing each loop is worth, shape (N,) [m²]; see `priorities`.
        reserve: slots withheld from P2 for the pass; 0 when P2 left enough or nobody is needy [slots].
    """

    certified: NDArray[np.int64]
    choice: NDArray[np.int64]
    needy: NDArray[np.bool_]
    priority: NDArray[np.float64]
    reserve: int


def in_need(
    candidates: Candidates,
    states: LoopStates,
    U: NDArray[np.float64],
    admitted: NDArray[np.bool_],
    hold_admissible: NDArray[np.bool_],
    *,
    predicted: bool,
) -> NDArray[np.bool_]:
    """Loops that may never be heard again if P2 alone hands out slots (D13), shape (N,).

    Either no action is admitted (every Φ > 0, or no certificate at all), or the loop is in local safe mode or about
    to enter it. There J_safe, not the growing J_hold, is what service is compared with: U is small or negative and no
    longer rises while the loop waits, so P2 can pass it over for good. A loop that may hold is not in need: its U
    rises with every cycle. With the predicted value (D23) the onboard law is compared like any other path, so a loop
    in safe mode is in need only where no admitted action is worth anything.

    Args:
        candidates: the actions of all loops.
        states: loop states.
        U: value of each action, shape (M,) [m²].
        admitted: admission of each action, shape (M,).
        hold_admissible: whether each loop may hold, shape (N,).
        predicted: whether U is the predicted value.
    """
    any_admitted = np.zeros(len(states), dtype=np.bool_)
    any_admitted[candidates.loop[admitted]] = True
    onboard = states.safe | ~hold_admissible
    if predicted and onboard.any():
        worth = np.zeros(len(states), dtype=np.bool_)
        worth[candidates.loop[admitted & (U > 0.0)]] = True
        onboard &= ~worth
    return ~any_admitted | onboard


def priorities(worth: NDArray[np.float64], states: LoopStates) -> NDArray[np.float64]:
    r"""What hearing a loop is worth to the synchronisation pass (D13), shape (N,) [m²].

    .. math:: w(\zeta)\,\frac{1 + c}{1 + c_{fail}}

    w is what an exchange with the loop is predicted to be worth (D23), in the other formulations W itself.

    (1+c)/(1+c_fail) is the mean number of cycles per attempt since the loop was last heard. A loop that is tried in
    every cycle keeps w; one that waits gains in proportion to its wait. So a hopeless link cannot take every slot
    (largest w first lets it), yet is tried again: whoever is passed over overtakes in the end.
    """
    cycles_per_attempt: NDArray[np.float64] = (1.0 + states.c) / (1.0 + states.c_fail)
    return worth * cycles_per_attempt


def synchronise(
    worth: NDArray[np.float64],
    candidates: Candidates,
    states: LoopStates,
    program: DynamicProgram,
    need: NDArray[np.bool_],
    *,
    budget: int,
    exchanges: int,
) -> Synchronisation:
    """P2's choice, and what it leaves, plus a reserve, spent on the loops in need that it passes over (D13).

    The slots are shared out so that Σ priority × predicted delivery is largest, by the same exact knapsack as P2: a
    single needy loop gets its most reliable action that fits. The reserve is the cheapest usable exchange of each of
    the first `exchanges` needy loops by priority, at most half the frame, and is withheld only when P2 leaves fewer slots.

    Args:
        worth: w of each loop, shape (N,) [m²].
        candidates: the actions of all loops.
        states: loop states.
        program: P2's dynamic program.
        need: loops in need, shape (N,).
        budget: S [slots].
        exchanges: exchanges in the reserve; 0 switches the pass off.
    """
    priority = priorities(worth, states)
    certified = program.choice(budget)
    none = np.full(len(states), -1, dtype=np.int64)
    rows = np.flatnonzero(need[candidates.loop] & (candidates.slots <= budget))
    rows = rows[candidates.delivery(rows) >= MIN_DELIVERY]
    cheapest = np.full(len(states), budget + 1, dtype=np.int64)
    np.minimum.at(cheapest, candidates.loop[rows], candidates.slots[rows])
    waiting = np.flatnonzero(need & (certified < 0) & (cheapest <= budget))
    if exchanges == 0 or waiting.size == 0:
        return Synchronisation(certified, none, need & (certified < 0), priority, 0)

    first = waiting[np.argsort(-priority[waiting], kind="stable")][:exchanges]
    wanted = np.cumsum(cheapest[first])
    reserve = int(wanted[wanted <= budget // 2].max(initial=0))
    if budget - _cost(candidates, certified) >= reserve:
        reserve = 0
    certified = program.choice(budget - reserve)
    needy = need & (certified < 0)
    rows = rows[needy[candidates.loop[rows]]]
    if rows.size == 0:  # on the smaller budget P2 serves the waiting loops itself
        return Synchronisation(certified, none, needy, priority, reserve)
    loop = candidates.loop[rows]
    best = solve_knapsack_csr(
        priority[loop] * candidates.delivery(rows),
        candidates.slots[rows],
        np.searchsorted(loop, np.arange(len(states) + 1)),
        budget - _cost(candidates, certified),
    )
    choice = np.where(best.choice >= 0, rows[best.choice], -1)
    return Synchronisation(certified, choice, needy, priority, reserve)


def _cost(candidates: Candidates, choice: NDArray[np.int64]) -> int:
    """Slots of a choice."""
    return int(candidates.slots[choice[choice >= 0]].sum())
