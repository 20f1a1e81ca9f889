"""A cycle of a real flight: what the allocator sees, for tests that need estimates, velocities and a plan."""

from dataclasses import replace

import numpy as np

from core import Scenario
from core.allocation import allocate
from core.control import ControlModel, LoopStates
from core.simulation import CycleView, Simulation
from core.twin import certify

SWARM = Scenario().replace(**{"mission.uavs": 8, "network.slots": 40, "mission.duration_s": 12.0})
"""Eight UAVs and a scarce frame."""


def at_cycle(scenario: Scenario, cycle: int, seed: int = 3, policy: str = "SAFE") -> tuple[Simulation, CycleView]:
    """The simulation after some cycles, and what its policy sees next."""
    simulation = Simulation(scenario, policy, seed)
    for _ in range(cycle):
        simulation.step()
    return simulation, simulation._view(simulation.states())


def whole_set(simulation: Simulation, view: CycleView) -> CycleView:
    """The same view with the unpruned product of all actions."""
    topology = simulation._channel.predicted(view.scenario, simulation._p_hat)
    full = certify(view.scenario, topology, simulation.calibration, view.states.c_fail, full=True)
    return replace(view, candidates=full)


def scaled(view: CycleView, factor: np.ndarray) -> LoopStates:
    """The view's states with every loop's estimated errors scaled, and V with them."""
    z = view.states.z * factor[:, None, None]
    return replace(view.states, z=z, V=ControlModel.of(view.scenario).lyapunov(z))


def allocation_of(view: CycleView, **changes):
    """Algorithm 1 on a view, with fields of it changed."""
    v = replace(view, **changes)
    return allocate(v.scenario, v.model, v.candidates, v.states, plan=v.plan, budget=v.budget)
