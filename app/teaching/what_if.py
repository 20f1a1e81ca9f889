"""A study seen through the dashboard's own figure, and trials of a student's policy (lesson 07)."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np
import pandas as pd

from app.figures.study import study_figure, title_of, update_study
from app.teaching.closed_loop import SEEDS
from app.teaching.explorer import Explorer, choice
from app.teaching.figure_pane import FigurePane
from core.errors import SafeExplorerError
from core.scenario import Scenario, preset
from core.simulation import CycleView, Decision, Policy, Simulation, simulate
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
    """Lets another policy decide and remembers whether the loop with the largest V was served."""

    name = "witness"

    def __init__(self, inner: Policy) -> None:
        self._inner = inner
        self.formulation = inner.formulation  # type: ignore[misc]
        self.kept: list[bool] = []

    def decide(self, view: CycleView) -> Decision:
        """The inner policy's decision."""
        decision = self._inner.decide(view)
        fits = np.zeros(len(view.states), dtype=bool)
        fits[view.candidates.loop[view.candidates.slots <= view.budget]] = True
        worst = int(np.argmax(np.where(fits, view.states.V, -np.inf)))
        self.kept.append(bool(np.asarray(decision.choice)[worst] >= 0))
        return decision


def serves_worst_first(policy: Any, cycles: int = 16) -> float:
    """Share of cycles in which a policy serves the loop with the largest V [-]."""
    witness = Witness(fresh(policy))
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
