"""The predicted path (D23) is the one that is flown when nothing disturbs, and V is that of the lifted state."""

import dataclasses

import numpy as np
import pytest

from core import Scenario
from core.control import ControlModel, Law, Plan, predict_paths
from core.simulation import Decision, Policy, Simulation
from core.simulation.policies.service import cheapest_usable

QUIET = {
    "control.sigma_proc_m": 0.01,  # the smallest the field allows; the draws are switched off below
    "mission.gust_min_mps2": 0.0,
    "mission.gust_max_mps2": 0.0,
    "network.snr_offset_db": 20.0,
    "network.slots": 450,
    "mission.building_height_m": 0.0,
    "mission.uavs": 8,
    "mission.duration_s": 20.0,
}
L = 4


class Serve(Policy):
    """Serves every loop in the given cycles, with its cheapest safe action."""

    name = "serve"

    def __init__(self, cycles):
        self.cycles = cycles

    def decide(self, view):
        c = view.candidates
        allowed = np.ones(len(c.slots), dtype=bool)
        pick = cheapest_usable(c.offsets, c.slots, allowed, c.delivery(), 0.999)
        return Decision.of(pick if view.k in self.cycles else np.full(len(pick), -1))


@pytest.fixture
def silence(monkeypatch):
    """No noise of any kind: what is measured is what is."""
    from core.simulation import draws

    monkeypatch.setattr(draws, "normals", lambda seed, stream, cycle, rows, columns: np.zeros((rows, columns)))


def fly(simulation, cycles):
    return [simulation.step() for _ in range(cycles)]


def predicted(simulation, **how):
    """What the controller predicts from the state the simulation is in."""
    model, states = ControlModel.of(simulation.scenario), simulation.states()
    plan = Plan.ahead(simulation.trace.positions, simulation.k, L)
    return predict_paths(model.X, states.z, states.u, plan.steps, model.law, **how)


def flown_errors(records):
    return np.stack([r.positions - r.references for r in records], axis=1)


@pytest.mark.parametrize("feed_forward", [False, True])
@pytest.mark.parametrize("start", [7, 30])
def test_held_path_is_flown_to_the_last_digit(silence, feed_forward, start):
    scenario = Scenario().replace(**QUIET, **{"control.feed_forward": feed_forward, "control.supervisor": False})
    simulation = Simulation(scenario, Serve(range(start)), seed=5)
    fly(simulation, start)
    expected = predicted(simulation)
    records = fly(simulation, L)
    assert flown_errors(records) == pytest.approx(expected.errors, abs=1e-9)
    V = np.stack([r.v_normalised for r in records], axis=1) * ControlModel.of(scenario).V_max
    assert pytest.approx(expected.V, rel=1e-9, abs=1e-9) == V


@pytest.mark.parametrize("feed_forward", [False, True])
def test_path_with_a_command_at_its_slot_is_flown_to_the_last_digit(silence, feed_forward):
    scenario = Scenario().replace(**QUIET, **{"control.feed_forward": feed_forward, "control.supervisor": False})
    served = {*range(6), 9}  # three cycles of holding first, so that the command matters
    simulation = Simulation(scenario, Serve(served), seed=5)
    fly(simulation, 9)
    before = dataclasses.replace(simulation.states())
    plan = Plan.ahead(simulation.trace.positions, simulation.k, L)
    records = fly(simulation, L)
    first, network = records[0], scenario.network
    assert first.downlink.all()
    ends = np.array([_last_downlink_slot(first, i) for i in range(8)])
    arrival = ends * network.tau_slot_s - network.guard_ms * 1e-3
    model = ControlModel.of(scenario)
    expected = predict_paths(model.X, before.z, before.u, plan.steps, model.law, arrival_s=arrival)
    assert flown_errors(records) == pytest.approx(expected.errors, abs=1e-9)


def _last_downlink_slot(record, loop):
    """Slot after the attempt that delivered the command: first attempts succeed at +20 dB, one per hop."""
    frame = record.frame
    mine = (frame.loop == loop) & (frame.direction == 1) & (frame.attempt == 0)
    last = np.flatnonzero(mine)[np.argmax(frame.hop[mine])]
    return frame.slot[last] + frame.length[last]


@pytest.mark.parametrize("feed_forward", [False, True])
def test_path_under_the_onboard_law_is_flown_to_the_last_digit(silence, feed_forward):
    scenario = Scenario().replace(**QUIET, **{"control.feed_forward": feed_forward, "control.sigma_span_cycles": 1})
    simulation = Simulation(scenario, Serve(range(3)), seed=5)
    while (handed := simulation.step()).mode.min() != 3:  # tr Σ leaves the domain: the supervisor takes every loop
        assert simulation.k < 60
    assert (handed.mode == 3).all()
    expected = predicted(simulation, local=True)
    records = fly(simulation, L)
    assert all((r.mode == 3).all() for r in records)
    assert flown_errors(records) == pytest.approx(expected.errors, abs=1e-9)


def test_energy_is_that_of_the_lifted_state():
    """V(j) shifts the predicted errors into z and applies X by its definition."""
    rng = np.random.default_rng(2)
    model = ControlModel.of(Scenario())
    z, u, steps = rng.normal(size=(3, 5, 3)), rng.normal(size=(3, 3)), rng.normal(size=(L, 3, 3))
    found = predict_paths(model.X, z, u, steps, model.law, arrival_s=[0.0, 0.1, np.inf])
    for i in range(3):
        lifted = z[i]
        for j in range(L):
            lifted = np.concatenate([found.errors[i, j][None], lifted[:-1]])
            V = sum(lifted[:, axis] @ model.X @ lifted[:, axis] for axis in range(3))
            assert found.V[i, j] == pytest.approx(V)
            assert model.lyapunov(lifted) == pytest.approx(V)


def test_energy_is_convex_in_the_arrival():
    """Why the value takes the larger of the two ends: no arrival between them is worse."""
    rng = np.random.default_rng(4)
    model = ControlModel.of(Scenario())
    z, u, steps = rng.normal(size=(40, 5, 3)) * 9, rng.normal(size=(40, 3)) * 15, rng.normal(size=(L, 40, 3)) * 4
    V = np.stack([predict_paths(model.X, z, u, steps, model.law, arrival_s=t).V for t in np.linspace(0, 0.088, 9)])
    assert (np.maximum(V[0], V[-1]) * (1 + 1e-12) >= V).all()


def test_hand_computed_step():
    """One axis by hand: e = 2, u = 3, step 1.5, T_s = 0.5, k = 0.8; the command −1.6 arrives after 0.2 s."""
    law = Law(k=0.8, onboard=0.4, Ts=0.5, feed_forward=False)
    z, u, steps = np.zeros((1, 2, 3)), np.zeros((1, 3)), np.zeros((2, 1, 3))
    z[0, 0, 0], u[0, 0], steps[:, 0, 0] = 2.0, 3.0, 1.5
    X = np.eye(2)
    held = predict_paths(X, z, u, steps, law).errors[0, :, 0]
    assert held == pytest.approx([2 + 0.5 * 3 - 1.5, 2 + 2 * (0.5 * 3 - 1.5)])
    told = predict_paths(X, z, u, steps, law, arrival_s=0.2).errors[0, :, 0]
    first = 2 + 0.2 * 3 + 0.3 * -1.6 - 1.5
    assert told == pytest.approx([first, first + 0.5 * -1.6 - 1.5])
    local = predict_paths(X, z, u, steps, law, local=True).errors[0, :, 0]
    one = 2 + 0.5 * (-0.4 * 2) - 1.5
    assert local == pytest.approx([one, one + 0.5 * (-0.4 * one) - 1.5])
    forward = predict_paths(X, z, u, steps, law._replace(feed_forward=True), arrival_s=0.0).errors[0, :, 0]
    assert forward[0] == pytest.approx(2 + 0.5 * (-1.6 + 1.5 / 0.5) - 1.5)


def test_the_plan_continues_straight_after_the_mission():
    positions = np.cumsum(np.ones((4, 2, 3)), axis=0)
    plan = Plan.ahead(positions, 2, 3)
    assert plan.cycles == 3
    assert plan.steps == pytest.approx(np.ones((3, 2, 3)))
    assert plan.references[0] == pytest.approx(positions[2])
    assert Plan.ahead(positions, 0, 2).references == pytest.approx(positions[:3])
