"""What the rules of one allocation make of any candidates: admission, value, frontier, best use of a budget."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.allocation.admission import Admission, drift_terms, passes, refusals
from core.allocation.frontier import admitted_frontier
from core.allocation.knapsack import DynamicProgram
from core.allocation.result import Allocation
from core.lazy import cached_property
from core.twin import Candidates

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Appraisal:
    """M candidates at the states of an allocation, which need not be those it chose from.

    Attributes:
        candidates: the actions.
        admission: which may be used, with Φ and its terms.
        U: value of each action against zero allocation, shape (M,) [m²].
    """

    candidates: Candidates
    admission: Admission
    U: Floats

    @classmethod
    def own(cls, allocation: Allocation) -> Appraisal:
        """The candidates an allocation chose from."""
        found = cls(allocation.candidates, allocation.admission, allocation.U)
        found.__dict__["frontier"] = allocation.frontier  # known already
        return found

    @property
    def admitted(self) -> Bools:
        """Whether each candidate may be used, shape (M,)."""
        return self.admission.admitted

    @cached_property
    def frontier(self) -> Bools:
        """Whether each is on the certified supply frontier of its loop among these, shape (M,)."""
        return admitted_frontier(self.candidates, self.admitted)

    @property
    def standing(self) -> NDArray[np.int8]:
        """Verdict of each as if no frontier had been looked at: refused and why, or DOMINATED where admitted, shape (M,)."""
        return refusals(self.candidates, self.admission)

    def program(self, budget: int) -> DynamicProgram:
        """P2 over the frontier for every number of slots up to `budget` (eq:p2-dp-recurrence) [slots]."""
        values = np.where(self.frontier, self.U, -np.inf)
        return DynamicProgram.of(values, self.candidates.slots, self.candidates.offsets, budget)


def appraise(allocation: Allocation, candidates: Candidates) -> Appraisal:
    """Admission and value of any candidates of the same loops at the states of an allocation, by its own rules.

    Args:
        allocation: gives scenario, states, and what commands, telemetry and zero allocation are worth to each loop.
        candidates: M actions of its loops.
    """
    model, states, exits = allocation.model, allocation.states, allocation.admission.exit_cycles
    loop, rule = candidates.loop, allocation.admission.rule
    terms = drift_terms(model, candidates, states)
    at = None if exits is None else exits[loop]
    admitted = passes(rule, model, terms, candidates.g, c_fail=states.c_fail[loop], exit_cycles=at)
    found = allocation.predicted
    U = found.U(candidates, model.lam) if found is not None else allocation.valuation.B[loop] - terms.phi
    return Appraisal(candidates, Admission(rule, admitted, terms, exits), U)
