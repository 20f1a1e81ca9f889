"""Missions from files: what is read, what is kept, what a scenario makes of it."""

import json

import numpy as np
import pytest
from own_data import HOME, mission_csv, plan

from core import Scenario
from core.errors import OwnFileError
from core.files.geodetic import east_north
from core.files.mission import kept_mission, report_of
from core.scenario.own import own_words


def write(path, content):
    path.write_bytes(content)
    return path


def test_a_csv_mission_decides_swarm_duration_and_speed(tmp_path):
    s = Scenario().with_own(mission=write(tmp_path / "m.csv", mission_csv()))
    assert (s.mission.uavs, s.mission.duration_s, s.mission.speed_mps) == (3, 8.0, 8.0)
    report = report_of(s.mission.file, s.control.Ts)
    assert report.closest == (1, 2, 0.0)
    assert report.closest_m == pytest.approx(np.hypot(18, 6))
    assert report.top_speed_mps == pytest.approx(8.0)
    assert report.words == (
        "3 UAVs, 8 s, top speed 8.0 m/s, closest approach 19.0 m (UAVs 1 and 2 at 0 s); it has no hotspots and no gusts."
    )


def test_a_way_through_a_building_is_told(tmp_path):
    text = b"t,uav,x,y,z\n0,1,-60,0,50\n10,1,60,0,50\n"
    s = Scenario().with_own(mission=write(tmp_path / "m.csv", text))
    told = "UAV 1 is planned to be inside a building at 2.75 s"
    assert told in own_words(s)["mission.file"]
    assert told not in own_words(s.replace(**{"mission.building_height_m": 40.0}))["mission.file"]
    assert told not in own_words(s.replace(**{"mission.buildings": "-30 5 30 30 90"}))["mission.file"]


def test_how_much_of_a_long_mission_is_flown_is_told(tmp_path):
    text = b"t,uav,x,y,z\n0,1,-80,-60,50\n900,1,-80,60,50\n"
    s = Scenario().with_own(mission=write(tmp_path / "m.csv", text))
    assert s.mission.duration_s == 600.0
    assert "Only its first 600 s are flown, the longest that a mission may last." in own_words(s)["mission.file"]
    told = own_words(s.replace(**{"mission.duration_s": 20.0}))["mission.file"]
    assert "Only its first 20 s are flown, as mission.duration_s says." in told


def test_names_say_what_is_in_a_file(tmp_path):
    """The same mission has the same name, whatever the file is called and however its rows are ordered."""
    content = mission_csv()
    first, *rows = content.decode().splitlines()
    shuffled = "\n".join([first, *sorted(rows, key=lambda r: float(r.split(",")[0]))]).encode()
    a = Scenario().with_own(mission=write(tmp_path / "a.csv", content))
    b = Scenario().with_own(mission=write(tmp_path / "b.csv", shuffled + b"\r\n"))
    assert a == b
    assert hash(a) == hash(b)
    c = Scenario().with_own(mission=write(tmp_path / "a.csv", content.replace(b"-70,72", b"-70,72.5")))
    assert c != a
    assert c.digest() != a.digest()
    assert len({a.mission.file, c.mission.file}) == 2


def test_a_scenario_file_names_a_path_and_keeps_what_it_says(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    write(folder / "m.csv", mission_csv())
    s = Scenario.from_yaml(write(folder / "s.yaml", b"mission: {file: m.csv, speed_mps: 12}"))
    assert (s.mission.uavs, s.mission.duration_s, s.mission.speed_mps) == (3, 8.0, 12.0)
    (folder / "m.csv").unlink()
    for text in (s.to_yaml(), s.to_yaml(only_changes=True)):
        assert Scenario.from_yaml(text) == s
    s = s.replace(**{"mission.speed_mps": 15.0})  # a default that the file would not give
    assert Scenario.from_yaml(s.to_yaml(only_changes=True)) == s


def test_text_from_outside_names_no_path(tmp_path):
    """An uploaded scenario or a link must not make a server read its files."""
    path = write(tmp_path / "m.csv", mission_csv())
    for text in (
        f"mission: {{file: {path}}}\n",
        "mission: {file: ../../etc/passwd}\n",
        f"network: {{link_trace: {path}}}\n",
    ):
        with pytest.raises(OwnFileError, match="is not the name of a kept"):
            Scenario.from_yaml(text)


def test_a_name_without_its_file_says_so():
    with pytest.raises(OwnFileError, match=r"0123456789abcdef\.csv is not on this computer"):
        Scenario().replace(**{"mission.file": "0123456789abcdef.csv"})


def test_columns_go_by_other_names_and_rows_may_be_sparse(tmp_path):
    text = b"# made by hand\nTime, ID, East, North, Up, note\n10, 1, 0, 0, 50, a\n20, 1, 40, 0, 60, b\n"
    s = Scenario().with_own(mission=write(tmp_path / "m.csv", text))
    found = kept_mission(s.mission.file).sampled(np.array([0.0, 5.0, 10.0, 12.0]))
    np.testing.assert_allclose(found[:, 0], [[0, 0, 50], [20, 0, 55], [40, 0, 60], [40, 0, 60]])


def test_plans_are_flown_at_their_speeds_around_the_ground_station(tmp_path):
    folder = tmp_path / "plans"
    folder.mkdir()
    write(folder / "uav1.plan", plan())
    write(folder / "uav2.plan", plan(east_deg=0.0005))
    s = Scenario().with_own(mission=folder)
    assert s.mission.uavs == 2
    track = kept_mission(s.mission.file).tracks[0]
    gcs = np.array(s.network.gcs[:2])
    np.testing.assert_allclose(track.places[0], [*gcs, 60.0])
    legs = np.linalg.norm(np.diff(track.places, axis=0), axis=1)
    times = np.diff(track.t)
    np.testing.assert_allclose(times, [legs[0] / 8, 2.0, legs[2] / 8], atol=1e-4)
    np.testing.assert_allclose(legs[0], 33.36, atol=0.05)  # 0.0003° of latitude
    assert s.mission.speed_mps == 8.0
    both = [t.places[0] for t in kept_mission(s.mission.file).tracks]
    np.testing.assert_allclose(both[1] - both[0], [37.7, 0, 0], atol=0.1)  # 0.0005° of longitude at 47.4° north


def test_altitudes_above_the_sea_are_taken_from_home(tmp_path):
    items = json.loads(plan())["mission"]["items"]
    for item in items:
        item["frame"] = 0
        if item["command"] != 178:
            item["params"][6] = HOME[2] + 42.0
    s = Scenario().with_own(mission=write(tmp_path / "a.plan", plan(items=items)))
    assert {float(z) for z in kept_mission(s.mission.file).tracks[0].places[:, 2]} == {42.0}


@pytest.mark.parametrize(("lat", "lon"), [(0.0, 0.0), (47.4, 8.5), (-33.9, 151.2), (64.1, -21.9)])
def test_metres_of_a_degree(lat, lon):
    """Against the radii of curvature of the ellipsoid, for steps of a few hundred metres."""
    a, e2 = 6378137.0, 0.00669437999014
    w = 1 - e2 * np.sin(np.radians(lat)) ** 2
    meridian, parallel = a * (1 - e2) / w**1.5, a / np.sqrt(w) * np.cos(np.radians(lat))
    step = 0.003
    x, y = east_north(lat + step, lon + step, lat, lon)
    assert x == pytest.approx(np.radians(step) * parallel, rel=2e-4)
    assert y == pytest.approx(np.radians(step) * meridian, rel=2e-4)


def test_a_survey_is_the_way_points_it_was_made_into(tmp_path):
    whole = json.loads(plan())["mission"]["items"]
    survey = {"type": "ComplexItem", "complexItemType": "survey", "TransectStyleComplexItem": {"Items": whole[2:4]}}
    a = Scenario().with_own(mission=write(tmp_path / "a.plan", plan()))
    b = Scenario().with_own(mission=write(tmp_path / "b.plan", plan(items=[*whole[:2], survey, whole[4]])))
    assert a.mission.file == b.mission.file
