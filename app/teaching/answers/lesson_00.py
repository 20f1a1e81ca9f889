"""Lesson 00: who gets the slots?"""

from __future__ import annotations

import numpy as np

from app.teaching.closed_loop import CORNER, SEEDS, lesson_flight, lesson_scenario
from app.teaching.exercise import Exercise, Trap, add
from app.teaching.matching import number, whole
from core.instant import Instant
from core.simulation import simulate


def _off_m() -> np.ndarray:
    flight = lesson_flight()
    off: np.ndarray = np.linalg.norm(flight.positions(CORNER.cycle) - flight.trace.positions[CORNER.cycle], axis=1)
    return off


def _weaker(snr_offset_db: float) -> Instant:
    now = lesson_flight().instant(CORNER.cycle)
    return now.replace(scenario=now.scenario.replace(**{"network.snr_offset_db": snr_offset_db}))


def _ahead_m(seed: int) -> float:
    fixed, safe = (simulate(lesson_scenario(), p, seed).summary()["mean_rmse_m"] for p in ("Fixed-Service", "SAFE"))
    return fixed - safe


add(
    Exercise(
        "00.1",
        number("m", rel=0.005),
        lambda: _off_m().max(),
        hints=(
            "Compare flight.positions(30), where the UAVs are, with flight.trace.positions[30], where they should be.",
            "Both have one row per UAV and the columns x, y, z. The distance of a UAV is the length of the difference of its two rows.",
            "off = flight.positions(30) - flight.trace.positions[30], then the largest of np.linalg.norm(off, axis=1).",
        ),
        praise="Everybody lags behind, and somebody more than the others: the question of the course is whether that one should get the slots.",
        traps=(
            Trap(
                lambda: np.sqrt((_off_m() ** 2).mean()),
                "That is the RMSE of the swarm; the worst single UAV is asked for.",
            ),
            Trap(lambda: _off_m().min(), "That is the UAV nearest to its reference."),
        ),
        trains="reading a flight through its API",
    ),
    Exercise(
        "00.2",
        whole("actions"),
        lambda: _weaker(-2.0).on(CORNER.loop).counts["admitted"],
        hints=(
            "now.replace(scenario=…) asks what if: the same instant with another scenario.",
            'scenario.replace(**{"network.snr_offset_db": -2.0}) is the weaker channel; .on(5).counts counts the actions of UAV 6.',
            'now.replace(scenario=scenario.replace(**{"network.snr_offset_db": -2.0})).on(5).counts["admitted"].',
        ),
        praise="What the network can send is not yet safe: the drift test refuses what a weaker channel can no longer promise.",
        traps=(
            Trap(
                lambda: _weaker(0.0).on(CORNER.loop).counts["admitted"], "That is the count without the loss of 2 dB."
            ),
            Trap(
                lambda: _weaker(-2.0).on(CORNER.loop).counts["candidates"],
                "These are all actions; count those that pass Φ ≤ 0.",
            ),
            Trap(
                lambda: _weaker(-2.0).on(CORNER.loop + 1).counts["admitted"],
                "That is UAV 7: loops are counted from 0, so UAV 6 is loop 5.",
            ),
        ),
        trains="asking what if",
    ),
    Exercise(
        "00.3",
        number("m", rel=0.01, absolute=0.005),
        lambda: _ahead_m(SEEDS[1]),
        hints=(
            "Fly the same mission twice, once with each policy, and compare one number.",
            'simulate(scenario, "SAFE", 2001).summary()["mean_rmse_m"], and the same with "Fixed-Service".',
            'Fixed-Service minus SAFE: simulate(scenario, "Fixed-Service", 2001).summary()["mean_rmse_m"] - simulate(scenario, "SAFE", 2001).summary()["mean_rmse_m"].',
        ),
        praise="One mission is an anecdote; lesson 07 does it properly.",
        traps=(
            Trap(lambda: -_ahead_m(SEEDS[1]), "The sign: Fixed-Service minus SAFE."),
            Trap(lambda: _ahead_m(SEEDS[0]), "That is mission 2000, the one drawn; 2001 is asked for."),
        ),
        trains="a first comparison of policies",
    ),
)
