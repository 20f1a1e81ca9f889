"""The rows of the claims audit that fly missions: interaction interval, envelope, reach certificate; each can fail."""

import dataclasses
import functools
import re

import numpy as np
import pytest

from core import Scenario
from core.control import ControlModel
from core.simulation import simulate
from core.studies.claims import ClaimVerdict, clopper_pearson, envelope, flight, interaction, reach

HOLDS, COMPATIBLE = ClaimVerdict.HOLDS, ClaimVerdict.COMPATIBLE
VIOLATED, VACUOUS = ClaimVerdict.VIOLATED, ClaimVerdict.VACUOUS
SMALL = Scenario().replace(**{"mission.uavs": 6, "mission.duration_s": 3.0, "network.slots": 60})
REACH = SMALL.replace(**{"allocation.admission": "reach"})


@functools.lru_cache(maxsize=4)
def flown(scenario=SMALL, calm=False):
    return [flight.Flight.of(scenario, 5000 + i, calm=calm) for i in range(4)]


def mission(outcomes, g, certified=None, attempted=None):
    """The service of one loop from its attempts: 1 = delivered."""
    delivered = np.array(outcomes, dtype=bool)[:, None]
    ones = np.ones_like(delivered)
    return flight.Service(
        ones if attempted is None else np.array(attempted, dtype=bool)[:, None],
        ones if certified is None else np.array(certified, dtype=bool)[:, None],
        delivered,
        np.broadcast_to(np.array(g)[..., None], delivered.shape),
        np.ones(delivered.shape),
    )


def test_a_window_is_judged_by_the_g_of_its_first_certified_action():
    first, second = interaction.windows(mission([1, 0, 0, 1, 0, 0, 1, 1], [3, 1, 1, 1, 2, 9, 9, 9]), 4)
    assert (first.g, first.longest, first.kept) == (3, 2, True)  # later, smaller g do not judge it
    assert (second.g, second.longest, second.kept) == (2, 2, False)  # later, larger g do not excuse it


def test_windows_count_attempts_not_cycles_and_begin_with_a_certificate():
    found = list(interaction.windows(mission([1, 0, 1, 0, 0, 1], [2] * 6, certified=[0, 1, 1, 0, 1, 1]), 4))
    assert [(w.longest, w.uncertified) for w in found] == [(2, 1)]  # begins at the second attempt
    held = mission([0, 0, 0, 0, 0, 1], [2] * 6, attempted=[1, 0, 0, 1, 0, 1])
    assert [w.longest for w in interaction.windows(held, 3)] == [2]
    assert list(interaction.windows(held, 4)) == []  # an incomplete window says nothing


def test_interaction_verdicts_respect_missions():
    four = SMALL.replace(**{"twin.H_T": 4, "twin.delta_T": 0.05})
    good, bad = mission([1] * 400, 2), mission([0, 0, 1, 1] * 100, 2)
    kept = interaction.interaction_in_flight(four, [good] * 6)
    assert (kept.verdict, kept.kept, kept.trials) == (HOLDS, 600, 600)
    assert kept.effective < 600  # six missions are not six hundred
    assert interaction.interaction_in_flight(four, [bad] * 6).verdict is VIOLATED
    # one bad mission of six breaks it by 100 windows of 600, yet six missions cannot tell that from chance
    mixed = interaction.interaction_in_flight(four, [good] * 5 + [bad])
    assert (mixed.kept, mixed.trials, mixed.verdict) == (500, 600, COMPATIBLE)
    assert mixed.interval[1] > 0.95 > clopper_pearson(500, 600)[1]
    assert "Korn–Graubard" in mixed.note


def test_interaction_is_vacuous_without_a_window_to_judge():
    four = SMALL.replace(**{"twin.H_T": 4})
    short = interaction.interaction_in_flight(four, [mission([1, 1, 1], 2)] * 3)
    assert (short.verdict, short.trials) == (VACUOUS, 0)
    assert "No loop makes 4 attempts" in short.note
    empty = interaction.interaction_in_flight(four, [mission([0] * 8, 5)] * 3)
    assert empty.verdict is VACUOUS
    assert "6 windows have g > H_T" in empty.note


def test_a_flight_is_the_simulated_mission():
    run, one = simulate(SMALL, "SAFE", 5000), flight.Flight.of(SMALL, 5000)
    service, motion = one.service, one.motion
    assert (service.attempted == run.served).all()
    assert (service.delivered == run.delivered).all()
    assert (service.g[service.certified] >= 1).all()
    assert (one.V_true == run.v_normalised).all()
    assert (motion.uplink & motion.command == run.delivered).all()
    frame_s = SMALL.network.slots * SMALL.network.tau_slot_s
    assert (motion.arrival_s[motion.command] > 0).all()
    assert (motion.arrival_s[motion.command] <= frame_s).all()
    before, after = one.V[:-1], one.V[1:]
    above = service.certified[:-1] & (after > service.alpha_bar[:-1] * before)
    # the record also knows the last cycle's end
    assert run.summary()["drift_exceeded_share"] == pytest.approx(above.sum() / service.certified.sum(), abs=0.1)


def test_a_calm_mission_is_the_same_without_gusts():
    windy, calm = (flight.Flight.of(SMALL, 5000, calm=c) for c in (False, True))
    assert (windy.motion.references == calm.motion.references).all()
    assert (windy.V_true[-1] != calm.V_true[-1]).any()


def test_missions_without_any_action_fly_too():
    hopeless = SMALL.replace(**{"network.snr_offset_db": -20.0})
    missions = [flight.Flight.of(hopeless, 5000)]
    assert interaction.interaction_in_flight(hopeless, [f.service for f in missions]).verdict is VACUOUS
    assert envelope.envelope_in_flight(hopeless, missions, calm=False).verdict is VACUOUS
    assert reach.stays_inside(hopeless, missions).verdict is VACUOUS


def enveloped(factor):
    """Missions whose V⁺ is a factor of ᾱV, give or take."""
    found = []
    for i, f in enumerate(flown()):
        certified = np.ones_like(f.service.certified)
        V = f.V * 0 + 0.1
        ratio = factor * (1 + 0.01 * np.random.default_rng(i).normal(size=V.shape))
        alpha_bar = np.concatenate([V[1:] / V[:-1] / ratio[1:], np.ones_like(V[:1])])
        service = dataclasses.replace(f.service, certified=certified, alpha_bar=alpha_bar)
        found.append(dataclasses.replace(f, V=V, service=service))
    return found


@pytest.mark.parametrize(("factor", "verdict"), [(0.9, HOLDS), (1.1, VIOLATED)])
def test_the_envelope_row_sees_what_v_does(factor, verdict):
    finding = envelope.envelope_in_flight(SMALL, enveloped(factor), calm=False)
    assert finding.verdict is verdict
    low, high = finding.bounds
    assert low < 0.1 - 0.1 / factor < high
    share = float(re.search(r"V⁺ > ᾱV in ([\d.]+)%", finding.measured)[1])
    assert share == (100 if factor > 1 else 0)


def test_low_v_above_the_envelope_violates_it_though_the_mean_lies_below():
    """ᾱV bounds the expectation at every state, so the large V may not pay for the small ones."""
    mixed = []
    for i, f in enumerate(enveloped(1.0)):
        V = np.where(np.arange(f.V.shape[1]) % 2 == 0, 0.05, 0.5) + np.zeros_like(f.V)
        noise = 0.01 * np.random.default_rng(i).normal(size=V.shape)
        alpha_bar = np.where(V < 0.1, 0.9, 1.1) + noise
        mixed.append(dataclasses.replace(f, V=V, service=dataclasses.replace(f.service, alpha_bar=alpha_bar)))
    finding = envelope.envelope_in_flight(SMALL, mixed, calm=False)
    assert finding.bounds[1] < 0
    assert finding.verdict is VIOLATED


def test_the_envelope_is_also_measured_without_the_noise_of_telemetry():
    f = flown()[0]
    found = envelope.Excess.of(SMALL, f)
    assert len(found.V) == f.service.certified[:-1].sum()
    heard = f.motion.uplink[:-1][f.service.certified[:-1]]
    model = ControlModel.of(SMALL)
    same = found.flown + model.noise_term / model.V_max == pytest.approx(found.silent, abs=1e-12)
    assert not same
    assert (found.flown + model.noise_term / model.V_max)[~heard] == pytest.approx(found.silent[~heard], abs=1e-12)


def V_path(*values):
    return np.array(values)[:, None]


def test_a_wait_ends_with_its_first_success():
    service = mission([0, 0, 1, 1, 0], 3)
    first, second, third = reach.waits(service, V_path(0.5, 1.2, 1.3, 0.9, 0.4), 20)
    assert (first.failures, first.left_after, first.served) == (2, 2, True)
    assert not first.kept
    assert not first.kept_within_tolerance  # two failures are what g = 3 allows
    assert (second.failures, second.kept, second.served) == (0, True, True)
    assert (third.failures, third.served, third.highest) == (1, False, 0.4)  # the mission ends


def test_a_wait_beyond_the_tolerance_counts_against_the_promise_but_not_the_tolerance():
    (wait,) = reach.waits(mission([0, 0, 0, 1], 2), V_path(0.5, 0.9, 1.1, 1.0), 20)
    assert (wait.kept, wait.kept_within_tolerance) == (False, True)


def test_the_promise_ends_where_a_loop_is_not_served():
    service = mission([0, 0, 0, 1], 3, attempted=[1, 0, 1, 1], certified=[1, 0, 1, 1])
    first, second = reach.waits(service, V_path(0.9, 1.5, 0.9, 0.9), 20)
    assert (first.failures, first.served, first.kept) == (1, False, True)
    assert (second.failures, second.served) == (1, True)


def test_a_wait_is_at_most_h_t_attempts():
    assert [w.failures for w in reach.waits(mission([0, 0, 0, 0, 1], 2), V_path(*[0.5] * 5), 2)] == [2, 2, 0]


def test_reach_holds_in_flight_and_can_fail():
    kept = reach.stays_inside(REACH, flown(REACH))
    assert kept.verdict in (HOLDS, COMPATIBLE)
    assert kept.kept == kept.trials > 0
    assert kept.effective <= kept.trials
    # the same missions in a corridor so narrow that every failure leaves it, and with many failures
    lost = []
    for f in flown(REACH):
        delivered = f.service.delivered & (np.arange(f.V.shape[1]) % 2 == 0)
        service = dataclasses.replace(f.service, delivered=delivered)
        lost.append(dataclasses.replace(f, service=service, V_true=f.V_true + 1.0))
    broken = reach.stays_inside(REACH, lost)
    assert broken.verdict is VIOLATED
    assert " 0 left within" not in broken.measured


def test_reach_is_silent_beyond_the_horizon():
    f = flown(REACH)[0]
    beyond = dataclasses.replace(f, service=dataclasses.replace(f.service, g=f.service.g + 100))
    finding = reach.stays_inside(REACH, [beyond] * 3)
    assert (finding.verdict, finding.trials) == (VACUOUS, 0)
    assert "g > H_T" in finding.note
