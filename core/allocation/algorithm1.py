"""Algorithm 1 of the paper: from certified candidates and loop states to one action, hold or safe mode per loop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.allocation.frontier import COORDINATES, frontier_mask
from core.allocation.knapsack import DynamicProgram
from core.allocation.knapsack_arguments import whole_budget
from core.allocation.result import Allocation
from core.allocation.synchronisation import in_need, synchronise
from core.allocation.verdict import Mode, Verdict
from core.control import ControlModel, DriftTerms, LoopStates
from core.scenario import Scenario
from core.twin import Candidates


def allocate(
    scenario: Scenario, model: ControlModel, candidates: Candidates, states: LoopStates, *, budget: int | None = None
) -> Allocation:
    """Certified-frontier allocation over TDMA slots, alg:certified-frontier-knapsack, then synchronisation (D13).

    Args:
        scenario: slot budget and switches of the allocator.
        model: control side of the scenario.
        candidates: certified actions of all loops, M rows.
        states: controller-side states of the N loops at cycle start.
        budget: slots to hand out instead of `network.slots` [slots].
    """
    S = scenario.network.slots if budget is None else whole_budget(budget)
    terms = drift_terms(model, candidates, states)
    admitted = model.admitted(terms, states.c_fail[candidates.loop], candidates.g)
    frontier = frontier_mask(coordinates(candidates), candidates.offsets, keep=admitted)
    baseline = model.baseline(states)
    U = baseline.B[candidates.loop] - terms.phi
    program = DynamicProgram.of(np.where(frontier, U, -np.inf), candidates.slots, candidates.offsets, S)
    need = in_need(candidates, states, admitted, baseline.hold_admissible)
    sync = synchronise(model, candidates, states, program, need, budget=S, exchanges=scenario.allocation.sync_exchanges)
    return Allocation(
        choice=np.where(sync.certified >= 0, sync.certified, sync.choice),
        mode=_modes(sync.certified, sync.choice, baseline.hold_admissible | (not scenario.control.supervisor)),
        U=U,
        admitted=admitted,
        frontier=frontier,
        verdict=_verdicts(candidates, terms, admitted, frontier, sync.certified, sync.choice),
        curve=program.curve,
        needy=sync.needy,
        priority=sync.priority,
        reserve=sync.reserve,
        budget=S,
        baseline=baseline,
        terms=terms,
        scenario=scenario,
        model=model,
        candidates=candidates,
        states=states,
    )


def drift_terms(model: ControlModel, candidates: Candidates, states: LoopStates) -> DriftTerms:
    """Φ of every candidate at its loop's state, eq:drift-bound, shapes (M,)."""
    i = candidates.loop
    return model.drift(
        states.V[i],
        states.tr_sigma[i],
        model.counter(states)[i],
        candidates.rho_ul,
        candidates.rho_dl,
        candidates.g,
        candidates.h_ul,
        candidates.h_dl,
    )


def coordinates(candidates: Candidates) -> NDArray[np.float64]:
    """The six coordinates in which actions are compared, natural signs, shape (M, 6)."""
    columns = np.empty((len(COORDINATES), candidates.loop.size))
    for column, name in zip(columns, COORDINATES, strict=True):
        column[:] = getattr(candidates, name)
    return columns.T


def _modes(
    certified: NDArray[np.int64], synchronised: NDArray[np.int64], may_hold: NDArray[np.bool_]
) -> NDArray[np.int8]:
    idle = np.where(may_hold, Mode.HOLD, Mode.SAFE)
    served = np.where(certified >= 0, Mode.CERTIFIED, Mode.SYNCHRONISATION)
    return np.where((certified >= 0) | (synchronised >= 0), served, idle).astype(np.int8)


def _verdicts(
    candidates: Candidates,
    terms: DriftTerms,
    admitted: NDArray[np.bool_],
    frontier: NDArray[np.bool_],
    certified: NDArray[np.int64],
    synchronised: NDArray[np.int64],
) -> NDArray[np.int8]:
    verdict = np.where(terms.phi > 0.0, Verdict.REFUSED_DRIFT.code, Verdict.REFUSED_GATE.code).astype(np.int8)
    verdict[candidates.g < 1] = Verdict.NO_BOUND.code
    verdict[admitted] = Verdict.DOMINATED.code
    verdict[frontier] = Verdict.FRONTIER.code
    verdict[certified[certified >= 0]] = Verdict.CHOSEN.code
    verdict[synchronised[synchronised >= 0]] = Verdict.SYNCHRONISATION.code
    return verdict
