"""The allocation rows of the claims audit: equalities that hold at random and flown states, and can fail."""

import dataclasses

import numpy as np
import pytest

from core import Scenario
from core.control import ControlModel
from core.scenario.groups import ADMISSIONS
from core.simulation import Simulation
from core.studies.claims import ClaimVerdict, allocation, moments
from core.twin import certify, default_calibration

HOLDS, VIOLATED, VACUOUS = ClaimVerdict.HOLDS, ClaimVerdict.VIOLATED, ClaimVerdict.VACUOUS
SMALL = Scenario().replace(**{"mission.uavs": 6, "mission.duration_s": 3.0, "network.slots": 60})
CHECKS = (allocation.frontier_preserves, allocation.online_set_suffices, allocation.program_is_exact)


def instances(scenario=SMALL):
    return allocation.instances(scenario, default_calibration(), 5000, np.random.default_rng(1))


def test_random_loops_have_the_states_that_the_predicted_value_needs():
    model = ControlModel.of(SMALL)
    states = moments.random_loops(model, 200, 15.0, np.random.default_rng(2))
    assert pytest.approx(model.lyapunov(states.z)) == states.V
    assert 0 < states.V.min() < 0.1 * model.V_max
    assert 0.7 * model.V_max < states.V.max() <= 0.8 * model.V_max
    assert np.sqrt((states.u**2).sum(axis=1).mean()) == pytest.approx(15.0, rel=0.1)


def test_a_flown_moment_is_what_the_simulation_offers_its_policy():
    moment = moments.flown_moments(SMALL, default_calibration(), 5000)[0]
    k = int(moment.origin.split()[-1])
    simulation = Simulation(SMALL, "SAFE", 5000, default_calibration())
    for _ in range(k):
        simulation.step()
    record = simulation.step()
    assert (moment.states.z == record.states.z).all()
    offered = certify(SMALL, moment.topology, default_calibration(), moment.states.c_fail)
    assert (offered.rho_dl == record.candidates.rho_dl).all()
    assert (offered.g == record.candidates.g).all()


@pytest.mark.parametrize("formulation", ["predicted", "repaired"])
def test_allocation_claims_hold_under_every_rule_and_can_fail(formulation):
    found = instances(SMALL.replace(formulation=formulation))
    assert len(found) == 2 * len(moments.CYCLES) * len(ADMISSIONS)
    for check in CHECKS:
        finding = check(found)
        assert finding.verdict is HOLDS
        assert f"{len(found)} instances" in finding.measured
    wrong = next(n for n, i in enumerate(found) if "reach, states flown" in i.case)
    bent = dataclasses.replace(
        found[wrong],
        frontier_curve=found[wrong].frontier_curve * 0.99,
        online_curve=found[wrong].online_curve * 0.98,
    )
    found[wrong] = bent
    for check in CHECKS:
        finding = check(found)
        assert finding.verdict is VIOLATED
        assert (
            f"Broken in 1 of {len(found)}, first: formulation {formulation}, admission reach, states flown"
            in finding.note
        )


def test_a_value_that_ignores_the_order_is_seen(monkeypatch):
    """U that falls with ρ makes dominated actions the better ones: pruning then loses, and the audit says so."""
    from core.allocation import prediction

    def upside_down(self, candidates, lam):
        return (1.1 - candidates.rho_dl) * np.abs(self.G[candidates.loop]) + lam * self.T[candidates.loop]

    monkeypatch.setattr(prediction.PredictedValue, "U", upside_down)
    finding = allocation.frontier_preserves(instances())
    assert finding.verdict is VIOLATED
    assert "formulation predicted, admission drift" in finding.note


def test_allocation_claims_are_equalities_without_an_interval():
    found = instances()
    for finding in (check(found) for check in CHECKS):
        assert finding.trials == 0
        assert np.isnan(finding.interval).all()
        assert finding.interval_text == ""
        assert "equal" in finding.measured


@pytest.mark.parametrize("setting", [{"network.slots": 0}, {"network.snr_offset_db": -20.0}], ids=str)
def test_nothing_admitted_is_vacuous(setting):
    found = instances(SMALL.replace(**setting))
    assert allocation.online_set_suffices(found).verdict is VACUOUS
    exact = allocation.program_is_exact(found)
    assert exact.verdict is VACUOUS
    assert "No action is admitted" in exact.note
