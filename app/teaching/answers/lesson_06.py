"""Lesson 06: the predicted value of a command."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from app.teaching.closed_loop import CORNER, lesson_flight, lesson_scenario
from app.teaching.coding import function
from app.teaching.exercise import Exercise, Trap, add
from app.teaching.matching import number
from core.allocation.prediction import exchange_value
from core.control import ControlModel, Law, predict_paths

MODEL = ControlModel.of(lesson_scenario())


def two_paths(e: Any, u: Any, steps: Any, k: float, Ts: float) -> Any:
    """What exercise 06.1 asks for: errors without the command and with it, each (L, 3)."""
    z, law = np.tile(np.asarray(e, dtype=float), (1, MODEL.H + 1, 1)), Law(k, 0.0, Ts, False)
    ahead = functools.partial(
        predict_paths, MODEL.X, z, np.asarray(u, dtype=float)[None], np.asarray(steps)[:, None], law
    )
    return np.stack([ahead().errors[0], ahead(arrival_s=0.0).errors[0]])


def _walk(e: Any, u: Any, steps: Any, Ts: float, gain: float | None = None, sign: float = -1.0) -> Any:
    """Errors when the velocity is held, or recomputed in every cycle with a gain."""
    path = []
    for step in steps:
        e = e + Ts * (u if gain is None else -gain * e) + sign * step
        path.append(e)
    return np.array(path)


def _reference_stands_still(e: Any, u: Any, steps: Any, k: float, Ts: float) -> Any:
    still = 0.0 * np.asarray(steps)
    return np.stack([_walk(e, u, still, Ts), _walk(e, -k * e, still, Ts)])


def _wrong_way(e: Any, u: Any, steps: Any, k: float, Ts: float) -> Any:
    return np.stack([_walk(e, u, steps, Ts, sign=1.0), _walk(e, -k * e, steps, Ts, sign=1.0)])


def _new_command_each_cycle(e: Any, u: Any, steps: Any, k: float, Ts: float) -> Any:
    return np.stack([_walk(e, u, steps, Ts), _walk(e, u, steps, Ts, gain=k)])


def _command_added(e: Any, u: Any, steps: Any, k: float, Ts: float) -> Any:
    return np.stack([_walk(e, u, steps, Ts), _walk(e, u - k * e, steps, Ts)])


@functools.cache
def _corners() -> Sequence[tuple[Any, ...]]:
    draw = np.random.default_rng(606)
    return [
        (
            draw.normal(0.0, 8.0, 3),
            draw.normal(0.0, 10.0, 3),
            draw.normal(0.0, 3.0, (int(draw.integers(1, 7)), 3)),
            float(draw.uniform(0.5, 3.0)),
            float(draw.choice([0.1, 0.25, 0.5])),
        )
        for _ in range(20)
    ]


def value(V_without: Any, V_served: Any, T: float, rho_ul: float, rho_dl: float, lam: float) -> float:
    """What exercise 06.2 asks for."""
    G = float(np.mean(np.asarray(V_without) - np.asarray(V_served)))
    return float(exchange_value(G, float(T), lam, rho_ul, rho_dl))


def _harm_discounted(V_without: Any, V_served: Any, T: float, rho_ul: float, rho_dl: float, lam: float) -> float:
    return float(rho_dl * np.mean(V_without - V_served) + lam * rho_ul * T)


def _summed(V_without: Any, V_served: Any, T: float, rho_ul: float, rho_dl: float, lam: float) -> float:
    return value(np.sum(V_without), np.sum(V_served), T, rho_ul, rho_dl, lam)


def _last_only(V_without: Any, V_served: Any, T: float, rho_ul: float, rho_dl: float, lam: float) -> float:
    return value(V_without[-1:], V_served[-1:], T, rho_ul, rho_dl, lam)


def _directions_swapped(V_without: Any, V_served: Any, T: float, rho_ul: float, rho_dl: float, lam: float) -> float:
    return value(V_without, V_served, T, rho_dl, rho_ul, lam)


def _never_harmful(V_without: Any, V_served: Any, T: float, rho_ul: float, rho_dl: float, lam: float) -> float:
    return float(rho_dl * max(float(np.mean(V_without - V_served)), 0.0) + lam * rho_ul * T)


@functools.cache
def _outlooks() -> Sequence[tuple[Any, ...]]:
    draw = np.random.default_rng(616)
    cases = []
    for i in range(24):
        L = 2 + i % 5
        with_, without = (draw.uniform(0.0, 4000.0, L) for _ in range(2))
        rho_ul, rho_dl = draw.uniform(0.4, 1.0, 2)
        cases.append(
            (
                without,
                with_,
                float(draw.uniform(0.0, 2.0)),
                float(rho_ul),
                float(rho_dl),
                float(draw.uniform(100.0, 900.0)),
            )
        )
    return cases


def _gain(L: int, loop: int = CORNER.loop) -> float:
    now = lesson_flight().instant(CORNER.cycle)
    there = now.replace(scenario=now.scenario.replace(**{"allocation.lookahead_cycles": L}))
    return there.paths(loop).G / there.model.V_max


add(
    Exercise(
        "06.1",
        function(
            "two_paths(e, u, steps, k, Ts)",
            "two lists of L errors: without the command and with it, shape (2, L, 3)",
            _corners,
            shipped=("predict_paths",),
        ),
        lambda: two_paths,
        hints=(
            "One loop over the cycles ahead; only the velocity differs between the two paths.",
            "In every cycle the UAV moves by Ts·velocity and the reference by its step, so the error changes by the difference. "
            "Without the command the velocity stays u, with it it is −k·e of now, for all cycles.",
            "for v in (u, -k * e): path, x = [], e; for step in steps: x = x + Ts * v - step; path.append(x). Give both paths.",
        ),
        praise="That is all the twin knows of a corner: where the reference goes, and where the UAV goes if nobody tells it otherwise.",
        traps=(
            Trap(lambda: _reference_stands_still, "The reference moves on: subtract its step in every cycle."),
            Trap(
                lambda: _wrong_way,
                "The error is UAV minus reference: when the reference moves ahead the error shrinks by its step, it does not grow.",
            ),
            Trap(lambda: _new_command_each_cycle, "One command is promised, not one per cycle: −k·e of now is held."),
            Trap(lambda: _command_added, "The command replaces the velocity in force, it is not added to it."),
        ),
        trains="predicting two paths",
    ),
    Exercise(
        "06.2",
        function(
            "value(V_without, V_served, T, rho_ul, rho_dl, lam)",
            "U in m²",
            _outlooks,
            shipped=("exchange_value", "predicted_value"),
        ),
        lambda: value,
        hints=(
            "What the command saves over the cycles ahead, if it arrives, plus what the telemetry saves. What if the command does harm?",
            "G is the mean of V_without − V_served. U = ρ_dl·G + λ·ρ_ul·T where G ≥ 0; where G < 0 it counts in full, without ρ_dl.",
            "G = np.mean(V_without - V_served); (rho_dl * G if G >= 0 else G) + lam * rho_ul * T.",
        ),
        praise="ρ is only a lower bound on delivery: a gain may be counted as seldom as that, harm must be counted as certain.",
        traps=(
            Trap(
                lambda: _harm_discounted,
                "A command that does harm (G < 0) may arrive more often than ρ_dl promises: count it in full.",
            ),
            Trap(lambda: _never_harmful, "A command can do harm; do not cut G off at 0."),
            Trap(lambda: _summed, "G is the mean over the look-ahead, not the sum."),
            Trap(lambda: _last_only, "All cycles of the look-ahead count, not the last alone."),
            Trap(lambda: _directions_swapped, "The command comes down (ρ_dl), the telemetry goes up (ρ_ul)."),
        ),
        trains="writing the value of an action",
    ),
    Exercise(
        "06.3",
        number(rel=0.01, absolute=1e-5),
        lambda: _gain(1),
        hints=(
            "Change one field of the scenario and look at the same corner.",
            'now.replace(scenario=scenario.replace(**{"allocation.lookahead_cycles": 1})).paths(5).G is in m².',
            'now.replace(scenario=scenario.replace(**{"allocation.lookahead_cycles": 1})).paths(5).G / now.model.V_max.',
        ),
        praise="One cycle ahead the corner is hardly to be seen. The ablation SAFE-L1 of lesson 07 says what that costs in flight.",
        traps=(
            Trap(
                lambda: _gain(lesson_scenario().allocation.lookahead_cycles),
                "That is G with the scenario's own look-ahead.",
            ),
            Trap(lambda: _gain(1) * MODEL.V_max, "That is in m²; divide by V_max."),
            Trap(lambda: _gain(1, CORNER.loop + 1), "That is UAV 7: loops are counted from 0."),
        ),
        trains="what looking ahead buys",
    ),
)
