"""Lesson 01: why packets are not enough."""

from __future__ import annotations

from app.teaching.exercise import Exercise, Trap, add
from app.teaching.matching import number, word
from app.teaching.one_loop import Flight, burst_pattern, fly
from core.control import lqr_gain
from core.scenario import preset

SWARM = preset("teaching-swarm")
SPREAD, BURST = burst_pattern(30, 8, 1), burst_pattern(30, 8, 8)
_c = SWARM.control


def _pushed(pattern: str) -> Flight:
    return fly(SWARM, pattern, start_m=0.0, push_m=3.0)


def _worst_direction() -> str:
    no_downlink, no_uplink = (fly(SWARM, sign * 10).v[1:].max() for sign in "ud")
    return "uplink" if no_uplink > no_downlink else "downlink"


add(
    Exercise(
        "01.1",
        number(),
        lambda: _c.Ts * lqr_gain(_c.Ts, _c.Q, 0.5),
        hint="a = Ts · lqr_gain(Ts, Q, R) with the scenario's Ts and Q and R = 0.5.",
        praise="Expensive velocity makes a small a: a slower loop, but one that also forgives delay better.",
        traps=(
            Trap(lambda: lqr_gain(_c.Ts, _c.Q, 0.5), "That is the gain k; a = Ts · k."),
            Trap(
                lambda: _c.Ts * lqr_gain(_c.Ts, _c.Q, _c.R), "That is a at the scenario's own R; put 0.5 in its place."
            ),
        ),
        trains="from an LQR weight to the loop gain",
    ),
    Exercise(
        "01.2",
        number("m"),
        lambda: fly(SWARM, "++---").error_m[-1],
        hint='fly(scenario, "++---", start_m=10.0).error_m holds the error at the start of every cycle; take the last.',
        praise="The error overshoots: the loop keeps correcting an error that is no longer there.",
        traps=(
            Trap(lambda: abs(fly(SWARM, "++---").error_m[-1]), "Mind the sign: the loop has overshot."),
            Trap(lambda: fly(SWARM, "---++").error_m[-1], "First the complete exchanges, then the losses."),
        ),
        trains="composing outcomes into an error trajectory",
    ),
    Exercise(
        "01.3",
        number(rel=0.02),
        lambda: _pushed(BURST).v.max() / _pushed(SPREAD).v.max(),
        hint="Divide burst.v.max() by spread.v.max().",
        praise="Same packets lost, several times the energy: the run length is what the loop feels.",
        traps=(
            Trap(lambda: _pushed(SPREAD).v.max() / _pushed(BURST).v.max(), "The other way round: burst over spread."),
            Trap(
                lambda: abs(_pushed(BURST).error_m).max() / abs(_pushed(SPREAD).error_m).max(),
                "That is the ratio of the errors; V goes with their square, and with the errors before them.",
            ),
        ),
        trains="why delivery ratio is the wrong metric",
    ),
    Exercise(
        "01.4",
        word("uplink", "downlink"),
        _worst_direction,
        hint='Compare fly(scenario, "u" * 10).v[1:].max() (downlink lost) with fly(scenario, "d" * 10).v[1:].max().',
        praise="The split of decision D1 gives the command most of the authority, so losing it costs most.",
        trains="uplink and downlink are not worth the same",
    ),
)
