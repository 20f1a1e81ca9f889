"""Lesson 07: the closed loop."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from app.teaching.closed_loop import lesson_scenario, metric
from app.teaching.coding import function
from app.teaching.exercise import Exercise, Trap, add
from app.teaching.matching import number
from core.control.lqr import lqr_gain
from core.simulation import PAPER_FIVE
from core.studies.statistics import paired_difference

SHORT, SHORTER = 24, 20
"""Frames of exercises 07.4 and 07.3 [slots]."""
SPEED_MPS, R = 10.0, 0.5
"""Flight of exercise 07.1."""
_c = lesson_scenario().control


def paired(x: Any, y: Any) -> tuple[float, float, float]:
    """What exercise 07.2 asks for."""
    found = paired_difference(x, y)
    return found.mean, found.low, found.high


def _unpaired(x: Any, y: Any) -> tuple[float, float, float]:
    found = stats.ttest_ind(x, y, equal_var=False).confidence_interval(0.95)
    return float(np.mean(x) - np.mean(y)), float(found.low), float(found.high)


def _with(x: Any, y: Any, factor: float, ddof: int = 1, root: bool = True) -> tuple[float, float, float]:
    d = np.asarray(x) - np.asarray(y)
    half = factor * d.std(ddof=ddof) / (np.sqrt(len(d)) if root else 1.0)
    return float(d.mean()), float(d.mean() - half), float(d.mean() + half)


def _t(x: Any) -> float:
    return float(stats.t.ppf(0.975, len(x) - 1))


@functools.cache
def _samples() -> Sequence[tuple[Any, ...]]:
    draw, cases = np.random.default_rng(707), []
    for i in range(18):
        n = 3 + i % 9
        mission = draw.normal(9.0, 1.5, n)
        cases.append((mission + draw.normal(0.0, 0.4, n), mission + draw.normal(0.3, 0.4, n)))
    return cases


def _delay() -> float:
    s = lesson_scenario(SHORTER)
    return float((metric(s, "SAFE", "mean_delay_ms") - metric(s, "VoI-Sched", "mean_delay_ms")).mean())


def _ahead(slots: int) -> float:
    means = {p: float(metric(lesson_scenario(slots), p, "mean_rmse_m").mean()) for p in PAPER_FIVE}
    return min(mean for p, mean in means.items() if p != "SAFE") - means["SAFE"]


def _spread(slots: int) -> float:
    means = [float(metric(lesson_scenario(slots), p, "mean_rmse_m").mean()) for p in PAPER_FIVE]
    return max(means) - min(means)


add(
    Exercise(
        "07.1",
        number("m"),
        lambda: SPEED_MPS / lqr_gain(_c.Ts, _c.Q, R),
        hints=(
            "In steady flight the error stays as it is: what the reference gains, the law closes.",
            "The reference gains v per second and the law closes k·e per second; k depends on R as in lesson 01.",
            "10 / lqr_gain(scenario.control.Ts, scenario.control.Q, 0.5), from core.control.",
        ),
        praise="On a straight line the law without feed-forward (D20) stays this far behind. Every turn cuts a corner, so a mission's "
        "RMSE may come out a little below it: compare with flawless flight too, not with v/k alone.",
        traps=(
            Trap(lambda: SPEED_MPS * _c.Ts, "That is how far the reference moves in one cycle."),
            Trap(
                lambda: SPEED_MPS / lqr_gain(_c.Ts, _c.Q, _c.R), "That is with the scenario's own R; 0.5 is asked for."
            ),
            Trap(
                lambda: SPEED_MPS / (_c.Ts * lqr_gain(_c.Ts, _c.Q, R)), "Divide by the gain k [1/s], not by a = Ts·k."
            ),
        ),
        trains="finding the scale of a metric before comparing policies",
    ),
    Exercise(
        "07.2",
        function(
            "paired(x, y)",
            "three numbers: mean of x − y, lower and upper end of its 95 % interval",
            _samples,
            shipped=("paired_difference", "paired_differences"),
        ),
        lambda: paired,
        hints=(
            "Difference first, mission by mission; then the mean and its Student interval.",
            "d = x − y; the half width is t · s / √n with the standard deviation s of d (ddof = 1) and the 97.5 % point t of Student's law with n − 1 degrees of freedom.",
            "half = scipy.stats.t.ppf(0.975, len(d) - 1) * d.std(ddof=1) / np.sqrt(len(d)); (d.mean(), d.mean() - half, d.mean() + half).",
        ),
        praise="What is hard about a mission cancels in the difference: that is why a few missions can be enough.",
        traps=(
            Trap(
                lambda: _unpaired,
                "You compare the two means as if they came from different missions; take differences first.",
            ),
            Trap(lambda: lambda x, y: paired(y, x), "The sign: x minus y."),
            Trap(
                lambda: lambda x, y: _with(x, y, float(stats.norm.ppf(0.975))),
                "With a few missions 1.96 is too small: use Student's t with n − 1.",
            ),
            Trap(
                lambda: lambda x, y: _with(x, y, 1.96),
                "With a few missions 1.96 is too small: use Student's t with n − 1.",
            ),
            Trap(
                lambda: lambda x, y: _with(x, y, _t(x), ddof=0),
                "The standard deviation of a sample divides by n − 1: ddof=1.",
            ),
            Trap(
                lambda: lambda x, y: _with(x, y, _t(x), root=False),
                "That is where single differences lie; the mean of n of them is √n times as certain.",
            ),
        ),
        trains="writing a paired comparison",
    ),
    Exercise(
        "07.3",
        number("ms", rel=0.01, absolute=0.005),
        _delay,
        hints=(
            "Fly both policies on the three missions with the shorter frame; the metric is mean_delay_ms.",
            'shorter = scenario.replace(**{"network.slots": 20}); simulate(shorter, policy, seed).summary()["mean_delay_ms"] for the seeds 2000, 2001, 2002.',
            "Mean over the seeds of SAFE's value minus VoI-Sched's.",
        ),
        praise="The explanation that whoever tracks better just sends commands sooner was put to a test it could fail; the sign of this number is the result.",
        traps=(
            Trap(lambda: -_delay(), "The sign: SAFE minus VoI-Sched."),
            Trap(
                lambda: float(
                    (
                        metric(lesson_scenario(), "SAFE", "mean_delay_ms")
                        - metric(lesson_scenario(), "VoI-Sched", "mean_delay_ms")
                    ).mean()
                ),
                "That is with 32 slots, as in the table; 20 are asked for.",
            ),
        ),
        trains="a falsification check",
    ),
    Exercise(
        "07.4",
        number("m", rel=0.01, absolute=0.005),
        lambda: _ahead(SHORT),
        hints=(
            "The best of the four baselines, not the worst: average each policy over the missions, then compare.",
            'shorter = scenario.replace(**{"network.slots": 24}); the mean over seeds 2000, 2001, 2002 of simulate(shorter, p, seed).summary()["mean_rmse_m"] for p in PAPER_FIVE.',
            "The smallest of the four means without SAFE, minus SAFE's mean.",
        ),
        praise="Against the best rival, not the weakest: a gap to the worst policy says more about that one than about SAFE.",
        traps=(
            Trap(lambda: _spread(SHORT), "That is worst minus best; the worst policy decides it, not SAFE."),
            Trap(lambda: -_ahead(SHORT), "The sign: best baseline minus SAFE."),
            Trap(lambda: _ahead(32), "That is with 32 slots; 24 are asked for."),
        ),
        trains="comparing with the best rival",
    ),
)
