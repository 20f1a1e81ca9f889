"""Audit of the prediction behind the value of an action (D23): predicted against flown V, controller-side."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.control import ControlModel, Plan, Prediction, predict_paths
from core.scenario import Scenario
from core.studies.claims.finding import Finding
from core.studies.claims.flight import Flight, Floats, Motion
from core.studies.claims.intervals import CONFIDENCE, Mean, mean_over_missions
from core.studies.claims.verdict import ClaimVerdict, bias_verdict

Bools = NDArray[np.bool_]
TOLERANCE = 1e-9
"""Rounding of V/V_max; far below what a measurement can tell."""


class Outcome(IntEnum):
    """What became of a loop in the cycles that were predicted."""

    HELD = 0
    ONBOARD = 1
    TELEMETRY = 2
    COMMAND = 3

    @property
    def words(self) -> str:
        """As the reader sees it."""
        return ("held, nothing heard", "onboard law, nothing heard", "telemetry only", "command delivered")[self]


@dataclass(frozen=True, eq=False)
class Deviations:
    """Flown − predicted V of one mission, n loop-cycles, all in shares of V_max.

    Args:
        outcome: Outcome of each, (n,).
        bias: V of the estimates − predicted V, (n,).
        curvature: V of the deviation itself, flown − predicted lifted state, (n,); the part of `bias` that no
            prediction can avoid, because V is quadratic.
        true: V of the true errors − predicted V, (n,).
        refreshed: X₀₀·(tr Σ + tr Σ_meas), what the first telemetry adds to V on average without a command, (n,).
    """

    outcome: NDArray[np.int64]
    bias: Floats
    curvature: Floats
    true: Floats
    refreshed: Floats

    def of(self, outcome: Outcome, column: str = "bias") -> Floats:
        """One column of the loop-cycles with an outcome."""
        values: Floats = getattr(self, column)[self.outcome == outcome]
        return values


def deviations(scenario: Scenario, flight: Flight, cycles: int) -> Deviations:
    """Flown against predicted V, some cycles ahead, wherever the loop's mode did not change in between.

    The prediction is told whether a command arrived in the first cycle, and when; that the loop was left alone after
    that is what the allocator assumes, so loops that got another command are left out, and so are those that the
    supervisor took over or gave back.

    Args:
        scenario: control side.
        flight: the mission.
        cycles: how far ahead [cycles].
    """
    model, motion = ControlModel.of(scenario), flight.motion
    found: list[tuple[NDArray[Any], ...]] = []
    for k in range(len(motion.z) - cycles):
        outcome = _outcomes(motion, k, cycles)
        path = predicted_path(model, motion, k, cycles)
        ahead = np.concatenate([path.errors[:, ::-1], motion.z[k]], axis=1)[:, : model.H + 1]
        V = path.V[:, -1] / model.V_max
        refreshed = model.X[0, 0] * (flight.states[k].tr_sigma + model.tr_meas) / model.V_max
        columns = (
            outcome,
            flight.V[k + cycles] - V,
            model.lyapunov(motion.z[k + cycles] - ahead) / model.V_max,
            flight.V_true[k + cycles - 1] - V,
            refreshed,
        )
        found.append(tuple(column[outcome >= 0] for column in columns))
    joined = [np.concatenate(column) for column in zip(*found, strict=True)] if found else [np.empty(0)] * 5
    return Deviations(joined[0].astype(np.int64), *joined[1:])


def predicted_path(model: ControlModel, motion: Motion, k: int, cycles: int) -> Prediction:
    """The way predicted at the start of cycle k, given when the command of that cycle arrived."""
    steps = Plan.ahead(motion.references, k, cycles).steps
    onboard, arrival_s = motion.onboard[k], motion.arrival_s[k]
    return predict_paths(model.X, motion.z[k], motion.u[k], steps, model.law, local=onboard, arrival_s=arrival_s)


def _outcomes(motion: Motion, k: int, cycles: int) -> NDArray[np.int64]:
    """Outcome of each loop over some cycles from k on, −1 where its mode changed, (N,)."""
    now, later = slice(k, k + cycles), slice(k + 1, k + cycles)
    alone = ~motion.command[later].any(axis=0)
    same = (motion.onboard[now] == motion.onboard[k]).all(axis=0)
    heard = motion.uplink[now].any(axis=0)
    idle = np.where(heard, Outcome.TELEMETRY, np.where(motion.onboard[k], Outcome.ONBOARD, Outcome.HELD))
    reached = motion.command[k]
    kept = alone & np.where(reached, ~motion.onboard[later].any(axis=0), same)
    return np.where(kept, np.where(reached, Outcome.COMMAND, idle), -1)


def prediction_is_unbiased(scenario: Scenario, flown: list[Flight], cycles: int, *, calm: bool) -> Finding:
    """D23 takes the predicted V for what is to be expected: flown − predicted should be zero on average.

    Every outcome is judged on its own (Bonferroni); the interval shown is that of all of them.

    Args:
        scenario: control side.
        flown: the missions.
        cycles: how far ahead; 1, or the look-ahead L [cycles].
        calm: whether they were flown without gusts.
    """
    by_mission = [deviations(scenario, f, cycles) for f in flown]
    far = cycles > 1
    key = f"prediction-{'lookahead' if far else 'cycle'}" + "-calm" * calm
    title = f"V is predicted without bias, {f'{cycles} cycles' if far else 'one cycle'} ahead" + " (no gusts)" * calm
    promise = "E[V flown − V predicted] = 0 whatever became of the loop, V of the estimates"
    judged: dict[Outcome, Mean] = {}
    for outcome in Outcome:
        mean = mean_over_missions([d.of(outcome) for d in by_mission], 1 - (1 - CONFIDENCE) / len(Outcome))
        if np.isfinite(mean.low):
            judged[outcome] = mean
    if not judged:
        nothing = f"no loop to judge in {len(flown)} missions under SAFE"
        return Finding(key, title, "D23", promise, nothing, 0, 0, ClaimVerdict.VACUOUS)
    whole = mean_over_missions([d.bias for d in by_mission])
    return Finding(
        key,
        title,
        "D23",
        promise,
        f"{whole.value:+.3%} of V_max on average over {len(flown)} missions under SAFE; "
        + "; ".join(_spread(outcome, mean, by_mission) for outcome, mean in judged.items()),
        0,
        0,
        bias_verdict(list(judged.values()), TOLERANCE),
        _explanation(by_mission, far=far),
        bounds=(whole.low, whole.high),
    )


def _spread(outcome: Outcome, mean: Mean, by_mission: list[Deviations]) -> str:
    """Bias and spread of one outcome, in words."""
    bias = np.concatenate([d.of(outcome) for d in by_mission])
    if np.abs(bias).max() <= TOLERANCE:
        return f"{outcome.words} ({len(bias)}): exact"
    low, high = np.quantile(bias, [0.05, 0.95])
    return f"{outcome.words} ({len(bias)}): {mean.value:+.2%} [{mean.low:+.2%}, {mean.high:+.2%}], P5 … P95 {low:+.1%} … {high:+.1%}"


def _explanation(by_mission: list[Deviations], *, far: bool) -> str:
    def mean(column: str, outcome: Outcome) -> float:
        values = np.concatenate([d.of(outcome, column) for d in by_mission])
        return float(values.mean()) if len(values) else np.nan

    told = [
        f"{outcome.words} {mean('curvature', outcome):+.2%}"
        for outcome in (Outcome.TELEMETRY, Outcome.COMMAND)
        if np.isfinite(mean("curvature", outcome))
    ]
    if not told:
        return "Nothing was heard in these cycles, and what the controller then believes is its own prediction."
    alone = mean("refreshed", Outcome.TELEMETRY)
    expected = f" (X₀₀·(tr Σ + tr Σ_meas) = {alone:+.2%} without a command and gusts)" if np.isfinite(alone) else ""
    true = np.concatenate([d.true for d in by_mission])
    low, high = np.quantile(true, [0.05, 0.95])
    return (
        "Until it hears, the controller believes its own prediction. Telemetry then replaces the noise of the old estimate, "
        "which is in the predicted V, by that of the new sample, and V is quadratic: V of that move alone is "
        f"{' and '.join(told)}{expected}. That part falls with the square of the noise. "
        + ("Loops that got a further command are left out. " if far else "")
        + f"V of the true errors − predicted: {true.mean():+.2%}, P5 … P95 {low:+.1%} … {high:+.1%}."
    )
