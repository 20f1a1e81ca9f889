"""Whatever is wrong with a file is said in a sentence that names the place and the remedy; nothing is kept of it."""

import json
import re

import pytest
from own_data import HOME, footprint, geojson, mission_csv, plan, plan_item

from core import Scenario
from core.errors import OwnFileError, ScenarioError
from core.files import store as store_module

ROWS = mission_csv().decode().splitlines()


def rows(*changes: tuple[int, str]) -> bytes:
    """The good mission with some lines replaced."""
    lines = list(ROWS)
    for line, text in changes:
        lines[line - 1] = text
    return "\n".join(lines).encode()


LINK = "t,from,to,snr_db\n0,gcs,1,12.5\n"
SQUARE = [(0.001, 0), (0.0012, 0), (0.0012, 0.0002), (0.001, 0.0002)]

MISSIONS = {
    "empty": ("m.csv", b"", r"is empty"),
    "only a heading": ("m.csv", b"t,uav,x,y,z\n", r"a heading but no rows"),
    "no heading": ("m.csv", b"0,1,0,0,50\n1,1,5,0,50\n", r"has no column t, uav, x, y, z"),
    "column missing": ("m.csv", b"t,uav,x,y\n0,1,0,0\n", r"has no column z"),
    "column twice": ("m.csv", b"t,uav,x,y,z,x\n0,1,0,0,5,0\n", r"column x twice"),
    "not a number": ("m.csv", rows((4, "2,1,north,0,60")), r"line 4: x = 'north' is not a number"),
    "nan": ("m.csv", rows((4, "2,1,nan,0,60")), r"line 4: x = 'nan' is not finite"),
    "infinite": ("m.csv", rows((5, "3,1,0,inf,60")), r"line 5: y = 'inf' is not finite"),
    "short row": ("m.csv", rows((4, "2,1,5")), r"line 4: 3 values where the heading has 5"),
    "half a uav": ("m.csv", rows((4, "2,1.5,0,0,60")), r"line 4: uav = 1.5 must be a whole number"),
    "uav 0": ("m.csv", rows((4, "2,0,0,0,60")), r"line 4: uav = 0"),
    "uav missing": ("m.csv", mission_csv(1) + b"0,3,0,0,60\n1,3,0,0,60\n", r"UAV 3 but no UAV 2"),
    "too many uavs": ("m.csv", mission_csv(1) + b"0,5000,0,0,60\n", r"1000 UAVs at most"),
    "single row": ("m.csv", b"t,uav,x,y,z\n0,1,0,0,60\n", r"line 2: UAV 1 has a single row"),
    "back in time": ("m.csv", rows((4, "0.5,1,-84,-70,72")), r"line 4: UAV 1 is given at 0.5 s after 1 s"),
    "time twice": ("m.csv", rows((4, "1,1,-84,-70,72")), r"line 4: UAV 1 is given at 1 s again"),
    "jump": ("m.csv", rows((4, "2,1,800,-70,72")), r"line 4: UAV 1 would have to fly \d+ m/s from 1 to 2 s"),
    "underground": ("m.csv", rows((4, "2,1,-74,-70,-3")), r"line 4: UAV 1 at .* out of bounds"),
    "degrees of a planet away": ("m.csv", rows((4, "2,1,99999,-70,60")), r"out of bounds.*local metres"),
    "half a gust": ("m.csv", b"t,uav,x,y,z,gx\n0,1,0,0,60,1\n1,1,1,0,60,1\n", r"column gx but not all of"),
    "semicolons": ("m.csv", b"t;uav;x;y;z\n0;1;0;0;60\n", r"separated by commas, and it begins with 't;uav;x;y;z'"),
    "half a hotspot": ("m.csv", b"t,uav,x,y,z,hotspot\n0,1,0,0,60,1\n5,1,1,0,60,7\n", r"line 3: hotspot = 7 must be 0 or 1"),
    "storm": ("m.csv", b"t,uav,x,y,z,gx,gy,gz\n0,1,0,0,60,99,0,0\n1,1,1,0,60,0,0,0\n", r"gust of 99 m/s"),
    "half a second": ("m.csv", b"t,uav,x,y,z\n0,1,0,0,60\n0.5,1,1,0,60\n", r"over after 0.5 s"),
    "not text": ("m.csv", b"\xff\xfe\x00t", r"not UTF-8"),
    "binary": ("m.csv", b"t,uav\0,x,y,z\n", r"not a text file"),
    "another kind": ("m.kml", b"<kml/>", r"read from \.csv, \.plan, \.ulg"),
    "plan: not JSON": ("a.plan", b'{"fileType": "Plan",\n', r"a\.plan is not JSON \(line 2\)"),
    "plan: other JSON": ("a.plan", b'{"fileType": "Fence"}', r"not a QGroundControl plan"),
    "plan: no items": ("a.plan", json.dumps({"fileType": "Plan", "mission": {}}).encode(), r"no list of items"),
    "plan: no home": ("a.plan", plan(plannedHomePosition=None), r"no plannedHomePosition"),
    "plan: nowhere to go": ("a.plan", plan(items=[plan_item(20, [0] * 7)]), r"0 place\(s\) to fly to"),
    "plan: no altitude": ("a.plan", plan(items=[plan_item(16, [0, 0, 0, 0, *HOME[:2], None])]), r"item 1 has no latitude"),
    "plan: far away": ("a.plan", plan(items=[plan_item(16, [0, 0, 0, 0, 10, 20, 50])]), r"item 1 lies -?\d+ m east"),
    "plan: strange frame": ("a.plan", plan(items=[plan_item(16, [0, 0, 0, 0, *HOME[:2], 50], 99)]), r"frame 99 is not known"),
    "plan: racing": ("a.plan", plan(hoverSpeed=80), r"speed of 80 m/s"),
    "plan: survey without points": ("a.plan", plan(items=[{"type": "ComplexItem", "complexItemType": "survey"}]), r"'survey' has no way points"),
    "log: damaged": ("a.ulg", b"ULog and nothing else", r"not a PX4 log"),
}  # fmt: skip
LINKS = {
    "no level": (b"t,from,to\n0,0,1\n", r"one of the columns snr_db and path_loss_db, and has 0"),
    "both levels": (b"t,from,to,snr_db,path_loss_db\n0,0,1,5,90\n", r"and has 2 of them"),
    "to itself": (LINK.encode() + b"0,2,2,5\n", r"line 3: a link from node 2 to itself"),
    "no node": (LINK.encode() + b"0,1,base,5\n", r"line 3: to = 'base' is not a number"),
    "negative node": (LINK.encode() + b"0,-1,2,5\n", r"line 3: from = -1 is no node"),
    "before the start": (LINK.encode() + b"-1,1,2,5\n", r"line 3: t = -1 s lies before the start"),
    "unbelievable": (LINK.encode() + b"1,1,2,900\n", r"line 3: snr_db = 900 lies outside"),
    "nan": (LINK.encode() + b"1,1,2,nan\n", r"line 3: snr_db = 'nan' is not finite"),
}
BUILDINGS = {
    "geojson: not JSON": ("b.geojson", b"{", r"is not JSON"),
    "geojson: something else": ("b.geojson", b'{"type": "Feature"}', r"not a GeoJSON FeatureCollection"),
    "geojson: no home": ("b.geojson", geojson(footprint(SQUARE, height=10), home=False), r'"name": "home"'),
    "geojson: no building": ("b.geojson", geojson(), r"has no polygon"),
    "geojson: no height": ("b.geojson", geojson(footprint(SQUARE)), r"feature 2 has no height"),
    "geojson: tall as a word": ("b.geojson", geojson(footprint(SQUARE, height="tall")), r"'tall' is not a height"),
    "geojson: metres": ("b.geojson", geojson(footprint([(x * 1e6, y * 1e6) for x, y in SQUARE], height=9)), r"in degrees"),
    "geojson: a road": (
        "b.geojson",
        geojson({"type": "Feature", "properties": {}, "geometry": {"type": "LineString", "coordinates": []}}),
        r"is a LineString; a building is a Polygon",
    ),
    "geojson: a line": ("b.geojson", geojson(footprint([(0.001, 0), (0.002, 0), (0.003, 0)], height=9)), r"at least 1 m²"),
    "csv: inside out": ("b.csv", b"x_min,y_min,x_max,y_max,height\n5,0,-5,9,9\n", r"line 2: .* west before east"),
    "csv: flat": ("b.csv", b"x_min,y_min,x_max,y_max,height\n-5,0,5,9,0\n", r"height of 0 m"),
    "csv: far": ("b.csv", b"x_min,y_min,x_max,y_max,height\n-5,0,99999,9,9\n", r"local metres, not degrees"),
    "csv: a city": ("b.csv", b"x_min,y_min,x_max,y_max,height\n" + b"0,0,9,9,9\n" * 61, r"61 boxes.*leave out"),
    "another kind": ("b.dxf", b"0", r"read from \.csv, \.geojson, \.json"),
}  # fmt: skip


def refused(tmp_path, store, name, content, expected, **kind):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(OwnFileError) as caught:
        Scenario().with_own(**{kind["as_"]: path})
    text = str(caught.value)
    assert re.search(expected, text), text
    assert text.rstrip(")").endswith((".", ")"))
    assert len(text) < 400
    assert not store.exists() or not any(store.iterdir())


@pytest.mark.parametrize("case", MISSIONS)
def test_missions(case, tmp_path, store):
    refused(tmp_path, store, *MISSIONS[case], as_="mission")


@pytest.mark.parametrize("case", LINKS)
def test_link_traces(case, tmp_path, store):
    refused(tmp_path, store, "l.csv", *LINKS[case], as_="links")


@pytest.mark.parametrize("case", BUILDINGS)
def test_buildings(case, tmp_path, store):
    refused(tmp_path, store, *BUILDINGS[case], as_="buildings")


def test_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "MAX_BYTES", 100)
    path = tmp_path / "m.csv"
    path.write_bytes(mission_csv())
    with pytest.raises(OwnFileError, match="may have"):
        Scenario().with_own(mission=path)


def test_a_file_that_is_not_there(tmp_path, monkeypatch):
    with pytest.raises(OwnFileError, match=r"There is no mission file at .*gone\.csv'; check"):
        Scenario().with_own(mission=tmp_path / "gone.csv")
    monkeypatch.chdir(tmp_path)
    here = re.escape(str(tmp_path)[-200:])
    with pytest.raises(OwnFileError, match=rf"at 'gone\.csv' in the folder '{here}'; check"):
        Scenario().with_own(mission="gone.csv")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "s.yaml").write_text("mission: {file: gone.csv}\n")
    with pytest.raises(OwnFileError, match=rf"at 'work/gone\.csv' in the folder '{here}'; check"):
        Scenario.from_yaml("work/s.yaml")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"mission.uavs": 4}, "the mission file has 3 UAVs; set mission.uavs to 3"),
        ({"mission.duration_s": 9}, "ends after 8 s; set mission.duration_s to 8 or less"),
        ({"mission.speed_mps": 7.5}, "top speed of the mission file, 8.00 m/s.*Set mission.speed_mps to 8"),
        ({"mission.safety_distance_m": 25}, "UAVs 1 and 2 of the mission file come within 19.0 m.*at 0 s.*to 18"),
    ],
)
def test_a_mission_that_does_not_fit_the_scenario(changes, expected, tmp_path):
    path = tmp_path / "m.csv"
    path.write_bytes(mission_csv())
    s = Scenario().with_own(mission=path)
    with pytest.raises(ScenarioError, match=expected):
        s.replace(**changes)


def test_links_that_do_not_fit_the_scenario(tmp_path):
    path = tmp_path / "l.csv"
    path.write_bytes(LINK.encode() + b"0,1,60,5\n")
    with pytest.raises(ScenarioError, match=r"names UAV 60, and mission\.uavs = 50"):
        Scenario().with_own(links=path)
    path.write_bytes(b"t,from,to,snr_db\n500,0,1,5\n")
    with pytest.raises(ScenarioError, match="No record of the link trace lies within the mission"):
        Scenario().with_own(links=path)


def test_the_ground_station_may_not_stand_in_a_building():
    with pytest.raises(ScenarioError, match="stands inside building 2"):
        Scenario().replace(**{"mission.buildings": "0 0 9 9 9; -340 -10 -320 10 40"})
