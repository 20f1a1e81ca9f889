"""Own buildings: text, tables and footprints."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from own_data import footprint, geojson

from core import Scenario
from core.files.buildings import Boxes, boxes_of, buildings_text
from core.files.footprints import buildings_from_geojson

SIDE = st.floats(-500, 500).map(lambda x: round(x, 2))


@given(
    st.lists(
        st.lists(st.tuples(SIDE, SIDE, st.floats(1, 90), st.floats(1, 90), st.floats(1, 90)), min_size=1, max_size=3),
        max_size=8,
    )
)
def test_text_reads_back(buildings):
    boxes = Boxes(
        tuple(tuple((x, y, round(x + w, 2), round(y + d, 2), round(h, 2)) for x, y, w, d, h in b) for b in buildings)
    )
    assert boxes_of(buildings_text(boxes)) == boxes


def test_a_list_in_a_scenario_is_the_same_as_text():
    a = Scenario.from_dict({"mission": {"buildings": [[-30, -30, 30, 30, 90], [60, -20, 90, 20, 40.5]]}})
    assert a.mission.buildings == "-30 -30 30 30 90; 60 -20 90 20 40.5"
    assert Scenario.from_yaml(a.to_yaml()) == a


def test_a_table(tmp_path):
    path = tmp_path / "b.csv"
    path.write_bytes(b"west,south,east,north,height\n-30,-30,30,30,90\n60,-20,90,20,40\n")
    assert Scenario().with_own(buildings=path).mission.buildings == "-30 -30 30 30 90; 60 -20 90 20 40"


def test_a_rectangle_is_one_box_around_the_ground_station():
    content = geojson(footprint([(0.001, 0), (0.0012, 0), (0.0012, 0.0002), (0.001, 0.0002)], height="12.5 m"))
    ((box,),) = buildings_from_geojson("b.geojson", content, (-330.0, 0.0)).buildings
    assert box == pytest.approx((-330 + 75.5, 0.0, -330 + 90.6, 22.2, 12.5), abs=0.1)


@pytest.mark.parametrize(
    "corners",
    [
        [(0.001, 0), (0.0013, 0.0003), (0.001, 0.0006), (0.0007, 0.0003)],  # a square on its corner
        [(0, 0), (0.0006, 0), (0.0006, 0.0002), (0.0002, 0.0002), (0.0002, 0.0006), (0, 0.0006)],  # an L
    ],
)
def test_other_shapes_are_covered_by_strips_and_not_by_much_more(corners):
    content = geojson(footprint(corners, **{"building:levels": 4}))
    (parts,) = buildings_from_geojson("b.geojson", content, (0.0, 0.0)).buildings
    assert 1 < len(parts) <= 8
    assert {box[4] for box in parts} == {12.0}
    scale = np.array([75400.0, 111180.0])  # metres of a degree there, closely enough
    polygon = np.array(corners) * scale
    x, y = polygon.T
    area = abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2
    covered = sum((b[2] - b[0]) * (b[3] - b[1]) for b in parts)
    assert area * 0.99 <= covered <= 1.35 * area
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(3), 200)
    inside = weights @ polygon[:3]  # points of its first triangle, which both shapes contain
    hit = [any(b[0] - 0.3 <= p[0] <= b[2] + 0.3 and b[1] - 0.3 <= p[1] <= b[3] + 0.3 for b in parts) for p in inside]
    assert all(hit)
