"""Recorded links: our own give the run they were made of, others take the place of the model where they exist."""

import numpy as np
import pytest

from core import Scenario, folders
from core.files.links import LinkTrace, keep_links, links_from_csv
from core.network import link_budget_db
from core.simulation import Simulation, reference, simulate
from core.simulation.channel import Channel
from core.simulation.link_recording import fly_and_record

SMALL = Scenario().replace(**{"mission.uavs": 5, "mission.duration_s": 5.0})


@pytest.fixture(autouse=True)
def own_results(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "RESULTS", tmp_path)


def replayed(s: Scenario, trace: LinkTrace) -> Scenario:
    return s.replace(**{"network.link_trace": keep_links(trace)})


@pytest.mark.parametrize("policy", ["SAFE", "VoI-Sched"])
@pytest.mark.parametrize("age", [1, 3])
def test_a_trace_of_our_own_gives_its_run_bit_for_bit(policy, age, calibration):
    s = SMALL.replace(**{"twin.link_age_cycles": age, "network.snr_offset_db": -4.0})
    plain = simulate(s, policy, 5, calibration)
    run, trace = fly_and_record(Simulation(s, policy, 5, calibration))
    again = simulate(replayed(s, links_from_csv("l.csv", trace.content())), policy, 5, calibration)
    assert 0.0 < plain.delivered.mean() < plain.served.mean()  # something fails: other links would show
    for name in ("rmse", "v_normalised", "tr_sigma", "served", "uplink", "downlink", "mode", "positions", "c_fail"):
        np.testing.assert_array_equal(getattr(run, name), getattr(plain, name), err_msg=name)
        np.testing.assert_array_equal(getattr(again, name), getattr(plain, name), err_msg=name)


def test_the_trace_is_what_is_replayed_and_not_the_seed(calibration):
    """With the links of seed 5, another seed meets the links of seed 5."""
    _, trace = fly_and_record(Simulation(SMALL, "SAFE", 5, calibration))
    s = replayed(SMALL, trace)
    channel = Channel(s, reference(s, 6), 6)
    found = channel.realised(s, reference(s, 6).positions[0])
    i, j = np.triu_indices(6, 1)
    np.testing.assert_array_equal(found.snr_db[i, j], trace.snr_db[:15])
    np.testing.assert_array_equal(found.snr_db[j, i], trace.snr_db[:15])
    np.testing.assert_array_equal(found.los[i, j], trace.los[:15] > 0)
    assert (
        len({tuple(Channel(SMALL, reference(SMALL, k), k).los[0]) for k in (5, 6)}) == 2
    )  # the seeds themselves differ


def one(snr_db=7.0, **more) -> LinkTrace:
    """UAV 2 hears the ground station in cycle 3, nothing else is recorded."""
    columns = {"snr_db": np.array([snr_db])} | {name: np.array([x]) for name, x in more.items()}
    return LinkTrace(np.array([0.76]), np.array([0]), np.array([2]), **columns)


def at_cycle(s: Scenario, k: int):
    trace = reference(s, 0)
    channel = Channel(s, trace, 0)
    channel.reach(s, k)
    return channel, trace.positions[k]


def test_the_model_stays_where_nothing_is_recorded():
    s = replayed(SMALL, one())
    for k in (2, 3):
        (with_trace, p), (without, _) = at_cycle(s, k), at_cycle(SMALL, k)
        a, b = with_trace.realised(s, p), without.realised(SMALL, p)
        differs = {(int(i), int(j)) for i, j in np.argwhere(a.snr_db != b.snr_db)}
        assert differs == (set() if k == 2 else {(0, 2), (2, 0)})
        tx, rx = np.array([0, 2, 1, 2]), np.array([2, 0, 2, 1])
        some, every = with_trace.realised_links(s, p).some(tx, rx), (a.snr_db[tx, rx], a.rayleigh[tx, rx])
        np.testing.assert_array_equal(some[0], every[0])
        np.testing.assert_array_equal(some[1], every[1])
    assert "1 of 15 links" in one().words(0.25, s.cycles, 6)
    assert one().share(0.25, 20, 6) == pytest.approx(1 / (20 * 15))


def test_recorded_levels_move_with_the_link_budget():
    louder = {"network.snr_offset_db": 3.0, "network.tx_power_dbm": 12.0}
    budget = link_budget_db(SMALL)
    for trace, quiet, loud in (
        (one(), 7.0, 12.0),  # recorded at the default power
        (one(budget_db=budget + 1), 6.0, 11.0),
        (
            LinkTrace(np.array([0.76]), np.array([0]), np.array([2]), path_loss_db=np.array([90.0])),
            budget - 90,
            budget - 85,
        ),
    ):
        for changes, expected in (({}, quiet), (louder, loud)):
            s = replayed(SMALL, trace).replace(**changes)
            channel, p = at_cycle(s, 3)
            assert channel.realised(s, p).snr_db[0, 2] == pytest.approx(expected)


def test_the_twin_measures_what_is_recorded():
    """A link that is 20 dB better than any model is known to the twin once it is measured, at any power."""
    t = 0.25 * np.arange(20)
    n = len(t)
    trace = LinkTrace(t, np.zeros(n, int), np.full(n, 2), snr_db=np.full(n, 60.0))
    for changes in ({}, {"network.tx_power_dbm": 15.0}):
        s = replayed(SMALL, trace).replace(**changes)
        channel, p = at_cycle(s, 6)
        predicted, real = channel.predicted(s, p), channel.realised(s, p)
        assert abs(predicted.snr_db[0, 2] - real.snr_db[0, 2]) < 8.0
        model, _ = at_cycle(SMALL, 6)
        assert real.snr_db[0, 2] - model.realised(SMALL.replace(**changes), p).snr_db[0, 2] > 20.0


def test_several_records_of_a_cycle_are_averaged_and_directions_kept_apart():
    trace = links_from_csv("l.csv", b"t,from,to,snr_db\n0.7,gcs,2,6\n0.8,gcs,2,8\n0.75,2,gcs,-3\n")
    s = replayed(SMALL, trace)
    channel, p = at_cycle(s, 3)
    found = channel.realised(s, p).snr_db
    assert (found[0, 2], found[2, 0]) == (7.0, -3.0)
