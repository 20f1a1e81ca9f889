"""Moments at which the allocator is audited: real plans and links, with random and with flown loop states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.allocation import plan_cycles
from core.control import ControlModel, LoopStates, Plan
from core.network import Topology
from core.scenario import Scenario
from core.simulation import Channel, Simulation, reference, snapshot
from core.twin import Calibration

CYCLES = (40, 65, 90)


@dataclass(frozen=True, eq=False)
class Moment:
    """What an allocator needs at the start of one cycle.

    Args:
        origin: where the states are from, in words.
        topology: links that the twin predicts.
        states: controller-side states of the loops.
        plan: references ahead, as far as any admission rule looks.
    """

    origin: str
    topology: Topology
    states: LoopStates
    plan: Plan


def moments(scenario: Scenario, calibration: Calibration, seed: int, rng: np.random.Generator) -> list[Moment]:
    """The same few cycles of a mission with random states on the references, and as SAFE flies it."""
    return random_moments(scenario, seed, rng) + flown_moments(scenario, calibration, seed)


def random_moments(scenario: Scenario, seed: int, rng: np.random.Generator) -> list[Moment]:
    """Random loop states, the swarm on its references."""
    model, trace = ControlModel.of(scenario), reference(scenario, seed)
    found = []
    for cycle in CYCLES:
        k = cycle % trace.cycles
        states = random_loops(model, scenario.mission.uavs, scenario.mission.speed_mps, rng)
        topology = snapshot(scenario, seed, k).topology
        found.append(Moment(f"random states in cycle {k}", topology, states, _plan(scenario, trace.positions, k)))
    return found


def flown_moments(scenario: Scenario, calibration: Calibration, seed: int) -> list[Moment]:
    """States and estimated positions of a mission under SAFE."""
    simulation = Simulation(scenario, "SAFE", seed, calibration)
    trace = simulation.trace
    channel = Channel(scenario, trace, seed)  # depends on the seed alone, so it is the channel of the simulation
    wanted = sorted({cycle % trace.cycles for cycle in CYCLES} - {0})
    found: list[Moment] = []
    for k in range(1, wanted[-1] + 1 if wanted else 0):
        estimates = simulation.step().estimates
        channel.advance(scenario)
        if k in wanted:
            topology = channel.predicted(scenario, estimates)
            plan = _plan(scenario, trace.positions, k)
            found.append(Moment(f"states flown to cycle {k}", topology, simulation.states(), plan))
    return found


def random_loops(model: ControlModel, n: int, speed_mps: float, rng: np.random.Generator) -> LoopStates:
    """Loop states spread over the admissible domain, stale and failed counters included.

    ẑ has a random direction, scaled to the V that is wanted; û a random direction and about the speed of the mission.
    """
    c = rng.integers(0, 4, n)
    V = model.V_max * rng.uniform(0, 0.8, n)
    tr_sigma = rng.uniform(model.sigma_min, model.sigma_max, n)
    c_fail = np.minimum(c, rng.integers(0, 3, n))
    z = rng.normal(size=(n, model.H + 1, 3))
    z *= np.sqrt(V / model.lyapunov(z))[:, None, None]
    u = speed_mps / np.sqrt(3.0) * rng.normal(size=(n, 3))
    return LoopStates(model.lyapunov(z), tr_sigma, c, c_fail, np.zeros(n, dtype=np.bool_), z, u)


def _plan(scenario: Scenario, positions: NDArray[np.float64], k: int) -> Plan:
    return Plan.ahead(positions, k, plan_cycles(scenario.replace(**{"allocation.admission": "reach"})))
