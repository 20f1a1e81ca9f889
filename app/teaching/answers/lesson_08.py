"""Lesson 08: your own what-if and your own policy."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd

from app.teaching.closed_loop import SEEDS, lesson_scenario
from app.teaching.exercise import Exercise, Trap, add
from app.teaching.matching import Matcher, number, whole
from app.teaching.trial import judged, own, serves_worst_first
from core.allocation import predicted_value, solve_knapsack_csr
from core.simulation import CycleView, Decision, Policy, simulate
from core.simulation.policies.service import cheapest_usable, serve_in_order
from core.studies import Axis, Study, paired_differences

BIG = {
    "vary": {"network.slots": "10:40:10", "twin.beta": [0.01, 0.05, 0.1]},
    "policies": ["SAFE", "VoI-Sched"],
    "trials": 5,
}
"""The study of exercise 08.1."""
STUDY = Study(lesson_scenario(), (Axis("network.slots", (20, 32)),), ("SAFE", "Fixed-Service"), SEEDS)
"""The study of the lesson."""


@functools.cache
def _frame() -> pd.DataFrame:
    rows = [
        {
            "network.slots": t.cell.values[0][1],
            "policy": t.policy,
            "seed": t.seed,
            **simulate(STUDY.scenario_of(t.cell), t.policy, t.seed).summary(),
        }
        for t in STUDY.tasks()
    ]
    return pd.DataFrame(rows)


def _end(slots: int, metric: str, end: str) -> float:
    table = paired_differences(_frame(), STUDY, metric)
    return float(table[table["network.slots"] == slots][end].iloc[0])


class LargestEnergyFirst(Policy):
    """What exercise 08.3 asks for."""

    name = "largest-energy-first"

    def decide(self, view: CycleView) -> Decision:
        """Cheapest usable action of each loop that fits, largest V first."""
        c = view.candidates
        pick = cheapest_usable(c.offsets, c.slots, c.slots <= view.budget, c.delivery(), 0.9)
        return Decision.of(serve_in_order((-view.states.V).argsort(), pick, c.slots, view.budget))


class PredictedWorth(Policy):
    """One way to solve exercise 08.4: lesson 06's value with the predicted delivery, shared out by lesson 05's knapsack."""

    name = "predicted-worth"

    def decide(self, view: CycleView) -> Decision:
        """The frame with the largest expected worth, no certificates."""
        c, s = view.candidates, view.scenario
        L, frame_s = s.allocation.lookahead_cycles, s.network.frame_s
        worth = predicted_value(view.model, view.states, view.plan, L, frame_s=frame_s).worth(view.model.lam)
        U = np.where(c.delivery() > 0.5, worth[c.loop] * c.delivery(), 0.0)
        return Decision.of(solve_knapsack_csr(U, c.slots, c.offsets, view.budget).choice)


class StalestFirst(Policy):
    """The policy that the lesson itself writes."""

    name = "StalestFirst"

    def decide(self, view: CycleView) -> Decision:
        """Longest without a complete exchange first."""
        c = view.candidates
        pick = cheapest_usable(c.offsets, c.slots, c.slots <= view.budget, c.delivery(), 0.9)
        return Decision.of(serve_in_order((-view.states.c).argsort(), pick, c.slots, view.budget))


def _in_order(policy: object) -> float:
    own(policy)
    return serves_worst_first(policy)


add(
    Exercise(
        "08.1",
        whole("runs"),
        lambda: Study.from_dict(BIG).size,
        hints=(
            "Every combination is flown.",
            "Values of S × values of β × policies × seeds; 10:40:10 counts from 10 to 40 in steps of 10.",
            "4 × 3 × 2 × 5.",
        ),
        praise="Count before you start: studies grow by multiplication, and every run is a whole mission.",
        traps=(
            Trap(
                lambda: Study.from_dict({**BIG, "trials": 1}).size, "Every cell is flown with every seed: five trials."
            ),
            Trap(lambda: Study.from_dict({**BIG, "policies": ["SAFE"]}).size, "Both policies fly every cell."),
        ),
        trains="the size of a factorial study",
    ),
    Exercise(
        "08.2",
        number("m", rel=0.01, absolute=0.005),
        lambda: _end(20, "p95_rmse_m", "lo"),
        hints=(
            "The same table as above for another metric.",
            'paired_differences(frame, study, "p95_rmse_m") has one row per frame length; its columns lo and hi are the interval.',
            "The entry of column lo in the row with network.slots = 20.",
        ),
        praise="If the interval contains 0, three missions did not decide it; the number says by how much they missed.",
        traps=(
            Trap(lambda: _end(20, "p95_rmse_m", "hi"), "That is the upper end."),
            Trap(lambda: _end(32, "p95_rmse_m", "lo"), "That is with 32 slots."),
            Trap(lambda: _end(20, "mean_rmse_m", "lo"), "That is of the mean RMSE, as in the table; P95 is asked for."),
        ),
        trains="reading a paired interval",
    ),
    Exercise(
        "08.3",
        Matcher(
            "a policy class of your own, e.g. LargestEnergyFirst",
            _in_order,
            lambda given, right: given >= right,
            typed=False,
            where=lambda given, right: f"The order was kept in {given:.0%} of the cycles.",
        ),
        lambda: LargestEnergyFirst,
        hints=(
            "In some cycle a loop got no slots although its action still fitted after the loops with a larger view.states.V had theirs.",
            "Order all loops by -V, not only the first, and let only actions with c.slots <= view.budget compete.",
            "As in StalestFirst, with order = (-view.states.V).argsort().",
        ),
        praise="Your policy is a drop-in: it sees estimates only, and the same missions as everybody else.",
        trains="turning a rule into a policy",
    ),
    Exercise(
        "08.4",
        Matcher(
            "a policy class of your own that beats the best of the paper's four baselines on missions that it has not seen",
            judged,
            lambda given, _: given.beats,
            typed=False,
            where=lambda given, _: given.words,
            found=lambda given: given.words,
        ),
        lambda: PredictedWorth,
        hints=(
            "The whole interval of the difference must lie on your side. Who needs a slot most, and what does a slot buy?",
            "Lesson 06: rank by where a UAV is headed, not by how far off it is. predicted_value(view.model, view.states, view.plan, L, frame_s=…) "
            "from core.allocation has it for every loop, .worth(view.model.lam).",
            "worth[c.loop] * c.delivery() is a value per action; sort the loops by worth and serve_in_order, or solve_knapsack_csr(U, c.slots, c.offsets, view.budget).choice.",
        ),
        praise="Better than every baseline of the paper, on missions you could not tune on.",
        trains="an open design problem with an honest yardstick",
    ),
)
