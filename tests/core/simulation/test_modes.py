"""What the loop writes down of every cycle: who was certified, by which counter, and how old the command is."""

import numpy as np
import pytest

from core import Scenario
from core.allocation import Mode
from core.control import ControlModel
from core.simulation import Decision, Policy, Simulation, simulate

SMALL = Scenario().replace(
    formulation="repaired",
    **{
        "mission.uavs": 8,
        "mission.duration_s": 10.0,
        "network.slots": 450,
        "network.retransmissions": (0, 1),
    },
)


class Turns(Policy):
    """Serves loop i in every (i+1)-th cycle with its most reliable action, some of them without any promise."""

    name = "turns"

    def __init__(self, disowned=()):
        self.disowned = list(disowned)

    def decide(self, view):
        c, choice = view.candidates, np.full(len(view.states), -1)
        for i in range(len(choice)):
            rows = np.flatnonzero(c.loop == i)
            if len(rows) and view.k % (i + 1) == i:
                choice[i] = rows[np.argmax(c.rho_ul[rows] * c.rho_dl[rows] - 1e-6 * c.slots[rows])]
        synchronisation = np.zeros(len(choice), dtype=bool)
        synchronisation[self.disowned] = choice[self.disowned] >= 0
        return Decision(choice, synchronisation)


def cycles_since(events):
    """Cycles in a row without the event, this one included, (cycles, N)."""
    age, found = np.zeros(events.shape[1], dtype=int), []
    for row in events:
        age = np.where(row, 0, age + 1)
        found.append(age)
    return np.array(found)


def test_only_a_delivered_command_makes_the_command_young(calibration):
    """stale_hold follows the downlink alone: telemetry without a command leaves the old one in force, and a command
    without telemetry is a new one.
    """
    scenario = SMALL.replace(**{"control.supervisor": False, "network.snr_offset_db": -8.0})
    run = simulate(scenario, Turns(), 1, calibration)
    H = scenario.control.H
    assert np.array_equal(run.stale_hold, cycles_since(run.downlink) > H)
    assert np.any(run.stale_hold != (cycles_since(run.uplink) > H))
    assert np.any(run.stale_hold != (cycles_since(run.delivered) > H))


def admitted(model, record, counter):
    """Drift test and, as printed, the gate, for each served loop's action at the given counter, (N,)."""
    c, s, rows = record.candidates, record.states, record.choice
    terms = model.drift(s.V, s.tr_sigma, counter, c.rho_ul[rows], c.rho_dl[rows], c.g[rows], c.h_ul[rows], c.h_dl[rows])
    gate = s.c_fail < c.g[rows] if model.formulation == "paper" else True
    return record.served & (terms.phi <= 0) & (c.g[rows] >= 1) & gate, terms.alpha_bar


def test_synchronisation_is_never_counted_as_certified(calibration):
    """The policy disowns half of its choices: these are no promise, however good their certificate is."""
    disowned = np.arange(8) % 2 == 0
    tempting = 0
    for record in Simulation(SMALL, Turns(np.flatnonzero(disowned)), 0, calibration):
        good, _ = admitted(ControlModel.of(SMALL), record, record.states.c)
        assert np.array_equal(record.mode == Mode.CERTIFIED, good & ~disowned)
        assert np.array_equal(record.mode == Mode.SYNCHRONISATION, record.served & ~(good & ~disowned))
        assert not (record.drift_exceeded | record.bound_exceeded)[disowned].any()
        tempting += np.sum(good & disowned)
    assert tempting > 10


def test_the_allocators_synchronisation_is_never_counted_as_certified(calibration):
    """SAFE's pass after P2 (D13) also serves loops in safe mode that have admitted actions."""
    few = {"mission.uavs": 20, "mission.duration_s": 20.0, "network.slots": 24, "network.snr_offset_db": 6.0}
    scenario, tempting = SMALL.replace(**few), 0
    for record in Simulation(scenario, "SAFE", 0, calibration):
        good, _ = admitted(ControlModel.of(scenario), record, record.states.c)
        sync = record.allocation.synchronisation
        assert np.all(record.mode[sync] == Mode.SYNCHRONISATION)
        tempting += np.sum(good & sync)
    assert tempting > 0


SHORT_RUNS = {"twin.H_T": 1, "twin.delta_T": 0.5}
"""Certificates that tolerate few failures, so that c* = max(c, g − 1) is often c."""


@pytest.mark.parametrize("formulation", ["paper", "repaired"])
def test_the_printed_drift_reads_failed_attempts_the_repaired_one_staleness(formulation, calibration):
    """D11 in flight: a loop that was left alone is stale but has not failed, and the two counters certify differently."""
    scenario = SMALL.replace(formulation=formulation, **SHORT_RUNS, **{"control.feed_forward": formulation == "paper"})
    model, matters = ControlModel.of(scenario), 0
    simulation = Simulation(scenario, Turns(), 3, calibration)
    for record in simulation:
        s, V = record.states, simulation.states().V
        right, wrong = (s.c_fail, s.c) if formulation == "paper" else (s.c, s.c_fail)
        good, alpha_bar = admitted(model, record, right)
        assert np.array_equal(record.mode == Mode.CERTIFIED, good)
        assert np.array_equal(record.drift_exceeded, good & (alpha_bar * s.V < V))
        matters += np.sum(good != admitted(model, record, wrong)[0])
    assert matters > 0


@pytest.mark.parametrize(("policy", "formulation"), [("SAFE", "repaired"), ("SAFE-paper", "paper")])
def test_the_allocator_reads_the_counter_of_its_formulation(policy, formulation, calibration):
    """Φ of every candidate of a flight, at c_fail as printed and at c where repaired."""
    scenario = SMALL.replace(**SHORT_RUNS, **{"network.slots": 60, "mission.duration_s": 5.0})
    model, matters = ControlModel.of(scenario.replace(formulation=formulation)), 0
    for record in Simulation(scenario, policy, 3, calibration):
        c, s, i = record.candidates, record.states, record.candidates.loop
        right, wrong = (s.c_fail, s.c) if formulation == "paper" else (s.c, s.c_fail)
        phi, other = (
            model.drift(s.V[i], s.tr_sigma[i], counter[i], c.rho_ul, c.rho_dl, c.g, c.h_ul, c.h_dl).phi
            for counter in (right, wrong)
        )
        np.testing.assert_allclose(record.allocation.terms.phi, phi)
        matters += np.sum(~np.isclose(phi, other))
    assert matters > 100
