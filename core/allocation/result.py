"""What Algorithm 1 returns: the decision, and for every candidate the numbers behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.allocation.admission import Admission, refusals
from core.allocation.frontier import admitted_frontier, coordinates, frontier_mask
from core.allocation.knapsack import DynamicProgram
from core.allocation.prediction import PredictedValue
from core.allocation.value import Valuation
from core.allocation.verdict import VERDICTS, Mode, Verdict
from core.control import Baseline, ControlModel, DriftTerms, LoopStates, Plan
from core.lazy import cached_property
from core.scenario import Scenario
from core.twin import Candidates

if TYPE_CHECKING:
    from core.allocation.explanation import Explanation


@dataclass(frozen=True, eq=False)
class Allocation:
    """The allocation of one cycle over N loops and M candidates (alg:certified-frontier-knapsack).

    Attributes:
        choice: candidate that each loop sends, -1 = zero allocation, shape (N,).
        mode: how each loop spends the cycle (Mode), shape (N,).
        certified: candidate that P2 gives each loop, -1 = none; what else is sent is synchronisation (D13), shape (N,).
        offered: the frontier actions that P2 can choose, all that it looks at (prop:frontier-sufficiency), shape (M,).
        curve: F_N(b) for b = 0 … budget (eq:p2-dp-recurrence), shape (budget+1,) [m²].
        needy: loops in need that P2 passes over (D13), shape (N,).
        priority: what hearing each loop is worth to the synchronisation pass, shape (N,) [m²].
        reserve: slots withheld from P2 for synchronisation [slots].
        budget: S [slots].
        baseline: B, J⁰, J_safe and hold-admissibility of each loop (eq:allocation-baseline).
        admission: what decided which actions may be used (D24), with Φ and its terms for each candidate.
        valuation: U of each candidate and what it is measured from.
        plan: the references ahead that it was made with, None where the formulation needs none.
        scenario, model, candidates, states: what the decision was made from.
    """

    choice: NDArray[np.int64]
    mode: NDArray[np.int8]
    certified: NDArray[np.int64]
    offered: NDArray[np.bool_]
    curve: NDArray[np.float64]
    needy: NDArray[np.bool_]
    priority: NDArray[np.float64]
    reserve: int
    budget: int
    baseline: Baseline
    admission: Admission
    valuation: Valuation
    plan: Plan | None = field(repr=False)
    scenario: Scenario = field(repr=False)
    model: ControlModel = field(repr=False)
    candidates: Candidates = field(repr=False)
    states: LoopStates = field(repr=False)

    @cached_property
    def frontier(self) -> NDArray[np.bool_]:
        """Whether each candidate is on the certified supply frontier of its loop, shape (M,)."""
        return admitted_frontier(self.candidates, self.admitted)

    @cached_property
    def verdict(self) -> NDArray[np.int8]:
        """What became of each candidate, position in VERDICTS, shape (M,)."""
        return self._verdicts(slice(0, self.admitted.size), self.frontier)

    def rows_of(self, loop: int) -> slice:
        """The candidates of one loop."""
        return slice(*self.candidates.offsets[loop : loop + 2].tolist())

    def frontier_of(self, loop: int) -> NDArray[np.bool_]:
        """`frontier` for the candidates of one loop, without working out those of all others, shape (its candidates,)."""
        own = self.rows_of(loop)
        if "frontier" in vars(self):
            return self.frontier[own]
        compared = coordinates(self.candidates, own)
        return frontier_mask(compared, np.array([0, len(compared)]), keep=self.admitted[own])

    def verdicts_of(self, loop: int) -> NDArray[np.int8]:
        """`verdict` for the candidates of one loop, without working out those of all others, shape (its candidates,)."""
        return self._verdicts(self.rows_of(loop), self.frontier_of(loop))

    def _verdicts(self, rows: slice, frontier: NDArray[np.bool_]) -> NDArray[np.int8]:
        verdict = refusals(self.candidates, self.admission)[rows]
        verdict[frontier] = Verdict.FRONTIER.code
        for sent, became in ((self.choice, Verdict.SYNCHRONISATION), (self.certified, Verdict.CHOSEN)):
            here = sent[(sent >= rows.start) & (sent < rows.stop)]
            verdict[here - rows.start] = became.code
        return verdict

    @property
    def synchronisation(self) -> NDArray[np.bool_]:
        """Whether each loop's candidate is sent without a certificate (D13), shape (N,)."""
        sent: NDArray[np.bool_] = self.mode == Mode.SYNCHRONISATION
        return sent

    @property
    def value(self) -> float:
        """Total U of the certified choices, F_N(budget − reserve) [m²]."""
        return float(self.curve[self.room])

    @property
    def room(self) -> int:
        """Slots that P2 may hand out, budget − reserve."""
        return self.budget - self.reserve

    @property
    def U(self) -> NDArray[np.float64]:
        """Value of each candidate against zero allocation, shape (M,) [m²]."""
        return self.valuation.U

    @property
    def predicted(self) -> PredictedValue | None:
        """What commands and telemetry are worth to each loop (D23); None unless the formulation is "predicted"."""
        return self.valuation.predicted

    @property
    def admitted(self) -> NDArray[np.bool_]:
        """Whether each candidate may be used, shape (M,)."""
        return self.admission.admitted

    @property
    def terms(self) -> DriftTerms:
        """Φ and its terms for each candidate (eq:drift-bound)."""
        return self.admission.terms

    @property
    def phi(self) -> NDArray[np.float64]:
        """Drift bound Φ of each candidate, shape (M,) [m²]."""
        return self.terms.phi

    @property
    def slots(self) -> NDArray[np.int64]:
        """Slots of each loop, 0 when it is not served, shape (N,)."""
        slots = np.zeros(self.choice.size, dtype=np.int64)
        served = self.choice >= 0
        slots[served] = self.candidates.slots[self.choice[served]]
        return slots

    @property
    def slots_used(self) -> int:
        """Occupied slots of the frame, synchronisation included."""
        return int(self.slots.sum())

    @property
    def price_of_reserve(self) -> float:
        """Value that P2 gave up for the synchronisation reserve [m²]."""
        return float(self.curve[-1]) - self.value

    @property
    def marginal(self) -> NDArray[np.float64]:
        """What the b-th slot added to P2, b = 1 … budget, shape (budget,) [m²]."""
        return np.diff(self.curve)

    @property
    def rounding(self) -> float:
        """What two values of P2 may differ by through rounding alone [m²]."""
        return 1e-9 * max(1.0, self.value)

    @property
    def longest_wait(self) -> int:
        """Most cycles since a needy loop that is not sent to now was last heard; 0 when there is none (D13)."""
        waiting = self.needy & (self.choice < 0)
        return int(self.states.c[waiting].max(initial=0))

    def program(self, budget: int) -> DynamicProgram:
        """P2 of this cycle for every number of slots up to `budget`, which may exceed S (eq:p2-dp-recurrence).

        Args:
            budget: most slots to hand out, ≥ 0 [slots].
        """
        values = np.where(self.frontier, self.U, -np.inf)
        return DynamicProgram.of(values, self.candidates.slots, self.candidates.offsets, budget)

    def verdict_of(self, index: int) -> Verdict:
        """The verdict on one candidate."""
        return VERDICTS[int(self.verdict[index])]

    def mode_of(self, loop: int) -> Mode:
        """The mode of one loop."""
        return Mode(int(self.mode[loop]))

    def explain(self, index: int) -> Explanation:
        """Why one candidate was or was not used, as a sentence with its numbers.

        Args:
            index: row of `candidates`.
        """
        from core.allocation.explanation import explain  # the explanation needs this type

        return explain(self, index)
