"""The building box: ns-3's own intersections, degenerate segments, length inside against sampling."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import all_boxes, building_box, length_inside_box, segment_hits_box, topology
from core.scenario import Scenario

DATA = Path(__file__).resolve().parents[2] / "data"
LO, HI = np.array([-30.0, -30.0, 0.0]), np.array([30.0, 30.0, 90.0])


def ns3_cases() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rows = list(csv.DictReader((DATA / "building_intersection.csv").open()))
    a = np.array([[float(r[k]) for k in ("ax", "ay", "az")] for r in rows])
    b = np.array([[float(r[k]) for k in ("bx", "by", "bz")] for r in rows])
    hi = np.array([[30.0, 30.0, float(r["bldg_height_m"])] for r in rows])
    return a, b, hi, np.array([r["ns3_IsIntersect"] == "1" for r in rows])


def test_identical_to_ns3() -> None:
    a, b, hi, expected = ns3_cases()
    assert expected.any()
    assert not expected.all()
    np.testing.assert_array_equal(segment_hits_box(a, b, LO, hi), expected)
    np.testing.assert_array_equal(segment_hits_box(b, a, LO, hi), expected)


@pytest.mark.parametrize(
    ("a", "b", "hit"),
    [
        ([-50, 30, 50], [50, 30, 50], True),  # along a wall: touching counts
        ([-50, 30.001, 50], [50, 30.001, 50], False),
        ([-50, 0, 90], [50, 0, 90], True),  # along the roof
        ([-50, 0, 90.001], [50, 0, 90.001], False),
        ([-31, 0, 50], [-30, 0, 50], True),  # ends on the wall
        ([0, 0, 50], [1, 1, 51], True),  # all inside
        ([0, 0, 50], [0, 0, 50], True),  # a point inside
        ([40, 0, 50], [40, 0, 50], False),  # a point outside
        ([-60, 0, 50], [0, 60, 50], True),  # touches one vertical edge
        ([-60.01, 0, 50], [0, 60.01, 50], False),
        ([0, 0, 95], [0, 0, 120], False),  # above the roof
    ],
)
def test_touching_and_degenerate_segments(a: list[float], b: list[float], hit: bool) -> None:
    assert segment_hits_box(a, b, LO, HI) == hit


def test_length_inside_against_sampling() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.uniform([-90, -90, 0], [90, 90, 120], (2, 300, 3))
    length = length_inside_box(a, b, LO, HI)
    t = (np.arange(4000) + 0.5) / 4000
    points = a[:, None] + t[:, None] * (b - a)[:, None]
    sampled = np.all((points >= LO) & (points <= HI), axis=-1).mean(axis=1) * np.linalg.norm(b - a, axis=1)
    np.testing.assert_allclose(length, sampled, rtol=0, atol=0.15)
    assert np.count_nonzero(length) > 30
    # A positive length means a hit; a hit without length only touches.
    assert np.all(segment_hits_box(a, b, LO, HI)[length > 0])


def test_length_of_known_segments() -> None:
    assert length_inside_box([-100, 0, 50], [100, 0, 50], LO, HI) == pytest.approx(60.0)
    assert length_inside_box([0, 0, 10], [0, 0, 200], LO, HI) == pytest.approx(80.0)
    assert length_inside_box([-30, -30, 45], [30, 30, 45], LO, HI) == pytest.approx(60.0 * np.sqrt(2))
    assert length_inside_box([40, 0, 50], [40, 10, 50], LO, HI) == 0.0
    assert length_inside_box([0, 0, 50], [0, 0, 50], LO, HI) == 0.0


def test_shapes_broadcast() -> None:
    a, b = np.tile([-50.0, 0.0, 50.0], (4, 1, 1)), np.tile([50.0, 0.0, 50.0], (5, 1))
    assert segment_hits_box(a, b, LO, HI).shape == length_inside_box(a, b, LO, HI).shape == (4, 5)
    assert np.ndim(segment_hits_box(a[0, 0], b[0], LO, HI)) == np.ndim(length_inside_box(a[0, 0], b[0], LO, HI)) == 0
    assert segment_hits_box(np.empty((0, 3)), b[0], LO, HI).shape == (0,)


def test_building_follows_the_scenario() -> None:
    lo, hi = building_box(Scenario())
    np.testing.assert_array_equal(lo, LO)
    np.testing.assert_array_equal(hi, HI)
    assert building_box(Scenario().replace(**{"mission.building_height_m": 0.0})) is None


def test_several_buildings_cost_their_walls_once_each_and_every_metre_inside():
    """Against the plain sum, for the square building as text too: then to the last bit."""
    plain = Scenario()
    net = plain.network
    positions = np.array([[0.0, -60.0, 50.0], [0.0, 60.0, 50.0], [100.0, 60.0, 50.0], [100.0, -60.0, 95.0]])
    los = np.ones((5, 5), dtype=np.bool_)
    none = topology(plain.replace(**{"mission.building_height_m": 0.0}), positions, los)
    text = "-30 -30 30 30 90"
    square, own = (
        topology(plain, positions, los),
        topology(plain.replace(**{"mission.buildings": text}), positions, los),
    )
    np.testing.assert_array_equal(own.snr_db, square.snr_db)
    np.testing.assert_array_equal(own.blocked, square.blocked)
    # two parts of one building, and a second building, on the way between the first two UAVs
    parts = plain.replace(**{"mission.buildings": "-30 -30 30 0 90 + -30 0 30 20 90; -5 40 5 50 60"})
    found = topology(parts, positions, los)
    crossed = 2 * net.wall_loss_db + net.indoor_loss_db_per_m * (50.0 + 10.0)
    assert none.snr_db[1, 2] - found.snr_db[1, 2] == pytest.approx(crossed)
    assert found.blocked[1, 2]
    assert found.blocked[2, 1]
    assert not found.blocked[3, 4]
    assert found.snr_db[3, 4] == none.snr_db[3, 4]
    grown = topology(parts, positions, los, clearance_m=80.0)  # as the twin counts a near miss
    assert grown.blocked[3, 4]


@given(st.integers(0, 2**32 - 1))
def test_own_boxes_agree_with_the_plain_functions(seed):
    rng = np.random.default_rng(seed)
    corners = np.sort(rng.uniform(-100, 100, (3, 2, 2)), axis=1)
    rows = [(*c[0], *(c[1] + 1), h) for c, h in zip(corners, rng.uniform(10, 100, 3), strict=True)]
    s = Scenario().replace(**{"mission.buildings": [list(map(float, r)) for r in rows]})
    positions = rng.uniform(-150, 150, (4, 3)) * [1, 1, 0.3] + [0, 0, 60]
    los = np.ones((5, 5), dtype=np.bool_)
    nodes = np.vstack([s.network.gcs, positions])
    boxes = all_boxes(s)
    hits = segment_hits_box(nodes[:, None, None], nodes[None, :, None], boxes[:, :3], boxes[:, 3:])
    inside = length_inside_box(nodes[:, None, None], nodes[None, :, None], boxes[:, :3], boxes[:, 3:])
    net = s.network
    loss = (hits * (net.wall_loss_db + net.indoor_loss_db_per_m * inside)).sum(axis=-1)
    free = topology(s.replace(**{"mission.buildings": "", "mission.building_height_m": 0.0}), positions, los)
    found = topology(s, positions, los)
    off = ~np.eye(5, dtype=np.bool_)
    np.testing.assert_array_equal(found.blocked[off], hits.any(axis=-1)[off])
    np.testing.assert_allclose(found.snr_db[off], (free.snr_db - loss)[off], atol=1e-9)
