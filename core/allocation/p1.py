"""P1: the benchmark over the whole unpruned action set, before admission and before the frontier."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.allocation.admission import admit
from core.allocation.knapsack import solve_knapsack_csr
from core.allocation.knapsack_arguments import whole_budget
from core.allocation.knapsack_kernels import collapse
from core.allocation.result import Allocation
from core.allocation.value import value_actions
from core.control import ControlModel, LoopStates, Plan
from core.scenario import Scenario
from core.twin import Candidates
from core.wanted import check


@dataclass(frozen=True, eq=False)
class Benchmark:
    """An optimum of P1.

    Attributes:
        choice: candidate of each loop, -1 = zero-slot continuation, shape (N,).
        value: total U against zero allocation, Σ(B − J), comparable with `Allocation.value` [m²].
        J: the minimum of Σ J_i that P1 asks for [m²].
        admitted: whether each chosen action would also be admitted by the scenario's certificate, True where none is chosen, shape (N,).
        slots_used: slots of the chosen actions [slots].
    """

    choice: NDArray[np.int64]
    value: float
    J: float
    admitted: NDArray[np.bool_]
    slots_used: int

    def regret(self, allocation: Allocation) -> float:
        """Value that admission, frontier and reserve cost in this cycle [m²]."""
        return self.value - allocation.value


def solve_p1(
    scenario: Scenario,
    model: ControlModel,
    candidates: Candidates | Iterable[Candidates],
    states: LoopStates,
    *,
    plan: Plan | None = None,
    budget: int | None = None,
) -> Benchmark:
    r"""Solve P1 exactly, eq:p1-benchmark.

    .. math:: \min \sum_i J_i(\pi_i, \zeta_i) \quad\text{s.t.}\quad \pi_i \in \Pi_i^+,\ \sum_i s_i(\pi_i) \le S

    Zero slots cost J⁰ where hold is admissible and J_safe elsewhere, so J_i = B_i there, and minimising ΣJ is
    maximising Σ(B − J). Every action with a certificate takes part, admitted or not; with admission 'none' those without one too.

    Args:
        scenario: slot budget.
        model: control side of the scenario.
        candidates: the whole action set (`certify(…, full=True)`), M rows; or parts of it, each of the next loops, which are
            looked at one after the other, so that not all of it need be in memory.
        states: controller-side states of the N loops at cycle start.
        plan: references ahead, as for `allocate`.
        budget: slots to hand out instead of `network.slots` [slots].
    """
    S = scenario.network.slots if budget is None else whole_budget(budget)
    baseline = model.baseline(states)
    B, first, found = baseline.B, 0, []
    for part in [candidates] if isinstance(candidates, Candidates) else candidates:
        admission = admit(scenario, model, part, states, plan)
        check()
        value = value_actions(scenario, model, part, states, terms=admission.terms, baseline=baseline, plan=plan)
        values = np.where((part.g >= 1) | (admission.rule == "none"), value.U, -np.inf)
        check()
        # of the actions of one loop and cost only the best can matter: the others need not be kept
        cost, worth, row, _ = collapse(values, part.slots, part.offsets, S)
        some = row >= 0
        row = row[some]
        found.append((cost[some], worth[some], part.loop[row], admission.admitted[row], first + row))
        B, first = value.B, first + len(part.slots)
    cost, worth, loop, admissible, row = (np.concatenate(column) for column in zip(*found, strict=True))
    best = solve_knapsack_csr(worth, cost, np.searchsorted(loop, np.arange(len(states) + 1)), S)
    served = best.choice >= 0
    choice, admitted = np.full(len(states), -1, dtype=np.int64), np.ones(len(states), dtype=np.bool_)
    choice[served], admitted[served] = row[best.choice[served]], admissible[best.choice[served]]
    return Benchmark(choice, best.value, float(B.sum()) - best.value, admitted, best.slots_used)
