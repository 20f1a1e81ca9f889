"""Lesson 06: the closed loop."""

from __future__ import annotations

from app.teaching.closed_loop import metric
from app.teaching.exercise import Exercise, Trap, add
from app.teaching.matching import number, truth, whole
from app.teaching.what_if import lesson_scenario
from core.control import ControlModel
from core.simulation import PAPER_FIVE

FRAMES = (20, 32, 64)
"""Frames compared in the lesson [slots]."""


def _spread(slots: int) -> float:
    """Mean RMSE of the worst policy minus that of the best [m]."""
    means = [metric(lesson_scenario(slots), p, "mean_rmse_m").mean() for p in PAPER_FIVE]
    return float(max(means) - min(means))


def _difference() -> float:
    s = lesson_scenario()
    return float((metric(s, "SAFE", "mean_rmse_m") - metric(s, "Cert-Fixed", "mean_rmse_m")).mean())


def _safe_is_fastest() -> bool:
    s = lesson_scenario()
    delay = {p: metric(s, p, "mean_delay_ms").mean() for p in PAPER_FIVE}
    return min(delay, key=lambda p: delay[p]) == "SAFE"


def _speed() -> float:
    return lesson_scenario().mission.speed_mps


add(
    Exercise(
        "06.1",
        number("m"),
        lambda: _speed() / ControlModel.of(lesson_scenario()).k,
        hint="In steady flight the reference gains v per second and the law closes k·e per second: v = k·e.",
        praise="On a straight line the law without feed-forward (D20) stays this far behind. Every turn cuts a corner, so a mission's "
        "RMSE may come out a little below it: compare with flawless flight too, not with v/k alone.",
        traps=(
            Trap(lambda: _speed() * lesson_scenario().control.Ts, "That is how far the reference moves in one cycle."),
            Trap(
                lambda: _speed() / ControlModel.of(lesson_scenario()).a, "Divide by the gain k [1/s], not by a = Ts·k."
            ),
        ),
        trains="finding the scale of a metric before comparing policies",
    ),
    Exercise(
        "06.2",
        number("m", rel=0.01, absolute=0.005),
        _difference,
        hint='metric(scenario, "SAFE", "mean_rmse_m") − metric(scenario, "Cert-Fixed", "mean_rmse_m"), then the mean over seeds.',
        praise="Paired over the same missions: what is hard about a mission cancels in the difference.",
        traps=(Trap(lambda: -_difference(), "The sign: SAFE minus Cert-Fixed, negative when SAFE is better."),),
        trains="paired comparison",
    ),
    Exercise(
        "06.3",
        truth(),
        _safe_is_fastest,
        hint='Compare metric(scenario, p, "mean_delay_ms").mean() of the five policies.',
        praise="The explanation that whoever tracks better just sends commands sooner was put to a test it could fail; this answer is the result.",
        trains="a falsification check",
    ),
    Exercise(
        "06.4",
        whole("slots"),
        lambda: max(FRAMES, key=_spread),
        hint="For each frame: largest minus smallest mean RMSE of the five policies, averaged over the missions.",
        praise="How much the choice of a policy matters depends on the frame. Who is worst there, and whom does that policy neglect?",
        trains="what scarcity does",
    ),
)
