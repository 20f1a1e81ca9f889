"""Tabs 1 to 3 and Solve for say and draw nothing false: at hundreds of random states everything shown is recomputed from `core`."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from brute_solve import check_curves, check_said
from random_states import Case, case
from truth import check
from truth_maps import check_boundary
from truth_moves import check_changed, check_compared
from truth_solve import check_solve
from truth_tabs import (
    check_allocation,
    check_chain,
    check_frontier,
    check_policies,
    check_prediction,
    check_served,
    check_words,
)

from app.components.chain import chain_html
from app.picture import Inputs, Picture
from app.tabs.allocation.figure import PINNED, AllocationFigure, allocation_figure, update_allocation
from app.tabs.allocation.policies import PoliciesFigure, policies_figure, update_policies
from app.tabs.allocation.view import table_rows
from app.tabs.allocation.words import allocation_words
from app.tabs.boundary.figure import BoundaryFigure, boundary_figure, update_boundary
from app.tabs.frontier.figure import FrontierFigure, frontier_figure, update_frontier
from app.tabs.frontier.prediction import PredictionFigure, prediction_figure, update_prediction
from app.tabs.solve.figure import SolveFigure, solve_figure, update_solve
from core.figures.arrays.prediction import prediction_words
from core.instant import changed, compared, varied
from core.simulation import PAPER_FIVE

AT_ONCE = 12
"""States per test: the figures live on from state to state, as on the page."""
STATES, QUICK = 600, 60


@dataclass(frozen=True)
class Tabs:
    """The figures of the tabs."""

    boundary: BoundaryFigure = field(default_factory=boundary_figure)
    frontier: FrontierFigure = field(default_factory=frontier_figure)
    prediction: PredictionFigure = field(default_factory=prediction_figure)
    allocation: AllocationFigure = field(default_factory=allocation_figure)
    policies: PoliciesFigure = field(default_factory=policies_figure)
    solve: SolveFigure = field(default_factory=solve_figure)

    def check(self, now: Case, *, ask_policies: bool, vary: str) -> None:
        """Draw a state and check everything drawn and said.

        Args:
            now: the state.
            ask_policies: whether other policies are asked too.
            vary: what the tab Solve for varies.
        """
        focus, before = now.focus, now.before
        update_boundary(self.boundary, focus, before)
        check_boundary(self.boundary, focus, before)
        update_frontier(self.frontier, focus, before)
        check_frontier(self.frontier, focus, before)
        update_prediction(self.prediction, focus, before)
        check_prediction(self.prediction, focus, before)
        data = update_allocation(self.allocation, focus, before)
        check_allocation(self.allocation, table_rows(data["table"]), focus, before)
        check(focus, focus.said)
        check(focus.hold(""), focus.why)
        check_served(focus, str(focus.why))
        check(focus, prediction_words(focus))
        check_words(focus, allocation_words(focus))
        check_changed(before, focus, changed(before, focus))
        self.check_pinned(now)
        here = focus.instant
        check_chain(chain_html(Picture(Inputs(here.scenario), here.flight, here, focus, ours=False)), focus)
        solution = focus.solve(vary, most=7)
        update_solve(self.solve, solution)
        check_solve(self.solve, solution)
        check_said(solution)
        check_curves(solution, range(0, len(solution.curves.x), 3))
        if ask_policies:
            frames = here.other_policies(PAPER_FIVE)
            update_policies(self.policies, focus, frames)
            check_policies(self.policies, focus, frames)

    def check_pinned(self, now: Case) -> None:
        """Draw another instant as a pinned ghost, and check ghost and words."""
        focus, pinned = now.focus, now.pinned
        check_compared(pinned, focus, compared(pinned, focus))
        check_compared(now.before, focus, compared(now.before, focus))
        update_boundary(self.boundary, focus, pinned)
        check_boundary(self.boundary, focus, pinned)
        update_frontier(self.frontier, focus, pinned)
        check_frontier(self.frontier, focus, pinned)
        update_prediction(self.prediction, focus, pinned)
        check_prediction(self.prediction, focus, pinned)
        data = update_allocation(self.allocation, focus, pinned, PINNED)
        check_allocation(self.allocation, table_rows(data["table"]), focus, pinned)


@pytest.mark.parametrize(
    "first",
    [pytest.param(seed, marks=[pytest.mark.slow] if seed >= QUICK else []) for seed in range(0, STATES, AT_ONCE)],
)
@pytest.mark.slow
def test_nothing_on_these_tabs_is_false(first: int) -> None:
    tabs = Tabs()
    for seed in range(first, first + AT_ONCE):
        try:
            tabs.check(case(seed), ask_policies=seed % 6 == 0, vary=varied()[seed % len(varied())])
        except AssertionError as error:
            raise AssertionError(f"random state {seed}") from error


def test_the_random_states_reach_what_they_must() -> None:
    cases = [case(seed).focus for seed in range(QUICK)]
    scenarios = [f.instant.scenario for f in cases]
    assert {s.formulation for s in scenarios} == {"predicted", "repaired", "paper"}
    assert {s.allocation.admission for s in scenarios} == {"drift", "reach", "none"}
    assert {s.mission.uavs for s in scenarios} >= {1, 10, 200}
    assert min(s.network.slots for s in scenarios) <= 3
    assert max(s.network.slots for s in scenarios) >= 300
    assert any(f.allocation.reserve for f in cases)
    assert any(f.held is None for f in cases)
    assert any(f.wanted and f.held is not None and not f.held.chosen for f in cases)
    assert any(not f.served for f in cases)
    assert any(f.counts["frontier"] == 0 for f in cases)
