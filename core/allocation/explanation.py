"""Why an action was or was not used, in one sentence with the numbers behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from core.allocation.appraisal import Appraisal
from core.allocation.case import Case
from core.allocation.forcing import Others
from core.allocation.frontier import COORDINATES
from core.allocation.outlook import Outlook, outlook
from core.allocation.reasons import dominators, outside_domain, reason
from core.allocation.result import Allocation
from core.allocation.sentence import Sentence, Value
from core.allocation.verdict import Verdict
from core.control import DriftTerm
from core.twin import Exchange


@dataclass(frozen=True)
class Explanation:
    """The reason for a verdict.

    Attributes:
        verdict: what became of the action.
        said: the reason, each number with its name.
        numbers: the numbers by name, said or not; delays in [s], energies in [m²].
        dominator: row of the allocation's frontier action that dominates it or equals it, None unless DOMINATED.
        better_in: coordinates (of COORDINATES) in which the dominator is strictly better; empty when equal.
        term: the term of Φ that refuses it, None unless Φ > 0.
        outside: whether the loop's state has left the admissible domain, where no certificate promises anything.
        outlook: the loop's predicted paths with and without the exchange (D23), None unless the value is predicted.
        rivals: keys of the actions that the sentence names.
    """

    verdict: Verdict
    said: Sentence
    numbers: Mapping[str, Value]
    dominator: int | None = None
    better_in: tuple[str, ...] = ()
    term: DriftTerm | None = None
    outside: bool = False
    outlook: Outlook | None = None
    rivals: tuple[str, ...] = field(default=())

    @property
    def sentence(self) -> str:
        """The reason, with numbers."""
        return str(self.said)


def explain(
    allocation: Allocation,
    index: int,
    offer: Appraisal | None = None,
    verdict: Verdict | None = None,
    others: Others | None = None,
) -> Explanation:
    """Explain the verdict on one candidate, always from the one allocation of all loops.

    Args:
        allocation: the allocation.
        index: row of its candidates, or of `offer`.
        offer: more candidates of its loops than it chose from, appraised by its rules; its own when None.
        verdict: on the row of `offer`; the allocation's when None.
        others: P2 without the row's loop, where the caller has it already.
    """
    own = offer if offer is not None else Appraisal.own(allocation)
    if not 0 <= index < own.U.size:
        raise IndexError(f"There is no candidate {index}; there are {own.U.size}.")
    found = verdict if verdict is not None else allocation.verdict_of(index)
    numbers = _numbers(allocation, own, index)
    loop = int(own.candidates.loop[index])
    beaten_by = dominators(allocation, own, index) if found is Verdict.DOMINATED else (None, ())
    case = Case(
        allocation=allocation,
        own=own,
        row=index,
        verdict=found,
        numbers=numbers,
        ahead=outlook(allocation, loop),
        others=others if others is not None else Others.of(allocation, loop),
        dominator=beaten_by[0],
        better_in=beaten_by[1],
    )
    said, rivals = reason(case)
    outside = not bool(allocation.model.domain.contains(case.number("V"), case.number("tr_sigma")))
    if outside:
        said = said.then(outside_domain(case))
    judged = case.number("g") >= 1 and own.admission.rule == "drift"
    return Explanation(
        verdict=found,
        said=said,
        numbers=numbers,
        dominator=beaten_by[0],
        better_in=beaten_by[1],
        term=own.admission.terms.refused_by(index) if judged else None,
        outside=outside,
        outlook=case.ahead,
        rivals=rivals,
    )


def _numbers(allocation: Allocation, own: Appraisal, index: int) -> dict[str, Value]:
    q, terms, states, twin = own.candidates, own.admission.terms, allocation.states, allocation.scenario.twin
    i = int(q.loop[index])
    slots, U = int(q.slots[index]), float(own.U[index])
    return {
        **{name: float(getattr(q, name)[index]) for name in COORDINATES},
        "slots": slots,
        "loop": i,
        "uav": i + 1,
        "route": Exchange.of(q, index).route,
        "g": int(q.g[index]),
        "mu1": float(q.mu1[index]),
        "p11": float(q.p11[index]),
        "V": float(states.V[i]),
        "v_ratio": float(states.V[i]) / allocation.model.V_max,
        "tr_sigma": float(states.tr_sigma[i]),
        "c": int(states.c[i]),
        "c_fail": int(states.c_fail[i]),
        "c_star": int(terms.c_star[index]),
        "alpha_bar": float(terms.alpha_bar[index]),
        "v_term": float(terms.v_term[index]),
        "sigma_term": float(terms.sigma_term[index]),
        "noise_term": float(terms.noise_term),
        "phi": float(terms.phi[index]),
        "B": float(allocation.valuation.B[i]),
        "U": U,
        "U_per_slot": U / max(slots, 1),
        "delivery": float(q.delivery(np.array([index]))[0]),
        "priority": float(allocation.priority[i]),
        "H_T": twin.H_T,
        "delta_T": twin.delta_T,
        "budget": allocation.budget,
        "reserve": allocation.reserve,
        "room": allocation.room,
        "value": allocation.value,
    }
