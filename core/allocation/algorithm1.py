"""Algorithm 1 of the paper: from certified candidates and loop states to one action, hold or safe mode per loop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.allocation.admission import admit
from core.allocation.frontier import admitted_frontier
from core.allocation.knapsack import DynamicProgram
from core.allocation.knapsack_arguments import whole_budget
from core.allocation.result import Allocation
from core.allocation.sufficiency import sufficient_actions
from core.allocation.synchronisation import in_need, synchronise
from core.allocation.value import value_actions
from core.allocation.verdict import Mode
from core.control import ControlModel, LoopStates, Plan
from core.scenario import Scenario
from core.twin import Candidates
from core.wanted import check


def allocate(
    scenario: Scenario,
    model: ControlModel,
    candidates: Candidates,
    states: LoopStates,
    *,
    plan: Plan | None = None,
    budget: int | None = None,
) -> Allocation:
    """Certified-frontier allocation over TDMA slots, alg:certified-frontier-knapsack, then synchronisation (D13).

    Args:
        scenario: slot budget and switches of the allocator.
        model: control side of the scenario.
        candidates: certified actions of all loops, M rows.
        states: controller-side states of the N loops at cycle start.
        plan: references ahead (D23), `plan_cycles(scenario)` of them; formulation "repaired" or "paper" with admission
            "drift" or "none" needs none.
        budget: slots to hand out instead of `network.slots` [slots].
    """
    S = scenario.network.slots if budget is None else whole_budget(budget)
    admission = admit(scenario, model, candidates, states, plan)
    check()
    baseline = model.baseline(states)
    value = value_actions(scenario, model, candidates, states, terms=admission.terms, baseline=baseline, plan=plan)
    U = value.U
    check()
    known = {}
    if value.predicted is not None:
        best = sufficient_actions(candidates, U, admission.admitted, S)
    else:
        best = known["frontier"] = admitted_frontier(candidates, admission.admitted)
    check()
    program = DynamicProgram.of(np.where(best, U, -np.inf), candidates.slots, candidates.offsets, S)
    need = in_need(
        candidates, states, U, admission.admitted, baseline.hold_admissible, predicted=value.predicted is not None
    )
    sync = synchronise(
        value.worth, candidates, states, program, need, budget=S, exchanges=scenario.allocation.sync_exchanges
    )
    found = Allocation(
        choice=np.where(sync.certified >= 0, sync.certified, sync.choice),
        mode=_modes(
            sync.certified,
            sync.choice,
            baseline.hold_admissible | (not scenario.control.supervisor),
            certificate=admission.rule != "none",
        ),
        certified=sync.certified,
        offered=best,
        curve=program.curve,
        needy=sync.needy,
        priority=sync.priority,
        reserve=sync.reserve,
        budget=S,
        baseline=baseline,
        admission=admission,
        valuation=value,
        plan=plan,
        scenario=scenario,
        model=model,
        candidates=candidates,
        states=states,
    )
    vars(found).update(known)
    return found


def _modes(
    certified: NDArray[np.int64],
    synchronised: NDArray[np.int64],
    may_hold: NDArray[np.bool_],
    *,
    certificate: bool,
) -> NDArray[np.int8]:
    idle = np.where(may_hold, Mode.HOLD, Mode.SAFE)
    served = np.where((certified >= 0) & certificate, Mode.CERTIFIED, Mode.SYNCHRONISATION)
    return np.where((certified >= 0) | (synchronised >= 0), served, idle).astype(np.int8)
