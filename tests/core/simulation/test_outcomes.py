"""Packet by packet: frames played over a known channel, and those of whole flights played again by hand."""

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from core import Scenario
from core.allocation import Frame
from core.network import Topology, attempt_failure
from core.simulation import POLICIES, Channel, Decision, Policy, Simulation, draws
from core.simulation.outcomes import play_frame

SCENARIO = Scenario()
N = 3


def _topology(snr_db: float, rayleigh: bool = False) -> Topology:
    shape = (N + 1, N + 1)
    flat = np.full(shape, rayleigh)
    return Topology(np.full(shape, snr_db), flat, np.zeros(shape, bool), ~flat)


def _frame(rows):
    """rows: (slot, length, loop, direction, hop, attempt, tx, rx)."""
    start = np.full(N, -1)
    return Frame(160, 5.5e-4, 5e-5, start, *np.array(rows, dtype=np.int64).T)


# loop 1 over a relay up (two attempts per hop) and straight down (two attempts), loop 2 straight both ways
ROWS = [
    (0, 4, 1, 0, 0, 0, 2, 3),
    (4, 4, 1, 0, 0, 1, 2, 3),
    (8, 4, 1, 0, 1, 0, 3, 0),
    (12, 4, 1, 0, 1, 1, 3, 0),
    (16, 6, 1, 1, 0, 0, 0, 2),
    (22, 6, 1, 1, 0, 1, 0, 2),
    (28, 4, 2, 0, 0, 0, 3, 0),
    (32, 4, 2, 1, 0, 0, 0, 3),
]
HOPS = np.array([[0, 0], [2, 1], [1, 1]])
BLOCKS = np.array([[0, 0], [600, 900], [600, 600]])


def _plain(rows, hops, n, topology, seed, cycle):
    """The same frame, readable: follow each packet through its reserved attempts."""
    first, end = np.full((len(hops), 2), -1), np.full((len(hops), 2), -1)
    for loop in range(len(hops)):
        for direction in range(2):
            mine = [r for r in rows if r[2] == loop and r[3] == direction]
            if not mine:
                continue
            first[loop, direction] = mine[0][0]
            at = 0
            for slot, length, _, _, hop, attempt, tx, rx in mine:
                if hop != at:
                    continue
                bits = SCENARIO.network.bits_ul if direction == 0 else SCENARIO.network.bits_dl
                failure = attempt_failure(
                    SCENARIO, topology.snr_db[tx, rx], topology.rayleigh[tx, rx], int(n[loop, direction]), bits
                )
                link = tx * (len(hops) + 1) + rx
                if draws.uniform(seed, draws.PACKET, cycle, 2 * loop + direction, link, attempt) >= failure:
                    at += 1
                    if at == hops[loop, direction]:
                        end[loop, direction] = slot + length
                        break
    return first, end


@pytest.mark.parametrize(("snr_db", "rayleigh"), [(2.0, False), (6.0, True), (9.0, False)])
def test_frames_match_a_plain_python_player(snr_db, rayleigh):
    topology = _topology(snr_db, rayleigh)
    seen = set()
    for cycle in range(300):
        out = play_frame(SCENARIO, _frame(ROWS), HOPS, BLOCKS, topology, 4, cycle)
        first, end = _plain(ROWS, HOPS, BLOCKS, topology, 4, cycle)
        assert np.array_equal(out.first, first)
        assert np.array_equal(out.end, end)
        seen |= set(end[1])
    assert len(seen) > 2  # both attempts and failures occurred


def test_perfect_links_deliver_at_the_first_attempt_of_every_hop():
    out = play_frame(SCENARIO, _frame(ROWS), HOPS, BLOCKS, _topology(60.0), 0, 0)
    assert out.end.tolist() == [[-1, -1], [12, 22], [32, 36]]
    assert out.first.tolist() == [[-1, -1], [0, 16], [28, 32]]
    assert out.fresh.tolist() == [False, True, True]
    assert out.uplink.tolist() == out.downlink.tolist() == [False, True, True]


def test_dead_links_deliver_nothing():
    out = play_frame(SCENARIO, _frame(ROWS), HOPS, BLOCKS, _topology(-60.0), 0, 0)
    assert not out.uplink.any()
    assert not out.downlink.any()


def test_telemetry_after_the_downlink_began_is_not_fresh():
    swapped = _frame([(0, 4, 2, 1, 0, 0, 0, 3), (4, 4, 2, 0, 0, 0, 3, 0)])
    out = play_frame(SCENARIO, swapped, np.array([[0, 0], [0, 0], [1, 1]]), BLOCKS, _topology(60.0), 0, 0)
    assert out.uplink[2]
    assert not out.fresh[2]


def test_luck_of_an_attempt_does_not_depend_on_the_rest_of_the_frame():
    topology = _topology(3.0)
    alone = [r for r in ROWS if r[2] == 2]
    later = [(r[0] + 50, *r[1:]) for r in alone]
    hops = np.where(np.arange(N)[:, None] == 2, HOPS, 0)
    for cycle in range(100):
        with_others = play_frame(SCENARIO, _frame(ROWS), HOPS, BLOCKS, topology, 1, cycle)
        by_itself = play_frame(SCENARIO, _frame(later), hops, BLOCKS, topology, 1, cycle)
        assert with_others.uplink[2] == by_itself.uplink[2]
        assert with_others.downlink[2] == by_itself.downlink[2]


def test_a_longer_block_succeeds_whenever_a_shorter_one_does():
    topology = _topology(4.0)
    short, long = BLOCKS, np.where(BLOCKS > 0, 1200, 0)
    for cycle in range(200):
        a = play_frame(SCENARIO, _frame(ROWS), HOPS, short, topology, 1, cycle)
        b = play_frame(SCENARIO, _frame(ROWS), HOPS, long, topology, 1, cycle)
        assert np.all(b.uplink >= a.uplink)
        assert np.all(b.downlink >= a.downlink)


def test_share_of_successes_is_the_packet_error():
    topology = _topology(5.0)
    frame = _frame([(0, 4, 2, 0, 0, 0, 3, 0)])
    hops = np.array([[0, 0], [0, 0], [1, 0]])
    failure = float(attempt_failure(SCENARIO, 5.0, False, 600, SCENARIO.network.bits_ul))
    assert 0.05 < failure < 0.95
    trials = 4000
    failed = sum(not play_frame(SCENARIO, frame, hops, BLOCKS, topology, 2, k).uplink[2] for k in range(trials))
    assert abs(failed / trials - failure) < 4 * np.sqrt(failure * (1 - failure) / trials)


def test_links_of_the_realised_topology_decide():
    topology = _topology(60.0)
    snr = topology.snr_db.copy()
    snr[3, 0] = -60.0
    out = play_frame(SCENARIO, _frame(ROWS), HOPS, BLOCKS, replace(topology, snr_db=snr), 0, 0)
    assert out.uplink.tolist() == [False, False, False]
    assert out.downlink.tolist() == [False, True, True]


def _flown(scenario, policy, seed, calibration):
    """Every cycle but the first of a flight: its record, the channel, true and estimated positions at its start."""
    simulation = Simulation(scenario, policy, seed, calibration)
    channel = Channel(scenario, simulation.trace, seed)
    for before, record in pairwise(simulation):
        channel.advance(scenario)
        yield record, channel, before.positions, before.estimates


def _again(record, topology, seed):
    """A flown frame played by hand, (hops, first, end); hops are counted from the nodes that the record names."""
    f, c = record.frame, record.candidates
    hops, n = np.zeros((2, len(record.choice), 2), dtype=int)
    for loop, up, down in record.routes():
        hops[loop] = len(up) - 1, len(down) - 1
        row = record.choice[loop]
        n[loop] = c.ul_options.n[c.actions.ul[row]], c.dl_options.n[c.actions.dl[row]]
    rows = list(zip(f.slot, f.length, f.loop, f.direction, f.hop, f.attempt, f.tx, f.rx, strict=True))
    return hops, *_plain(rows, hops, n, topology, seed, record.k)


class Uneven(Policy):
    """Serves loops in turn, even ones over more hops up than down, odd ones over more hops down, while slots last."""

    name = "uneven"

    def decide(self, view):
        c, left, choice = view.candidates, view.budget, np.full(len(view.states), -1)
        longer_up = c.ul_options.hops[c.actions.ul] - c.dl_options.hops[c.actions.dl]
        for i in (5 * view.k + np.arange(len(choice))) % len(choice):
            wanted = longer_up > 0 if i % 2 == 0 else longer_up < 0
            rows = np.flatnonzero((c.loop == i) & wanted & (c.slots <= left))
            if len(rows):
                choice[i] = rows[np.argmin(c.slots[rows])]
                left -= c.slots[choice[i]]
        return Decision.of(choice)


def test_routes_of_different_lengths_up_and_down_fly_as_played_by_hand(calibration):
    """Each direction needs its own number of hops; the delay tells which attempt delivered."""
    scenario, seen = SCENARIO.replace(**{"mission.duration_s": 10.0, "network.snr_offset_db": -6.0}), set()
    net = scenario.network
    for record, channel, p, _ in _flown(scenario, Uneven(), 5, calibration):
        hops, first, end = _again(record, channel.realised(scenario, p), 5)
        assert np.array_equal(end >= 0, np.column_stack([record.uplink, record.downlink]))
        delay_ms = (end - first)[:, 1] * net.tau_slot_s * 1e3 - net.guard_ms
        np.testing.assert_allclose(record.delay_ms, np.where(end[:, 1] >= 0, delay_ms, np.nan))
        for (up, down), (up_end, down_end) in zip(hops[record.served], end[record.served], strict=True):
            seen.add((up > down, up_end >= 0, down_end >= 0))
    assert {(True, True, True), (False, True, True)} < seen  # longer up and longer down were delivered
    assert len(seen) >= 6  # and most of them also in part


def test_the_radio_works_at_the_true_positions(calibration):
    """Estimates are metres off: played again at the true positions every frame ends as flown, at the estimates it does not."""
    noisy = {"mission.duration_s": 10.0, "control.sigma_meas_m": 5.0, "control.sigma_proc_m": 1.0}
    scenario, elsewhere = SCENARIO.replace(**noisy), 0
    for record, channel, p, p_hat in _flown(scenario, "VoI-Sched", 6, calibration):
        flown = np.column_stack([record.uplink, record.downlink])
        at_true, at_estimate = (_again(record, channel.realised(scenario, x), 6)[2] >= 0 for x in (p, p_hat))
        assert np.array_equal(at_true, flown)
        elsewhere += np.sum(at_estimate != flown)
    assert elsewhere >= 5


def test_the_same_attempt_has_the_same_luck_under_every_policy(calibration):
    """One number per cycle, loop and direction explains the outcomes of all policies.

    With one hop and one attempt a direction arrives exactly when its luck is at least its packet error. Positions, slots
    and blocklengths differ between policies and so does the error; what arrived at a larger error must then arrive at
    every smaller one.
    """
    one = {"network.max_hops": 1, "network.retransmissions": (0,)}
    scenario = SCENARIO.replace(**one, **{"mission.uavs": 20, "mission.duration_s": 5.0, "network.slots": 120})
    arrived, lost, bits = defaultdict(list), defaultdict(list), (scenario.network.bits_ul, scenario.network.bits_dl)
    for policy in POLICIES:
        for record, channel, p, _ in _flown(scenario, policy, 7, calibration):
            real, c = channel.realised(scenario, p), record.candidates
            loops = np.flatnonzero(record.served)
            rows = record.choice[loops]
            for way, outcome in enumerate((record.uplink, record.downlink)):
                tx, rx = (loops + 1, 0) if way == 0 else (0, loops + 1)
                n = c.ul_options.n[c.actions.ul[rows]] if way == 0 else c.dl_options.n[c.actions.dl[rows]]
                for i, *link in zip(loops, real.snr_db[tx, rx], real.rayleigh[tx, rx], n.tolist(), strict=True):
                    error = float(attempt_failure(scenario, *link, bits[way]))
                    (arrived if outcome[i] else lost)[record.k, i, way].append(error)
    both = arrived.keys() & lost.keys()
    assert len(both) > 20  # the same attempt, met by one policy and missed by another
    assert [key for key in both if max(arrived[key]) >= min(lost[key])] == []
