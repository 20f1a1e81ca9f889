"""A study seen through the dashboard's own figure, and trials of a student's policy (lesson 07)."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from app.figures.study import study_figure, title_of, update_study
from app.teaching.closed_loop import SEEDS
from app.teaching.explorer import Explorer, choice
from app.teaching.figure_pane import FigurePane
from core.errors import SafeExplorerError
from core.scenario import Scenario, preset
from core.simulation import CycleView, Decision, Policy, Simulation, simulate
from core.simulation.policies.service import cheapest_usable
from core.studies import Study, winners
from core.studies.metrics import metric_columns


def lesson_scenario(slots: int = 32) -> Scenario:
    """The teaching swarm on a short mission with a scarce frame: what lessons 06 and 07 fly."""
    return preset("teaching-swarm").replace(**{"mission.duration_s": 12.0, "network.slots": slots})


def explore_study(study: Study, frame: pd.DataFrame) -> Explorer:
    """Any metric of a study along its first varied field, with bands over seeds."""
    fig = study_figure(height=320)
    metrics = {title_of(m): m for m in metric_columns(frame.columns, study.names) if np.isfinite(frame[m]).all()}

    def update(metric: str) -> str:
        update_study(fig, study, frame, metric, study.names[0])
        found = winners(frame, study, metric)
        rows = "; ".join(
            f"{study.names[0]} = {row[study.names[0]]}: {row['winner']}" for row in found.to_dict("records")
        )
        return f"Best policy by {title_of(metric)} on matched seeds: {rows}."

    return Explorer({"metric": choice("metric", metrics, "mean_rmse_m")}, [FigurePane(fig.curves)], update)


class Witness(Policy):
    """Lets another policy decide and remembers whether it went through the loops in the order of their V.

    Args:
        inner: decides.
        probe: another instance of the same policy, asked what it would send each loop if slots were plenty.
    """

    name = "witness"

    def __init__(self, inner: Policy, probe: Policy) -> None:
        self._inner, self._probe = inner, probe
        self.view_changes, self.horizon = inner.view_changes, inner.horizon  # type: ignore[misc]
        self.kept: list[bool] = []

    def decide(self, view: CycleView) -> Decision:
        """The inner policy's decision."""
        decision = self._inner.decide(view)
        roomy = dataclasses.replace(view, budget=view.budget * len(view.states))  # every loop finds room
        wanted = np.asarray(self._probe.decide(roomy).choice)
        self.kept.append(not passed_over(view, np.asarray(decision.choice), wanted).size)
        return decision


def passed_over(view: CycleView, choice: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Loops without slots whose action would have fitted into what those with a larger V had left.

    Args:
        view: the cycle.
        choice: action of each loop, −1 = none, (N,).
        wanted: the action each loop would get in a long frame, (N,); where that is none, its cheapest usable one counts.
    """
    c, left, found = view.candidates, view.budget, []
    usable = cheapest_usable(c.offsets, c.slots, c.slots <= view.budget, c.delivery(), 0.9)
    for i in np.argsort(-view.states.V, kind="stable"):
        mine = wanted[i] if wanted[i] >= 0 else usable[i]
        if choice[i] >= 0:
            left -= int(c.slots[choice[i]])
        elif mine >= 0 and c.slots[mine] <= left:
            found.append(i)
    return np.array(found, dtype=np.int64)


def serves_worst_first(policy: Any, cycles: int = 16) -> float:
    """Share of cycles in which a policy serves the loops in the order of their V, as far as the frame goes [-]."""
    witness = Witness(fresh(policy), fresh(policy))
    simulation = Simulation(lesson_scenario(), witness, SEEDS[0])
    _guarded(lambda: [simulation.step() for _ in range(cycles)])
    return float(np.mean(witness.kept))


def mean_rmse(policy: Any) -> float:
    """Mean RMSE of a policy over the lesson's missions [m]."""
    return float(
        np.mean([_guarded(lambda s=s: simulate(lesson_scenario(), fresh(policy), s)).rmse.mean() for s in SEEDS])
    )


@functools.lru_cache(maxsize=8)
def known_rmse(name: str) -> float:
    """`mean_rmse` of a registered policy."""
    from core.simulation import POLICIES

    return mean_rmse(POLICIES[name])


def fresh(policy: Any) -> Policy:
    """A new instance of a policy class; TypeError for anything else."""
    if inspect.isclass(policy) and issubclass(policy, Policy) and not inspect.isabstract(policy):
        return _guarded(policy)
    raise TypeError("a policy class is wanted")


def _guarded(work: Any) -> Any:
    """Whatever a student's policy raises becomes a sentence."""
    try:
        return work()
    except SafeExplorerError:
        raise
    except Exception as error:
        raise SafeExplorerError(f"Your policy stopped with {type(error).__name__}: {error}") from error
