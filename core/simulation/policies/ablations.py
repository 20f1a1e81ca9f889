"""SAFE with one part taken away or exchanged, flown beside it: what each part is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.allocation import allocate, predicted_value
from core.control import Plan
from core.simulation.policies.by_score import ByScore
from core.simulation.policies.safe import Safe
from core.simulation.policy import CycleView, Decision
from core.twin.certificate import RHO_STEPS


class SafeNoAdmission(Safe):
    """SAFE without a certificate: every action may be used, every service counts as uncertified (D24)."""

    name: ClassVar[str] = "SAFE-no-admission"
    view_changes: ClassVar[Mapping[str, Any]] = {"allocation.admission": "none"}


class SafeReach(Safe):
    """SAFE with the reach certificate instead of the drift test (D24)."""

    name: ClassVar[str] = "SAFE-reach"
    view_changes: ClassVar[Mapping[str, Any]] = {"allocation.admission": "reach"}


class SafeNoSync(Safe):
    """SAFE without the synchronisation pass (D13)."""

    name: ClassVar[str] = "SAFE-no-sync"
    view_changes: ClassVar[Mapping[str, Any]] = {"allocation.sync_exchanges": 0}


class SafeL1(Safe):
    """SAFE that looks a single cycle ahead (D23)."""

    name: ClassVar[str] = "SAFE-L1"
    view_changes: ClassVar[Mapping[str, Any]] = {"allocation.lookahead_cycles": 1}


class SafeNoPlan(Safe):
    """SAFE that does not know the way: every reference flies on straight at the velocity of this cycle (D23).

    That velocity is what feed-forward would send (D20); everything later in the plan is hidden, also from "reach".
    """

    name: ClassVar[str] = "SAFE-no-plan"

    def decide(self, view: CycleView) -> Decision:
        """Allocate with the references extrapolated."""
        now = view.plan.references[0]
        ahead = np.arange(len(view.plan.references))[:, None, None]
        return super().decide(replace(view, plan=Plan(now + ahead * view.plan.steps[0])))


class SafeNominal(Safe):
    """SAFE that takes the predicted delivery at its word: ρ without the β margin, everywhere.

    The failure tolerance g, and which actions are on offer at all, stay those of the margin. The flight counts a service
    as certified only where the certified ρ passes too.
    """

    name: ClassVar[str] = "SAFE-nominal"

    def decide(self, view: CycleView) -> Decision:
        """Allocate with ρ = 1 − predicted failure, rounded down like the certified one."""
        c = view.candidates
        up, down = c.ul_options.failure_nominal[c.actions.ul], c.dl_options.failure_nominal[c.actions.dl]
        nominal = replace(c, rho_ul=_rho(up), rho_dl=_rho(down))
        a = allocate(view.scenario, view.model, nominal, view.states, plan=view.plan, budget=view.budget)
        return Decision(a.choice, a.synchronisation, a)


class SafeGreedy(ByScore):
    """SAFE's predicted value without its knapsack: the greedy index of D23.

    Each loop has one action, the cheapest one whose predicted delivery is usable; the loops whose exchange is worth most,
    G + λ_Σ·T, come first, and one that is worth nothing gets no slots. Left out: certificates, the certified ρ, the
    choice among actions, the synchronisation pass.
    """

    name: ClassVar[str] = "SAFE-greedy"

    def scores(self, view: CycleView) -> NDArray[np.float64]:
        """G + λ_Σ·T of every loop, (N,) [m²]."""
        L, frame_s = view.scenario.allocation.lookahead_cycles, view.scenario.network.frame_s
        return predicted_value(view.model, view.states, view.plan, L, frame_s=frame_s).worth(view.model.lam)


def _rho(failure: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 − failure, rounded down to the certificate library."""
    steps: NDArray[np.float64] = np.floor((1.0 - failure) * RHO_STEPS) / RHO_STEPS
    return steps
