"""The inspection mission of Section V-A: references, group phases and gusts, the same for every policy."""

from __future__ import annotations

import enum
import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import ScenarioError
from core.scenario import MissionFields, Scenario
from core.simulation import draws
from core.simulation.circuit import CORNER_CHORD, Circuit

SPACING_MARGIN = 1.1
"""UAVs of one lane start this much further apart than the safety distance asks for at the corners."""


class Phase(enum.IntEnum):
    """Where a group is in its rotation."""

    CRUISE = 0
    HOTSPOT = 1
    RECOVERY = 2


@dataclass(frozen=True)
class Trace:
    """The mission every policy flies (Section V-A).

    Args:
        positions: reference positions p_ref at cycle starts, (cycles+1, N, 3) [m].
        velocity: mean reference velocity of each cycle, (cycles, N, 3) [m/s].
        phase: Phase of each UAV, (cycles, N).
        gust: velocity disturbance averaged over each cycle, (cycles, N, 3) [m/s].
        group: group of each UAV, (N,).
    """

    positions: NDArray[np.float64]
    velocity: NDArray[np.float64]
    phase: NDArray[np.int8]
    gust: NDArray[np.float64]
    group: NDArray[np.int64]

    @property
    def cycles(self) -> int:
        """Number of control cycles."""
        return len(self.velocity)

    @classmethod
    def of_positions(cls, positions: NDArray[np.float64], Ts: float) -> Trace:
        """A trace of given reference positions, all cruise and no gusts, (cycles+1, N, 3) [m]."""
        cycles, uavs = len(positions) - 1, positions.shape[1]
        return cls(
            positions=np.asarray(positions, dtype=np.float64),
            velocity=np.diff(positions, axis=0) / Ts,
            phase=np.zeros((cycles, uavs), dtype=np.int8),
            gust=np.zeros((cycles, uavs, 3)),
            group=np.zeros(uavs, dtype=np.int64),
        )


def reference(scenario: Scenario, seed: int) -> Trace:
    """Reference trajectories, group phases and gusts of one trial (Section V-A); cached, treat as read-only.

    Args:
        scenario: its mission fields and control period are used.
        seed: trial; moves the start of every lane and draws the gusts.
    """
    if not 0 <= seed < 2**63:
        raise ScenarioError(f"The seed must be a whole number from 0 to 2⁶³ − 1, not {seed}.")
    return _reference(scenario.mission, scenario.control.Ts, scenario.cycles, int(seed))


@functools.lru_cache(maxsize=16)
def _reference(mission: MissionFields, Ts: float, cycles: int, seed: int) -> Trace:
    N = mission.uavs
    group = np.repeat(np.arange(mission.groups), group_sizes(N, mission.groups))
    phase_of_group, height = _rotation(mission, cycles)
    positions = np.empty((cycles + 1, N, 3))
    tangents = np.empty((cycles + 1, N, 2))
    for index, lane in enumerate(_lanes(mission, Ts)):
        start = draws.uniform(seed, draws.START, 0, index) * lane.circuit.length
        arcs = start + lane.circuit.length / len(lane.uavs) * np.arange(len(lane.uavs))
        climb = lane.excursion * height[:, lane.group]
        points, along = lane.circuit.at(arcs[None, :] + _progress(climb, mission.speed_mps * Ts)[:, None])
        positions[:, lane.uavs, :2] = points
        positions[:, lane.uavs, 2] = lane.altitude + climb[:, None]
        tangents[:, lane.uavs] = along
    velocity = np.diff(positions, axis=0) / Ts
    phase = phase_of_group[:, group]
    gust = _gusts(mission, Ts, seed, group, tangents)
    trace = Trace(positions, velocity, phase, gust, group)
    for array in (trace.positions, trace.velocity, trace.phase, trace.gust, trace.group):
        array.flags.writeable = False
    return trace


def group_sizes(uavs: int, groups: int) -> list[int]:
    """Sizes of the groups, larger ones first: 50 UAVs in 4 groups are 13, 13, 12, 12."""
    return [uavs // groups + (g < uavs % groups) for g in range(groups)]


@dataclass(frozen=True)
class _Lane:
    """UAVs of one group, evenly spaced on one circuit at one altitude."""

    group: int
    altitude: float
    circuit: Circuit
    excursion: float
    uavs: NDArray[np.int64]


def _climb(mission: MissionFields, Ts: float) -> float:
    """Height gained on one full hotspot leg [m], limited so that no lane comes near another or leaves the band.

    Lanes that share a circuit are `rings` layers apart; the rest is horizontal distance.
    """
    wanted = mission.vertical_fraction * mission.speed_mps * Ts * mission.hotspot_leg_cycles
    room = _rings(mission) * mission.layer_spacing_m - mission.safety_distance_m
    return min(wanted, room, mission.altitude_max_m - mission.altitude_min_m)


def _rings(mission: MissionFields) -> int:
    """Neighbouring layers fly on different circuits, a safety distance apart; the circuits repeat after this many."""
    return max(2, math.ceil(2 * mission.safety_distance_m / mission.layer_spacing_m))


def _layers(mission: MissionFields) -> NDArray[np.float64]:
    count = int((mission.altitude_max_m - mission.altitude_min_m) / mission.layer_spacing_m + 1e-9) + 1
    altitudes: NDArray[np.float64] = mission.altitude_min_m + mission.layer_spacing_m * np.arange(
        count, dtype=np.float64
    )
    return altitudes


def _lanes(mission: MissionFields, Ts: float) -> list[_Lane]:
    """Group g flies on layer g (spread over the layers, shared when there are fewer layers than groups).

    A full circuit continues on the next free one outside, so that a lane never holds two groups and a whole group's
    hotspot excursion moves whole lanes.
    """
    altitudes, rings, sizes = _layers(mission), _rings(mission), group_sizes(mission.uavs, mission.groups)
    spacing = max(SPACING_MARGIN * mission.safety_distance_m / CORNER_CHORD, 1.0)
    ring_pitch = max(mission.safety_distance_m, 1.0)
    middle = (altitudes[0] + altitudes[-1]) / 2
    climb = _climb(mission, Ts)
    taken = [0] * len(altitudes)
    lanes: list[_Lane] = []
    first = 0
    for g, size in enumerate(sizes):
        spread = len(altitudes) - 1 if len(sizes) < len(altitudes) else len(sizes) - 1
        layer = round(g * spread / max(len(sizes) - 1, 1)) % len(altitudes)
        circuits: list[Circuit] = []
        while sum(_capacity(c, spacing) for c in circuits) < size:
            ring = layer % rings + rings * taken[layer]
            circuits.append(Circuit(mission.building_side_m, mission.facade_offset_m + ring * ring_pitch))
            taken[layer] += 1
        up = altitudes[layer] <= middle
        room = (mission.altitude_max_m - altitudes[layer]) if up else (altitudes[layer] - mission.altitude_min_m)
        excursion = min(climb, room) * (1 if up else -1)
        for circuit, count in zip(circuits, _shares(size, circuits, spacing), strict=True):
            if count:
                uavs = np.arange(first, first + count)
                lanes.append(_Lane(g, float(altitudes[layer]), circuit, excursion, uavs))
                first += count
    return lanes


def _capacity(circuit: Circuit, spacing: float) -> int:
    return int(circuit.length / spacing)


def _shares(size: int, circuits: list[Circuit], spacing: float) -> list[int]:
    """Fill circuits in proportion to their capacity; never more than it."""
    capacity = np.array([_capacity(c, spacing) for c in circuits])
    ends = np.floor(np.cumsum(capacity) * size / max(capacity.sum(), 1) + 1e-9).astype(int)
    return [int(n) for n in np.diff(ends, prepend=0)]


def _rotation(mission: MissionFields, cycles: int) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Phases and excursions of each group: one group at a time visits the hotspot, then recovers.

    Returns:
        phase (cycles, groups), and height as a share of a full leg's climb (cycles+1, groups) [-].
    """
    visit, leg, groups = mission.hotspot_cycles, mission.hotspot_leg_cycles, np.arange(mission.groups)
    turn = visit + mission.recovery_cycles
    k = np.arange(cycles + 1)[:, None]
    into = np.mod(k - turn * groups, turn * mission.groups)  # cycles since this group's turn began
    into = np.where(k >= turn * groups, into, turn * mission.groups)
    phase = np.select([into < visit, into < turn], [Phase.HOTSPOT, Phase.RECOVERY], Phase.CRUISE)[:cycles]
    # triangle wave over the legs, bent so that the visit always ends at its layer
    triangle = leg - np.abs(np.mod(into, 2 * leg) - leg)
    height = np.where(into < visit, np.minimum(triangle, visit - into), 0) / leg
    return phase.astype(np.int8), height


def _progress(climb: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Distance flown along the circuit, (cycles+1,) [m]: speed is constant, what a leg climbs it does not advance."""
    forward = np.sqrt(np.maximum(step**2 - np.diff(climb) ** 2, 0.0))
    return np.concatenate([[0.0], np.cumsum(forward)])


def _gusts(
    mission: MissionFields, Ts: float, seed: int, group: NDArray[np.int64], tangents: NDArray[np.float64]
) -> NDArray[np.float64]:
    """One gust per UAV and hotspot visit, keyed by (trial, visit, UAV).

    A gust of acceleration a pushes the airframe off its commanded velocity, v_g(t) = a·t, and the onboard velocity
    loop removes what is left within the period after it ends; stored is the mean of v_g over each cycle.
    """
    cycles, N = len(tangents) - 1, len(group)
    gust = np.zeros((cycles, N, 3))
    turn = mission.hotspot_cycles + mission.recovery_cycles
    for i in range(N):
        # by the schedule, not by the phases: without recovery the visits of a single group run into each other
        for visit, begin in enumerate(range(turn * int(group[i]), cycles, turn * mission.groups)):
            u = [draws.uniform(seed, draws.GUST, visit, i, what) for what in range(4)]
            longest = min(mission.gust_cycles_max, mission.hotspot_cycles)
            shortest = min(mission.gust_cycles_min, longest)
            duration = shortest + int(u[0] * (longest - shortest + 1))
            if duration == 0:
                continue
            first = begin + int(u[1] * (mission.hotspot_cycles - duration + 1))
            acceleration = mission.gust_min_mps2 + u[2] * (mission.gust_max_mps2 - mission.gust_min_mps2)
            tangent = tangents[min(first, cycles), i]
            outward = np.array([tangent[1], -tangent[0]])
            direction = math.cos(2 * math.pi * u[3]) * outward + math.sin(2 * math.pi * u[3]) * tangent
            last = min(first + duration, cycles)
            elapsed = (np.arange(max(last - first, 0)) + 0.5) * Ts
            gust[first:last, i, :2] = acceleration * elapsed[:, None] * direction
    return gust
