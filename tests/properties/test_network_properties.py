"""Invariants of the network stage on generated inputs."""

import math

import numpy as np
import plain_links
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import (
    attempt_failure,
    combine,
    direction_options,
    draw_los,
    find_routes,
    length_inside_box,
    packet_error,
    prune_options,
    segment_hits_box,
    topology,
    uma_av_path_loss_db,
)
from core.scenario import Scenario

coordinate = st.floats(-100.0, 100.0, allow_nan=False) | st.sampled_from([-30.0, 0.0, 30.0, 90.0])
point = st.tuples(coordinate, coordinate, coordinate).map(lambda p: np.array(p, dtype=float))
LO, HI = np.array([-30.0, -30.0, 0.0]), np.array([30.0, 30.0, 90.0])
snr = st.floats(-60.0, 80.0, allow_nan=False)


@given(point, point)
def test_box_test_is_symmetric_and_agrees_with_the_length(a: np.ndarray, b: np.ndarray) -> None:
    hit, length = segment_hits_box(a, b, LO, HI), length_inside_box(a, b, LO, HI)
    assert hit == segment_hits_box(b, a, LO, HI)
    assert abs(length - length_inside_box(b, a, LO, HI)) < 1e-6
    assert 0.0 <= length <= np.linalg.norm(b - a) * (1 + 1e-12)
    if length > 1e-6:
        assert hit


halves = st.integers(-200, 200).map(lambda x: x / 2)  # the separating axes are exact here, touching included
half_point = st.tuples(halves, halves, halves)


@given(half_point, half_point)
def test_box_test_and_length_equal_exact_clipping(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    share = plain_links.share_inside(a, b, LO, HI)
    assert segment_hits_box(a, b, LO, HI) == (share is not None)
    assert length_inside_box(a, b, LO, HI) == pytest.approx(float(share or 0) * math.dist(a, b), abs=1e-9)


@given(point, point, st.floats(0.0, 1.0))
def test_a_segment_with_a_point_well_inside_hits(a: np.ndarray, b: np.ndarray, t: float) -> None:
    inner = a + t * (b - a)
    if np.all(inner > LO + 1e-6) and np.all(inner < HI - 1e-6):
        assert segment_hits_box(a, b, LO, HI)


@given(st.floats(1.0, 5000.0), st.floats(1.0, 5000.0), st.floats(10.0, 300.0), st.booleans())
def test_loss_never_falls_with_distance(d1: float, d2: float, h: float, los: bool) -> None:
    near, far = sorted((d1, d2))
    assert uma_av_path_loss_db(near, h, 2.4, los) <= uma_av_path_loss_db(far, h, 2.4, los)
    assert uma_av_path_loss_db(near, h, 2.4, True) <= uma_av_path_loss_db(near, h, 2.4, False)


@given(snr, snr, st.sampled_from([600, 900, 1200]), st.booleans())
def test_failure_never_rises_with_snr(x: float, y: float, n: int, rayleigh: bool) -> None:
    low, high = sorted((x, y))
    scenario = Scenario()
    assert attempt_failure(scenario, high, rayleigh, n, 1600) <= attempt_failure(scenario, low, rayleigh, n, 1600)
    assert packet_error(high, n, 1600) <= packet_error(low, n, 1600)
    assert 0.0 <= attempt_failure(scenario, x, rayleigh, n, 1600) <= 1.0


@given(st.integers(1, 12), st.integers(0, 2**31), st.floats(0.0, 15.0), st.floats(-15.0, 10.0))
def test_candidates_of_any_swarm_are_consistent(n: int, seed: int, margin_db: float, offset_db: float) -> None:
    scenario = Scenario().replace(**{"network.snr_offset_db": round(offset_db, 3)})
    rng = np.random.default_rng(seed)
    positions = np.column_stack([rng.uniform(-70, 70, (n, 2)), rng.uniform(60, 110, n)])
    links = topology(scenario, positions, draw_los(scenario, positions, rng))
    sides = []
    for routes in find_routes(scenario, links):
        options = direction_options(scenario, routes, np.full(len(routes.hops), margin_db))
        assert np.all(options.failure_nominal <= options.failure_worst)
        wider = direction_options(scenario, routes, np.full(len(routes.hops), margin_db + 1.0))
        assert np.all(wider.failure_worst >= options.failure_worst)
        pruned = prune_options(options)
        # Pruning never loses a loop, its cheapest or its most reliable option.
        for i in range(n):
            mine, kept = (slice(o.offsets[i], o.offsets[i + 1]) for o in (options, pruned))
            assert (mine.stop > mine.start) == (kept.stop > kept.start)
            if mine.stop > mine.start:
                assert options.slots[mine].min() == pruned.slots[kept].min()
                assert options.failure_worst[mine].min() == pruned.failure_worst[kept].min()
        sides.append(pruned)
    actions = combine(scenario, *sides, scenario.network.patterns)
    assert actions.offsets[-1] == len(actions.loop)
    assert np.all(actions.slots >= np.maximum(actions.span_ul, actions.span_dl))
    assert np.all(actions.slots <= scenario.network.slots)
    np.testing.assert_allclose(actions.tau_opp_s, actions.slots * scenario.network.tau_slot_s)
