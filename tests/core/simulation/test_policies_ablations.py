"""An ablation differs from SAFE in what its name says, and in nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from core import Scenario
from core.allocation import Mode, predicted_value
from core.control import Plan
from core.errors import SafeExplorerError
from core.simulation import (
    POLICIES,
    CycleView,
    Decision,
    Policy,
    Simulation,
    Trace,
    reference,
    register,
    seen_by,
    simulate,
)
from core.simulation.policies import SafeGreedy, SafeNominal, SafeNoPlan
from core.twin import ROUTE_CLASSES, ScoreQuantiles

SCENARIO = Scenario().replace(**{"mission.duration_s": 5.0})
TIGHT = SCENARIO.replace(**{"network.slots": 120})
SCARCE = SCENARIO.replace(**{"network.slots": 60, "network.snr_offset_db": -4.0})
"""Here even the synchronisation pass has to act."""
CHANGES = {
    "SAFE-repaired": {"formulation": "repaired"},
    "SAFE-paper": {"formulation": "paper"},
    "SAFE-no-admission": {"allocation.admission": "none"},
    "SAFE-reach": {"allocation.admission": "reach"},
    "SAFE-no-sync": {"allocation.sync_exchanges": 0},
    "SAFE-L1": {"allocation.lookahead_cycles": 1},
}


def choices(scenario, policy, calibration, trace=None, seed=0):
    return [r.choice.tolist() for r in Simulation(scenario, policy, seed, calibration, trace)]


@pytest.fixture(scope="module")
def view(calibration) -> CycleView:
    """A cycle of a scarce frame in which loops turn, wait and fail."""
    simulation = Simulation(TIGHT, "Fixed-Service", 3, calibration)
    for _ in range(14):
        simulation.step()
    return simulation._view(simulation.states())


@pytest.mark.parametrize("name", [name for name in CHANGES if name != "SAFE-paper"])
def test_an_ablation_is_safe_with_other_fields_bit_for_bit(name, calibration):
    """The same choices, positions and modes as SAFE in a scenario with these fields, and not SAFE's own.

    Not the printed formulas: the supervisor (D12) is that of the flown scenario, and in "paper" it holds less often.
    """
    pairs = zip(
        Simulation(SCARCE, name, 0, calibration),
        Simulation(SCARCE.replace(**CHANGES[name]), "SAFE", 0, calibration),
        strict=True,
    )
    for flown, same in pairs:
        assert flown.choice.tolist() == same.choice.tolist()
        assert flown.mode.tolist() == same.mode.tolist()
        assert flown.positions.tobytes() == same.positions.tobytes()
    assert choices(SCARCE, name, calibration) != choices(SCARCE, "SAFE", calibration)


def test_every_scenario_change_of_a_registered_policy_is_listed_here():
    assert {name: dict(p.view_changes) for name, p in POLICIES.items() if p.view_changes} == CHANGES


def test_without_admission_nothing_is_called_certified_and_without_sync_nothing_is_synchronised(calibration):
    assert not (simulate(TIGHT, "SAFE-no-admission", 0, calibration).mode == Mode.CERTIFIED).any()
    synchronised = {
        name: sum(int(r.allocation.synchronisation.sum()) for r in Simulation(SCARCE, name, 0, calibration))
        for name in ("SAFE", "SAFE-no-sync")
    }
    assert synchronised["SAFE"] > 0 == synchronised["SAFE-no-sync"]


def straight(scenario, seed) -> Trace:
    """Every reference flies on at its first velocity."""
    flown = reference(scenario, seed)
    steps = np.arange(len(flown.positions))[:, None, None] * scenario.control.Ts
    positions = flown.positions[0] + steps * flown.velocity[0]
    return replace(flown, positions=positions, velocity=np.diff(positions, axis=0) / scenario.control.Ts)


def test_without_the_plan_safe_flies_the_same_where_every_reference_is_straight(calibration):
    """To rounding, which could at most exchange two loops of equal value; none are here."""
    trace = straight(TIGHT, 0)
    assert choices(TIGHT, "SAFE-no-plan", calibration, trace) == choices(TIGHT, "SAFE", calibration, trace)
    assert choices(TIGHT, "SAFE-no-plan", calibration) != choices(TIGHT, "SAFE", calibration)


def test_without_the_plan_nothing_beyond_this_cycles_velocity_is_known(view):
    bent = view.plan.references.copy()
    bent[2:] += np.random.default_rng(0).normal(0.0, 20.0, bent[2:].shape)
    other = replace(view, plan=Plan(bent))
    np.testing.assert_array_equal(SafeNoPlan().decide(other).choice, SafeNoPlan().decide(view).choice)
    assert POLICIES["SAFE"]().decide(other).choice.tolist() != POLICIES["SAFE"]().decide(view).choice.tolist()
    r = view.plan.references
    by_hand = Plan(np.stack([r[0] + j * (r[1] - r[0]) for j in range(len(r))]))
    expected = POLICIES["SAFE"]().decide(replace(view, plan=by_hand)).choice
    np.testing.assert_array_equal(SafeNoPlan().decide(view).choice, expected)


def test_nominal_safe_is_safe_where_margins_are_zero(calibration):
    zero = ScoreQuantiles.of(np.zeros(2000))
    exact = replace(calibration, scores=(tuple((zero, zero) for _ in ROUTE_CLASSES),))
    assert np.all(exact.margins(TIGHT.twin.beta) == 0.0)
    assert choices(TIGHT, "SAFE-nominal", exact) == choices(TIGHT, "SAFE", exact)
    assert choices(TIGHT, "SAFE-nominal", calibration) != choices(TIGHT, "SAFE", calibration)


def test_nominal_safe_takes_the_predicted_delivery_and_leaves_the_rest_of_the_certificate(view):
    c, a = view.candidates, SafeNominal().decide(view).allocation
    for rho, options, row, certified in (
        (a.candidates.rho_ul, c.ul_options, c.actions.ul, c.rho_ul),
        (a.candidates.rho_dl, c.dl_options, c.actions.dl, c.rho_dl),
    ):
        nominal = 1.0 - options.failure_nominal[row]
        np.testing.assert_array_equal(rho, np.floor(nominal * 1e6) / 1e6)
        assert np.all(rho >= certified)
        assert np.any(rho > certified + 0.1)
    assert a.candidates.g is c.g
    assert a.candidates.T_cert is c.T_cert


def test_a_nominal_service_counts_as_certified_only_with_the_certified_delivery(calibration):
    for record in Simulation(TIGHT, "SAFE-nominal", 0, calibration):
        wrong = (record.mode == Mode.CERTIFIED) & (record.candidates.g[record.choice] < 1)
        assert not wrong.any()
    flown = simulate(TIGHT, "SAFE-nominal", 0, calibration)
    claimed = sum(
        int((r.allocation.mode == Mode.CERTIFIED).sum()) for r in Simulation(TIGHT, "SAFE-nominal", 0, calibration)
    )
    assert 0 < (flown.mode == Mode.CERTIFIED).sum() < claimed


@pytest.mark.parametrize("usable", [SafeGreedy.usable, 0.9])
def test_greedy_safe_serves_the_largest_worth_first_with_the_cheapest_usable_action(view, usable):
    c, s, model = view.candidates, view.states, view.model
    frame_s = view.scenario.network.slots * view.scenario.network.tau_slot_s
    found = predicted_value(model, s, view.plan, view.scenario.allocation.lookahead_cycles, frame_s=frame_s)
    worth, delivery = found.G + model.lam * found.T, c.delivery()
    expected, left = np.full(50, -1), view.budget
    for i in sorted(range(50), key=lambda i: -worth[i]):
        rows = range(c.offsets[i], c.offsets[i + 1])
        good = [m for m in rows if delivery[m] >= usable]
        key = (lambda m: (c.slots[m], -delivery[m], m)) if good else (lambda m: (-delivery[m], c.slots[m], m))
        pick = min(good or rows, key=key, default=-1)
        if worth[i] > 0 and pick >= 0 and c.slots[pick] <= left:
            expected[i], left = pick, left - c.slots[pick]
    choice = type("G", (SafeGreedy,), {"usable": usable})().decide(view).choice
    assert choice.tolist() == expected.tolist()


def test_greedy_safe_sends_nothing_that_would_only_do_harm(view):
    served = replace(view, budget=10_000)
    fresh = replace(served, states=replace(view.states, tr_sigma=np.zeros(50), u=-view.model.k * view.states.z[:, 0]))
    choice = SafeGreedy().decide(fresh).choice
    frame_s = view.scenario.network.slots * view.scenario.network.tau_slot_s
    worth = predicted_value(view.model, fresh.states, view.plan, 4, frame_s=frame_s).worth(view.model.lam)
    assert (worth == 0).any()
    np.testing.assert_array_equal(choice >= 0, worth > 0)


def test_a_policy_sees_its_changes_and_the_flight_does_not(calibration):
    simulation = Simulation(TIGHT, "SAFE-reach", 0, calibration)
    view = simulation._view(simulation.states())
    assert view.scenario.allocation.admission == "reach"
    assert view.plan.cycles == 25
    assert simulation.scenario == TIGHT
    simulation.scenario = TIGHT.replace(**{"network.slots": 100})  # a slider while it flies
    assert simulation._view(simulation.states()).scenario == seen_by(POLICIES["SAFE-reach"], simulation.scenario)
    assert simulation._view(simulation.states()).budget == 100


def test_a_view_without_changes_is_the_scenario_itself():
    assert seen_by(POLICIES["SAFE"], SCENARIO) is SCENARIO
    printed = SCENARIO.replace(formulation="paper")
    assert seen_by(POLICIES["SAFE-paper"], printed) is printed
    assert seen_by(POLICIES["SAFE-paper"], SCENARIO).differences(SCENARIO) == {"formulation": "paper"}


@pytest.mark.parametrize("field", ["network.slots", "control.eta", "mission.uavs", "twin.beta"])
def test_a_policy_may_not_change_what_others_share(field):
    class Greedy(Policy):
        name = "Cheat"
        view_changes = {field: Scenario().value(field)}  # noqa: RUF012

        def decide(self, view):
            return Decision.of(np.full(len(view.states), -1))

    with pytest.raises(SafeExplorerError, match=field):
        register(Greedy)
    assert "Cheat" not in POLICIES
