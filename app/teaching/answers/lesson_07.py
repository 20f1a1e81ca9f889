"""Lesson 07: your own what-if and your own policy."""

from __future__ import annotations

import functools

import pandas as pd

from app.teaching.closed_loop import SEEDS
from app.teaching.exercise import Exercise, Trap, add
from app.teaching.matching import Matcher, whole, word
from app.teaching.what_if import fresh, known_rmse, lesson_scenario, mean_rmse, serves_worst_first
from core.simulation import POLICIES, CycleView, Decision, Policy, simulate
from core.simulation.policies.service import cheapest_usable, serve_in_order
from core.studies import Axis, Study, winners

BIG = {
    "vary": {"network.slots": "10:40:10", "twin.beta": [0.01, 0.05, 0.1]},
    "policies": ["SAFE", "VoI-Sched"],
    "trials": 5,
}
"""The study of exercise 07.1."""
STUDY = Study(lesson_scenario(), (Axis("network.slots", (20, 32)),), ("SAFE", "Fixed-Service"), SEEDS)
"""The study of the lesson."""


@functools.cache
def _winner(slots: int) -> str:
    rows = [
        {
            "network.slots": t.cell.values[0][1],
            "policy": t.policy,
            "seed": t.seed,
            **simulate(STUDY.scenario_of(t.cell), t.policy, t.seed).summary(),
        }
        for t in STUDY.tasks()
    ]
    table = winners(pd.DataFrame(rows), STUDY, "mean_rmse_m")
    return str(table[table["network.slots"] == slots]["winner"].iloc[0])


class LargestEnergyFirst(Policy):
    """What exercise 07.3 asks for."""

    name = "largest-energy-first"

    def decide(self, view: CycleView) -> Decision:
        """Cheapest usable action of each loop that fits, largest V first."""
        c = view.candidates
        pick = cheapest_usable(c.offsets, c.slots, c.slots <= view.budget, c.delivery(), 0.9)
        return Decision.of(serve_in_order((-view.states.V).argsort(), pick, c.slots, view.budget))


add(
    Exercise(
        "07.1",
        whole("runs"),
        lambda: Study.from_dict(BIG).size,
        hint="Values of S × values of β × policies × seeds.",
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
        "07.2",
        word("SAFE", "Fixed-Service", "not significant"),
        lambda: _winner(32),
        hint='winners(frame, study, "mean_rmse_m") calls a winner only when the paired interval excludes zero.',
        praise="That verdict is about these missions and this frame; the interval says how far it may be trusted.",
        trains="reading a paired interval",
    ),
    Exercise(
        "07.3",
        Matcher(
            "a policy class, e.g. LargestEnergyFirst",
            lambda p: serves_worst_first(p),
            lambda given, right: given >= right,
            typed=False,
        ),
        lambda: LargestEnergyFirst,
        hint="In some cycle a loop got no slots although its action still fitted after the loops with a larger view.states.V had theirs. "
        "Order all loops by -V, not only the first, and let only actions with c.slots <= view.budget compete.",
        praise="Your policy is a drop-in: it sees estimates only, and the same missions as everybody else.",
        trains="turning a rule into a policy",
    ),
    Exercise(
        "07.4",
        Matcher(
            "a policy class that tracks better than Cert-Fixed",
            lambda p: mean_rmse(p) if fresh(p) else 0.0,
            lambda given, _: given < known_rmse("Cert-Fixed"),
            typed=False,
        ),
        lambda: POLICIES["VoI-Sched"],
        hint="Its mean RMSE over the lesson's missions is not below that of Cert-Fixed. Who needs a slot most: large V, large "
        "uncertainty, long silence? And what does a slot buy?",
        praise="Better than Cert-Fixed on these missions. Now try seeds you did not tune on.",
        trains="an open design problem with an honest yardstick",
    ),
)
