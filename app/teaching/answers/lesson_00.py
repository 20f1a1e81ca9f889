"""Lesson 00: a five-minute tour."""

from __future__ import annotations

from app.teaching.closed_loop import SEEDS, race
from app.teaching.exercise import Exercise, Trap, add
from app.teaching.instant import picture_of
from app.teaching.matching import whole, word
from app.teaching.what_if import lesson_scenario
from core.scenario import preset

SWARM = preset("teaching-swarm")
PAIR = ("SAFE", "Fixed-Service")


def _better() -> str:
    mission = race(lesson_scenario(), PAIR, SEEDS[0])
    return min(PAIR, key=lambda p: mission.summary(p)["mean_rmse_m"])


add(
    Exercise(
        "00.1",
        whole("loops"),
        lambda: int((picture_of(SWARM).allocation.choice >= 0).sum()),
        hint="(picture.allocation.choice >= 0).sum() counts the loops that got slots.",
        praise="Fewer than there are: somebody must wait in every frame, and the question of the paper is who.",
        traps=(Trap(lambda: SWARM.mission.uavs, "That is the whole swarm; the frame is too short for all."),),
        trains="reading an allocation",
    ),
    Exercise(
        "00.2",
        whole("actions"),
        lambda: picture_of(SWARM, snr_offset_db=-2.0).counts["admitted"],
        hint="picture_of(scenario, snr_offset_db=-2.0).counts tells how many actions survive each stage.",
        praise="Network-feasible is not safe: the drift test refuses what a weaker channel can no longer promise.",
        traps=(
            Trap(lambda: picture_of(SWARM).counts["admitted"], "That is the count without the loss of 2 dB."),
            Trap(
                lambda: picture_of(SWARM, snr_offset_db=-2.0).counts["candidates"],
                "These are all candidates; count those that pass Φ ≤ 0.",
            ),
        ),
        trains="from channel to admission",
    ),
    Exercise(
        "00.3",
        word(*PAIR),
        _better,
        hint='race(lesson_scenario(), ("SAFE", "Fixed-Service"), 2000).summary(policy)["mean_rmse_m"] for both.',
        praise="One mission is an anecdote; lesson 06 does it properly.",
        trains="a first comparison of policies",
    ),
)
