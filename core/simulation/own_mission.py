"""The mission of a file as every policy flies it: resampled to the control period, with its hotspots and gusts (D27)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.files.mission import Mission, Track, kept_mission
from core.scenario import MissionFields
from core.simulation.trace import Phase, Trace

GUST_STEPS = 8
"""Instants of a cycle over which a gust is averaged."""


def own_trace(mission: MissionFields, Ts: float, cycles: int) -> Trace:
    """The trace of `mission.file`; it is the same for every seed, which still decides channel and noise.

    A UAV recovers for `mission.recovery_cycles` after a hotspot, as in the built-in mission.

    Args:
        mission: its file, and the length of a recovery.
        Ts: control period [s].
        cycles: of the mission.
    """
    own = kept_mission(mission.file)
    positions = own.sampled(Ts * np.arange(cycles + 1, dtype=np.float64))
    starts = Ts * np.arange(cycles, dtype=np.float64)
    return Trace(
        positions,
        np.diff(positions, axis=0) / Ts,
        np.stack([_phases(track, starts, mission.recovery_cycles) for track in own.tracks], axis=1),
        np.stack([_gusts(track, starts, Ts) for track in own.tracks], axis=1),
        np.zeros(len(own.tracks), dtype=np.int64),
    ).frozen()


def mission_of(trace: Trace, Ts: float) -> Mission:
    """A trace as a mission that can be kept: read back, it is flown as it was.

    Args:
        trace: of any mission.
        Ts: its control period [s].
    """
    t = Ts * np.arange(trace.cycles + 1, dtype=np.float64)
    still = np.zeros((1, *trace.gust.shape[1:]))
    hotspot, gust = np.vstack([trace.phase == Phase.HOTSPOT, still[..., 0] > 0]), np.concatenate([trace.gust, still])
    return Mission(
        tuple(Track(t, trace.positions[:, i], hotspot[:, i], gust[:, i]) for i in range(trace.positions.shape[1]))
    )


def _row(track: Track, times: NDArray[np.float64]) -> NDArray[np.int64]:
    """The row in force at each time: the last one before it."""
    found: NDArray[np.int64] = np.clip(np.searchsorted(track.t, times + 1e-9, side="right") - 1, 0, len(track.t) - 1)
    return found


def _phases(track: Track, starts: NDArray[np.float64], recovery: int) -> NDArray[np.int8]:
    visit = track.hotspot[_row(track, starts)]
    phase = np.where(visit, Phase.HOTSPOT, Phase.CRUISE).astype(np.int8)
    for k in np.flatnonzero(visit[:-1] & ~visit[1:]):
        after = phase[k + 1 : k + 1 + recovery]
        after[after == Phase.CRUISE] = Phase.RECOVERY
    return phase


def _gusts(track: Track, starts: NDArray[np.float64], Ts: float) -> NDArray[np.float64]:
    """Mean over each cycle, (cycles, 3) [m/s]."""
    times = starts[:, None] + Ts * (np.arange(GUST_STEPS) + 0.5) / GUST_STEPS
    inside = track.gust[_row(track, times)]
    steady = (inside == inside[:, :1]).all(axis=1)  # to the last bit what the file says
    found: NDArray[np.float64] = np.where(steady, inside[:, 0], inside.mean(axis=1))
    return found
