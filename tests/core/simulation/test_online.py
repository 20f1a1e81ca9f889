"""A confidence set that learns in flight (D26): from what, when, and what it keeps in a world that has shifted."""

import numpy as np
import pytest

from core import Scenario
from core.errors import ScenarioError
from core.instant import Flight
from core.simulation import CycleRecord, Simulation, simulate
from core.twin import route_class

SMALL = {"mission.uavs": 12, "network.slots": 50, "mission.duration_s": 10.0}
ON = {"twin.online_beta": True}
SHIFTED = {"network.shadow_scale": 1.6}


def flown(**changes: object) -> list[CycleRecord]:
    return list(Simulation(Scenario().replace(**{**SMALL, **changes}), "SAFE", 5))


def test_coverage_counts_what_a_hand_written_loop_counts() -> None:
    simulation = Simulation(Scenario().replace(**SMALL), "SAFE", 5)
    simulation.step()
    channel, scenario, p = simulation._channel, simulation.scenario, simulation._p.copy()
    real = channel.realised(scenario, p)
    record = simulation.step()
    counts = np.zeros((2, 6), dtype=int)
    for routes, margins in (
        (record.candidates.ul_routes, record.candidates.margin_ul_db),
        (record.candidates.dl_routes, record.candidates.margin_dl_db),
    ):
        kinds = route_class(routes.hops, routes.rayleigh)
        for r in range(len(routes.hops)):
            falls = []
            for h in range(routes.hops[r]):
                a, b = routes.nodes[r, h : h + 2]
                worse = real.rayleigh[a, b] and not routes.rayleigh[r, h]
                falls.append(np.inf if worse else routes.snr_db[r, h] - real.snr_db[a, b])
            counts[0, kinds[r]] += 1
            counts[1, kinds[r]] += max(falls) <= margins[r]
    np.testing.assert_array_equal(counts[0], record.coverage.routes)
    np.testing.assert_array_equal(counts[1], record.coverage.covered)
    assert counts[0].sum() > counts[1].sum() > 0


def test_it_learns_from_measurements_once_they_are_there() -> None:
    """With measurements three cycles old, what cycle 0 showed moves α in cycle 3 and not before."""
    records = flown(**ON, **SHIFTED, **{"twin.link_age_cycles": 3, "twin.online_gamma": 0.2})
    for record in records[:3]:
        np.testing.assert_array_equal(record.alpha, 0.05)
    seen = np.isfinite(records[0].coverage.missed)
    expected = np.clip(0.05 + 0.2 * (0.05 - records[0].coverage.missed[seen]), 0.0, 1.0)
    np.testing.assert_allclose(records[3].alpha[seen], expected, atol=1e-15)
    np.testing.assert_array_equal(records[3].alpha[~seen], 0.05)


def test_without_measurement_error_the_beacons_tell_the_true_snr() -> None:
    """Then measured and true counts differ only by links whose fading class nobody foresaw."""
    for record in flown(**ON, **{"twin.link_noise_db": 0.0}):
        assert np.all(record.coverage.measured >= record.coverage.covered)
        assert record.coverage.measured.sum() - record.coverage.covered.sum() <= 2


def test_it_knows_nothing_that_no_beacon_measures() -> None:
    """What is learnt hangs on predicted routes, their SNR and the measurements, not on how links really fade."""
    simulation = Simulation(Scenario().replace(**{**SMALL, **ON}), "SAFE", 5)
    record = simulation.step()
    scenario, channel = simulation.scenario, simulation._channel
    channel.reach(scenario, 0)
    routes = record.candidates.ul_routes
    tx, rx = routes.nodes[:, 0], routes.nodes[:, 1]
    once, twice = (channel.measurement_error_db(scenario, tx, rx) for _ in range(2))
    np.testing.assert_array_equal(once, twice)
    np.testing.assert_array_equal(once, channel.measurement_error_db(scenario, rx, tx))
    # the very errors that D21's filter was fed
    measured, spread, _ = channel._motion._seen(scenario, channel._state.units[-1], 0)
    errors = measured - channel._state.units[-1] * spread.pairs()
    np.testing.assert_allclose(channel._motion.errors_db(scenario, 0), errors, atol=1e-12)


def test_off_by_default_and_then_nothing_moves() -> None:
    off, gamma = flown(), flown(**{"twin.online_gamma": 0.3})
    for a, b in zip(off, gamma, strict=True):
        np.testing.assert_array_equal(a.choice, b.choice)
        np.testing.assert_array_equal(a.alpha, 0.05)
    assert off[-1].coverage.measured.sum() == 0


def test_it_needs_link_measurements() -> None:
    with pytest.raises(ScenarioError, match=r"twin\.link_quality"):
        Scenario().replace(**{**ON, "twin.link_quality": False})


@pytest.mark.slow
def test_in_a_shifted_world_it_holds_coverage_within_two_points_where_the_offline_set_does_not() -> None:
    long = {"mission.uavs": 20, "network.slots": 70, "mission.duration_s": 150.0, **SHIFTED}
    offline, online = (simulate(Scenario().replace(**long, **more), "SAFE", 7).summary() for more in ({}, ON))
    assert offline["route_coverage"] < 0.90
    assert abs(online["route_coverage"] - 0.95) <= 0.02


def test_an_instant_of_a_learning_flight_is_what_was_flown() -> None:
    scenario = Scenario().replace(**{**SMALL, **ON, **SHIFTED})
    flight = Flight.of(scenario, "SAFE", 5)
    records = list(Simulation(scenario, "SAFE", 5))
    for k in (0, 7, 31):
        now = flight.instant(k)
        np.testing.assert_array_equal(now.candidates.margin_ul_db, records[k].candidates.margin_ul_db)
        np.testing.assert_array_equal(now.allocation.choice, records[k].choice)
        np.testing.assert_array_equal(flight.online(k).alpha(0.05), records[k].alpha)
    assert np.any(flight.online(31).shift != 0.0)
    # what if another β, with what was learnt
    wider = flight.instant(31).replace(scenario=scenario.replace(**{"twin.beta": 0.02}))
    assert np.all(wider.candidates.margin_ul_db >= flight.instant(31).candidates.margin_ul_db)
    # what if it were off
    plain = flight.instant(31).replace(scenario=scenario.replace(**{"twin.online_beta": False}))
    assert not np.array_equal(plain.candidates.margin_ul_db, flight.instant(31).candidates.margin_ul_db)
    history = flight.history()
    K = history.cycles
    np.testing.assert_array_equal(history.covered, [r.coverage.covered for r in records[:K]])
    assert flight.summary(["route_coverage"]).keys() == {"route_coverage"}
    branch = flight.changed(20, scenario.replace(**{"network.slots": 40}))
    branch.reach(22)
    np.testing.assert_array_equal(branch.history().covered[:20], history.covered[:20])
    np.testing.assert_array_equal(branch.online(20).shift, flight.online(20).shift)
