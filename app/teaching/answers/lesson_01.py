"""Lesson 01: why packets are not enough."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from app.teaching.coding import function
from app.teaching.exercise import Exercise, Trap, add
from app.teaching.matching import number
from app.teaching.one_loop import burst_pattern, fly
from core.control import ControlModel, mode_matrix, run_matrix
from core.control.lqr import lqr_gain
from core.scenario import preset

SWARM = preset("teaching-swarm")
_c = SWARM.control
H, A, SPLIT = _c.H, ControlModel.of(SWARM).a, _c.split


def _pushed(longest: int, lost: int = 6) -> float:
    return float(fly(SWARM, burst_pattern(30, lost, longest), start_m=0.0, push_m=3.0).v.max())


def _one_sided(sign: str) -> float:
    return float(fly(SWARM, sign * 10, start_m=0.0, push_m=3.0).v.max())


def one_cycle(z: Any, arrived: tuple[int, int], c: int) -> Any:
    """What exercise 01.2 asks for."""
    if arrived == (0, 0):
        return run_matrix(c + 1, 1, 1, H=H, a=A) @ z
    return mode_matrix(arrived, 1, 1, H=H, a=A, split=SPLIT) @ z


def _forgets_the_run(z: Any, arrived: tuple[int, int], c: int) -> Any:
    return one_cycle(z, arrived, 0)


def _counts_from_zero(z: Any, arrived: tuple[int, int], c: int) -> Any:
    return run_matrix(c, 1, 1, H=H, a=A) @ z if arrived == (0, 0) and c else one_cycle(z, arrived, c)


def _always_complete(z: Any, arrived: tuple[int, int], c: int) -> Any:
    return mode_matrix((1, 1), 1, 1, H=H, a=A, split=SPLIT) @ z


@functools.cache
def _cycles() -> Sequence[tuple[Any, ...]]:
    draw = np.random.default_rng(101)
    outcomes = [(1, 1), (1, 0), (0, 1), (0, 0), (0, 0), (0, 0)]
    return [(draw.normal(0.0, 8.0, H + 1), outcomes[i % 6], i % 4) for i in range(24)]


add(
    Exercise(
        "01.1",
        number(),
        lambda: _c.Ts * lqr_gain(_c.Ts, _c.Q, 0.5),
        hints=(
            "a is a gain times a time.",
            "a = Ts · k, and the regulator's gain k depends on R.",
            "scenario.control.Ts * lqr_gain(scenario.control.Ts, scenario.control.Q, 0.5).",
        ),
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
        function("one_cycle(z, arrived, c)", "the lifted state after one cycle, H + 1 numbers", _cycles),
        lambda: one_cycle,
        hints=(
            "One matrix per outcome, times z. Which matrix when nothing arrives?",
            "mode_matrix(arrived, 1, 1, …) for (1, 1), (1, 0) and (0, 1); run_matrix(j, 1, 1, …) for the j-th loss in a row.",
            "If arrived == (0, 0): run_matrix(c + 1, 1, 1, H=H, a=a) @ z, else mode_matrix(arrived, 1, 1, H=H, a=a, split=split) @ z.",
        ),
        praise="That is the whole closed loop of one UAV, one line per outcome. `fly` does nothing else.",
        traps=(
            Trap(lambda: _forgets_the_run, "A second loss in a row is worse than the first: use c."),
            Trap(lambda: _counts_from_zero, "After c losses in a row this one is number c + 1."),
            Trap(lambda: _always_complete, "You take the complete exchange whatever arrived."),
        ),
        trains="writing the lifted loop",
    ),
    Exercise(
        "01.3",
        number(rel=0.02),
        lambda: _pushed(6) / _pushed(1),
        hints=(
            "Fly both patterns as in the picture and compare the peaks of V.",
            "burst_pattern(30, 6, 1) spreads six losses, burst_pattern(30, 6, 6) puts them together; .v holds V/V_max.",
            "fly(scenario, burst_pattern(30, 6, 6), start_m=0.0, push_m=3.0).v.max() divided by the same with burst_pattern(30, 6, 1).",
        ),
        praise="Same packets lost, several times the energy: the run length is what the loop feels.",
        traps=(
            Trap(lambda: _pushed(1) / _pushed(6), "The other way round: burst over spread."),
            Trap(
                lambda: _pushed(8, 8) / _pushed(1, 8),
                "That is the picture's pair with eight losses; six are asked for.",
            ),
        ),
        trains="why delivery ratio is the wrong metric",
    ),
    Exercise(
        "01.4",
        number(rel=0.01),
        lambda: _one_sided("u") / _one_sided("d"),
        hints=(
            "Ten cycles in which only telemetry arrives, ten in which only the command does.",
            "Fly both from an error of 0 with a push of 3 m per cycle and compare the largest V.",
            'fly(scenario, "u" * 10, start_m=0.0, push_m=3.0).v.max() / fly(scenario, "d" * 10, start_m=0.0, push_m=3.0).v.max().',
        ),
        praise="Above 1: this loop misses the command more. The split of decision D1 gives the command most of the authority.",
        traps=(
            Trap(
                lambda: _one_sided("d") / _one_sided("u"),
                "The other way round: `u` is the flight that loses the downlink.",
            ),
            Trap(lambda: _one_sided("u") / _one_sided("+"), "Compare with `d`, not with complete exchanges."),
        ),
        trains="uplink and downlink are not worth the same",
    ),
)
