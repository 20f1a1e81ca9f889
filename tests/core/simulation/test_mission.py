"""References keep their distance, fly at constant speed, and rotate through the hotspot."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from core import Scenario
from core.errors import ScenarioError
from core.scenario import PRESETS, preset
from core.simulation import draws
from core.simulation.circuit import Circuit
from core.simulation.mission import group_sizes, reference
from core.simulation.trace import Phase


def _smallest_distance(trace, Ts):
    """Over cycle starts and three instants inside every cycle."""
    smallest = np.inf
    for share in (0.0, 0.25, 0.5, 0.75):
        for p in trace.positions[:-1] + share * Ts * trace.velocity:
            d = np.linalg.norm(p[:, None] - p[None], axis=-1)
            np.fill_diagonal(d, np.inf)
            smallest = min(smallest, d.min())
    return smallest


@pytest.mark.parametrize(("uavs", "seed"), [(8, 0), (50, 0), (50, 7), (100, 1), (200, 2)])
def test_references_keep_the_safety_distance(uavs, seed):
    scenario = Scenario().replace(**{"mission.uavs": uavs})
    trace = reference(scenario, seed)
    assert _smallest_distance(trace, scenario.control.Ts) >= scenario.mission.safety_distance_m - 1e-9


@settings(max_examples=15)
@given(
    st.integers(1, 60),
    st.integers(1, 10),
    st.floats(0, 20),
    st.sampled_from([1.0, 5.0, 10.0, 30.0]),
    st.integers(1, 8),
    st.integers(1, 5),
    st.floats(0, 1),
    st.floats(5, 60),
)
def test_references_keep_the_safety_distance_in_any_mission(uavs, groups, d, layer, hotspot, leg, share, offset):
    scenario = Scenario().replace(
        **{
            "mission.uavs": uavs,
            "mission.groups": groups,
            "mission.safety_distance_m": round(d, 3),
            "mission.layer_spacing_m": layer,
            "mission.hotspot_cycles": hotspot,
            "mission.hotspot_leg_cycles": leg,
            "mission.vertical_fraction": share,
            "mission.facade_offset_m": offset,
            "mission.duration_s": 15.0,
            "network.gcs_x_m": -5000.0,
        }
    )
    trace = reference(scenario, 0)
    if uavs > 1:
        assert _smallest_distance(trace, scenario.control.Ts) >= round(d, 3) - 1e-6
    z = trace.positions[..., 2]
    assert z.min() >= scenario.mission.altitude_min_m - 1e-9
    assert z.max() <= scenario.mission.altitude_max_m + 1e-9


def test_speed_is_constant_on_straight_legs_and_never_above():
    trace = reference(Scenario(), 0)
    speed = np.linalg.norm(trace.velocity, axis=-1)
    assert speed.max() <= 15.0 + 1e-9
    assert np.mean(np.isclose(speed, 15.0)) > 0.9  # the rest cut a corner within the cycle
    assert speed.min() > 0.9 * 15.0


def test_positions_integrate_the_velocity():
    trace = reference(Scenario(), 4)
    flown = trace.positions[0] + 0.25 * np.cumsum(trace.velocity, axis=0)
    np.testing.assert_allclose(flown, trace.positions[1:], atol=1e-9)


def test_facade_passes_keep_the_offset_and_never_enter_the_building():
    trace = reference(Scenario(), 0)
    x, y = np.abs(trace.positions[..., 0]), np.abs(trace.positions[..., 1])
    outside = np.maximum(np.maximum(x, y) - 30.0, (x + y - 60.0) / np.sqrt(2))
    assert outside.min() == pytest.approx(20.0)
    assert outside.max() == pytest.approx(30.0)


def test_groups_are_13_13_12_12_and_only_one_is_in_the_hotspot():
    trace = reference(Scenario(), 0)
    assert group_sizes(50, 4) == [13, 13, 12, 12]
    assert np.bincount(trace.group).tolist() == [13, 13, 12, 12]
    for row in trace.phase:
        hot = set(trace.group[row == Phase.HOTSPOT])
        assert len(hot) <= 1
        for g in hot:
            assert np.all(row[trace.group == g] == Phase.HOTSPOT)


def test_a_visit_is_six_hotspot_then_four_recovery_cycles_and_uses_vertical_legs():
    trace = reference(Scenario(), 0)
    first = trace.phase[:, 0]
    assert first[:10].tolist() == [Phase.HOTSPOT] * 6 + [Phase.RECOVERY] * 4
    assert first[10:40].tolist() == [Phase.CRUISE] * 30
    assert first[40] == Phase.HOTSPOT
    vertical = trace.velocity[:6, 0, 2]
    assert np.all(vertical[:3] > 0.85 * 15)
    np.testing.assert_allclose(vertical[3:], -vertical[:3])
    assert np.abs(trace.velocity[trace.phase != Phase.HOTSPOT][:, 2]).max() == 0.0


def test_gusts_blow_horizontally_in_hotspot_visits_only_and_depend_on_trial_and_uav():
    scenario = Scenario()
    trace = reference(scenario, 3)
    blowing = np.linalg.norm(trace.gust, axis=-1) > 0
    assert np.all(trace.phase[blowing] == Phase.HOTSPOT)
    assert np.all(trace.gust[..., 2] == 0)
    first_visit = blowing[:6, trace.group == 0].sum(axis=0)
    assert first_visit.min() >= 2
    assert first_visit.max() <= 6
    assert len(set(first_visit)) > 1
    # mean velocity of the j-th cycle of a gust is a·T_s·(j + 1/2)
    i = int(np.flatnonzero(trace.group == 0)[0])
    cycles = np.flatnonzero(blowing[:6, i])
    speed = np.linalg.norm(trace.gust[cycles, i], axis=-1)
    a = speed / (0.25 * (np.arange(len(cycles)) + 0.5))
    np.testing.assert_allclose(a, a[0])
    assert 2.0 <= a[0] <= 4.0
    assert not np.array_equal(trace.gust, reference(scenario, 4).gust)


MANY = {"mission.uavs": 150, "mission.groups": 1, "mission.duration_s": 10.0}
"""One group, so that everybody visits the hotspot every ten cycles: four visits each, 600 gusts."""


def gusts_of(scenario, seed):
    """Every gust: (UAV, visit, first cycle within the visit, velocities (length, 3)), read from the trace alone."""
    trace, found = reference(scenario, seed), []
    turn = scenario.mission.hotspot_cycles + scenario.mission.recovery_cycles
    blowing = np.any(trace.gust != 0, axis=2)
    for i in range(scenario.mission.uavs):
        for visit in range(trace.cycles // turn):
            cycles = np.flatnonzero(blowing[visit * turn : (visit + 1) * turn, i])
            assert np.all(np.diff(cycles) == 1), "one gust per visit, without a break"
            first = cycles[0] if len(cycles) else -1
            found.append((i, visit, first, trace.gust[visit * turn + cycles, i]))
    return found


def test_a_gust_lasts_from_the_shortest_to_the_longest_and_stays_within_its_visit():
    scenario = Scenario().replace(**MANY, **{"mission.gust_cycles_min": 2, "mission.gust_cycles_max": 4})
    spans = [(len(v), first) for _, _, first, v in gusts_of(scenario, 1)]
    possible = {(length, first) for length in (2, 3, 4) for first in range(6 - length + 1)}
    assert set(spans) == possible  # every length at every place where it fits into six cycles
    lengths = np.bincount([length for length, _ in spans])[2:]
    assert stats.chisquare(lengths).pvalue > 1e-3
    brief = Scenario().replace(**MANY, **{"mission.hotspot_cycles": 1, "mission.recovery_cycles": 9})
    assert {len(v) for _, _, _, v in gusts_of(brief, 1)} == {1}  # a visit shorter than the shortest gust


def test_visits_that_run_into_each_other_have_a_gust_each():
    """One group that never recovers is always at the hotspot: ten visits of four cycles, each with its own gust."""
    scenario = Scenario().replace(
        **{"mission.uavs": 5, "mission.groups": 1, "mission.recovery_cycles": 0, "mission.duration_s": 10.0},
        **{"mission.hotspot_cycles": 4, "mission.gust_cycles_min": 1, "mission.gust_cycles_max": 3},
    )
    assert (reference(scenario, 3).phase == Phase.HOTSPOT).all()
    gusts = gusts_of(scenario, 3)
    assert len(gusts) == 5 * 10
    assert all(1 <= len(v) <= 3 for *_, v in gusts)
    assert len({tuple(v[0]) for *_, v in gusts}) == 50


@pytest.mark.parametrize("name", ["", *PRESETS])
def test_where_visits_are_apart_their_gusts_begin_with_the_phase(name):
    """When each gust of every shipped scenario blows and how strong it is, drawn again by visits as the phases show them."""
    scenario = preset(name) if name else Scenario()
    m, Ts = scenario.mission, scenario.control.Ts
    for seed in (3, 41):
        trace = reference(scenario, seed)
        hot, expected = trace.phase == Phase.HOTSPOT, np.zeros(trace.phase.shape)
        for i in range(m.uavs):
            starts = np.flatnonzero(hot[:, i] & ~np.concatenate([[False], hot[:-1, i]]))
            for visit, begin in enumerate(starts):
                u = [draws.uniform(seed, draws.GUST, visit, i, what) for what in range(4)]
                longest = min(m.gust_cycles_max, m.hotspot_cycles)
                shortest = min(m.gust_cycles_min, longest)
                duration = shortest + int(u[0] * (longest - shortest + 1))
                first = begin + int(u[1] * (m.hotspot_cycles - duration + 1))
                speed = (m.gust_min_mps2 + u[2] * (m.gust_max_mps2 - m.gust_min_mps2)) * Ts
                for j in range(max(min(first + duration, trace.cycles) - first, 0)):
                    expected[first + j, i] = speed * (j + 0.5)
        np.testing.assert_allclose(np.linalg.norm(trace.gust, axis=2), expected, rtol=1e-12, atol=1e-15)


def test_a_gust_grows_evenly_in_one_horizontal_direction():
    """v_g(t) = a·t along a unit vector; the mean over the j-th cycle is a·T_s·(j + 1/2), whatever the direction."""
    scenario = Scenario().replace(**MANY, **{"mission.gust_min_mps2": 3.0, "mission.gust_max_mps2": 3.0})
    for *_, v in gusts_of(scenario, 2):
        assert np.all(v[:, 2] == 0.0)
        growth = 3.0 * 0.25 * (np.arange(len(v)) + 0.5)
        np.testing.assert_allclose(v, growth[:, None] * (v[0] / np.linalg.norm(v[0])), atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(v, axis=1), growth)


def test_gusts_are_drawn_anew_for_every_uav_and_visit():
    """Strength, direction, length and start: each as spread as it should be, and none tells anything of another."""
    scenario = Scenario().replace(**MANY)
    gusts, heading = gusts_of(scenario, 3), reference(scenario, 3).velocity
    strength = np.array([np.linalg.norm(v[0]) / (0.25 * 0.5) for *_, v in gusts])
    ahead = np.array([heading[10 * visit + f, i] for i, visit, f, _ in gusts])
    angle = np.array([np.arctan2(v[0, 1], v[0, 0]) for *_, v in gusts]) - np.arctan2(ahead[:, 1], ahead[:, 0])
    angle = np.mod(angle, 2 * np.pi)  # from the direction of flight: from behind, from the side, towards the wall …
    length, first = np.array([len(v) for *_, v in gusts]), np.array([f for _, _, f, _ in gusts])
    assert stats.kstest(strength, stats.uniform(2.0, 2.0).cdf).pvalue > 1e-3
    assert stats.kstest(angle, stats.uniform(0.0, 2 * np.pi).cdf).pvalue > 1e-3
    drawn = np.array([strength, np.cos(angle), np.sin(angle), length, first / np.maximum(6 - length, 1)])
    short = length < 5  # a gust that fills its visit has no choice of when to start
    related = np.corrcoef(drawn[:, short]) - np.eye(5)
    assert np.abs(related).max() < 4 / np.sqrt(short.sum())
    by_visit = drawn.reshape(5, -1, 4)  # four visits of each UAV
    for values in by_visit:
        assert np.abs(np.corrcoef(values.T) - np.eye(4)).max() < 4 / np.sqrt(len(values))
    assert len(np.unique(strength.round(9))) == len(gusts)


def test_reference_is_a_function_of_its_seed_and_read_only():
    a, b = reference(Scenario(), 11), reference(Scenario(), 11)
    assert np.array_equal(a.positions, b.positions)
    assert not np.array_equal(a.positions, reference(Scenario(), 12).positions)
    with pytest.raises(ValueError, match="read-only"):
        a.positions[0, 0, 0] = 1.0


def test_negative_seed_is_refused():
    with pytest.raises(ScenarioError, match="seed"):
        reference(Scenario(), -1)


@given(st.floats(10, 100), st.floats(1, 80), st.floats(-1e4, 1e4))
def test_every_point_of_a_circuit_lies_at_its_offset(side, offset, arc):
    circuit = Circuit(side, offset)
    point, tangent = circuit.at(np.array([arc]))
    x, y = np.abs(point[0])
    distance = max(x - side / 2, y - side / 2, (x + y - side) / np.sqrt(2))
    assert distance == pytest.approx(offset, abs=1e-6)
    assert np.hypot(*tangent[0]) == pytest.approx(1.0)
    ahead, _ = circuit.at(np.array([arc + 1e-4]))
    assert np.hypot(*(ahead - point)[0]) == pytest.approx(1e-4, rel=0.1)
