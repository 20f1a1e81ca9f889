"""The inspection mission of Section V-A: references, group phases and gusts, the same for every policy."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from core.errors import ScenarioError
from core.kept import remembered
from core.scenario import MissionFields, Scenario
from core.simulation import draws
from core.simulation.circuit import CORNER_CHORD, Circuit
from core.simulation.own_mission import own_trace
from core.simulation.trace import Phase, Trace
from core.wanted import check

SPACING_MARGIN = 1.1
"""UAVs of one lane start this much further apart than the safety distance asks for at the corners."""

MAX_BYTES = 500_000_000
"""Memory that the traces kept may take together: that of the longest mission of the largest swarm."""


def reference(scenario: Scenario, seed: int) -> Trace:
    """Reference trajectories, group phases and gusts of one trial (Section V-A); cached, treat as read-only.

    Args:
        scenario: its mission fields and control period are used.
        seed: trial; moves the start of every lane and draws the gusts, neither of which a mission file (D27) has.
    """
    if not 0 <= seed < 2**63:
        raise ScenarioError(f"The seed must be a whole number from 0 to 2⁶³ − 1, not {seed}.")
    if scenario.mission.file:
        return _own(scenario.mission, scenario.control.Ts, scenario.cycles)
    return _reference(scenario.mission, scenario.control.Ts, scenario.cycles, int(seed))


@remembered(MAX_BYTES, most=16)
def _own(mission: MissionFields, Ts: float, cycles: int) -> Trace:
    return own_trace(mission, Ts, cycles)


@remembered(MAX_BYTES, most=16)
def _reference(mission: MissionFields, Ts: float, cycles: int, seed: int) -> Trace:
    N = mission.uavs
    group = np.repeat(np.arange(mission.groups), group_sizes(N, mission.groups))
    phase_of_group, height = _rotation(mission, cycles)
    positions = np.empty((cycles + 1, N, 3))
    tangents = np.empty((cycles + 1, N, 2))
    for index, lane in enumerate(_lanes(mission, Ts)):
        check()
        start = draws.uniform(seed, draws.START, 0, index) * lane.circuit.length
        arcs = start + lane.circuit.length / len(lane.uavs) * np.arange(len(lane.uavs))
        climb = lane.excursion * height[:, lane.group]
        points, along = lane.circuit.at(arcs[None, :] + _progress(climb, mission.speed_mps * Ts)[:, None])
        positions[:, lane.uavs, :2] = points
        positions[:, lane.uavs, 2] = lane.altitude + climb[:, None]
        tangents[:, lane.uavs] = along
    check()
    velocity = np.diff(positions, axis=0) / Ts
    phase = phase_of_group[:, group]
    check()
    gust = _gusts(mission, Ts, seed, group, tangents)
    return Trace(positions, velocity, phase, gust, group).frozen()


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
    gust = np.zeros((len(tangents) - 1, len(group), 3))
    longest = min(mission.gust_cycles_max, mission.hotspot_cycles)
    cycles = (min(mission.gust_cycles_min, longest), longest, mission.hotspot_cycles)
    turns = (mission.hotspot_cycles + mission.recovery_cycles, mission.groups)
    _blow(cycles, turns, (mission.gust_min_mps2, mission.gust_max_mps2), Ts, seed, group, tangents, gust)
    return gust


@njit(cache=True, nogil=True)
def _blow(
    cycles: tuple[int, int, int],
    turns: tuple[int, int],
    strength: tuple[float, float],
    Ts: float,
    seed: int,
    group: NDArray[np.int64],
    tangents: NDArray[np.float64],
    gust: NDArray[np.float64],
) -> None:
    """Add the gusts of all UAVs.

    Args:
        cycles: shortest and longest gust, and length of a visit [cycles].
        turns: cycles from one group's visit to the next group's, and number of groups.
        strength: least and greatest acceleration [m/s²].
        Ts: control period [s].
        seed: of the trial.
        group: of each UAV, (N,).
        tangents: direction of flight, (cycles+1, N, 2).
        gust: zeros, (cycles, N, 3) [m/s].
    """
    (shortest, longest, visited), (turn, groups), end = cycles, turns, len(gust)
    for i in range(len(group)):
        # by the schedule, not by the phases: without recovery the visits of a single group run into each other
        for visit, begin in enumerate(range(turn * group[i], end, turn * groups)):
            duration = shortest + int(draws.uniform(seed, draws.GUST, visit, i, 0) * (longest - shortest + 1))
            if duration == 0:
                continue
            first = begin + int(draws.uniform(seed, draws.GUST, visit, i, 1) * (visited - duration + 1))
            acceleration = strength[0] + draws.uniform(seed, draws.GUST, visit, i, 2) * (strength[1] - strength[0])
            angle = 2 * math.pi * draws.uniform(seed, draws.GUST, visit, i, 3)
            along = tangents[min(first, end), i]
            east = math.cos(angle) * along[1] + math.sin(angle) * along[0]
            north = math.cos(angle) * -along[0] + math.sin(angle) * along[1]
            for k in range(first, min(first + duration, end)):
                speed = acceleration * ((k - first + 0.5) * Ts)
                gust[k, i, 0], gust[k, i, 1] = speed * east, speed * north
