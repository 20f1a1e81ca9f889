"""Own files on the page: used when they fit, refused in words when not, and carried by the link."""

from __future__ import annotations

from pathlib import Path

import pytest
from own_data import footprint, geojson, mission_csv, plan

from app.components.own_files import KINDS, MAX_BYTES, OwnFiles
from app.session import Session
from app.share_links import parse_query, query_of, read_query
from app.state import State
from core import folders
from core.twin import calibration_for


@pytest.fixture(autouse=True)
def own_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "RESULTS", tmp_path)


@pytest.fixture
def files(small: Session) -> OwnFiles:
    made = OwnFiles(small)
    assert made.dialog is None  # nobody pays for what nobody opens
    made.open()
    return made


MISSION, BUILDINGS, LINKS = (kind.field for kind in KINDS)


def upload(files: OwnFiles, field: str, **contents: bytes) -> str:
    """Give files by name (a double underscore stands for the dot); returns what the dialog says then."""
    part = files.parts[field]
    names = [name.replace("__", ".") for name in contents]
    several = part.upload.multiple
    part.upload.filename = names if several else names[0]
    part.upload.value = list(contents.values()) if several else next(iter(contents.values()))
    return str(part.text.object)


def test_a_mission_decides_the_swarm_and_the_twin_asks_to_be_calibrated(files: OwnFiles, small: Session) -> None:
    said = upload(files, MISSION, survey__csv=mission_csv(3, 8))
    assert "3 UAVs, 8 s, top speed 8.0 m/s" in said
    s = small.state.scenario
    assert (s.mission.uavs, s.mission.duration_s, s.mission.speed_mps) == (3, 8.0, 8.0)
    assert files.button.label == "Own files: mission"
    picture = small.pipeline.picture
    assert picture is not None
    assert picture.instant.flight.trace.positions.shape == (33, 3, 3)
    assert "mission.file = none" in picture.instant.notice
    files.parts[MISSION].remove.clicks += 1
    assert small.state.scenario.mission.file == ""
    assert small.state.scenario.mission.uavs == 50


def test_plans_are_one_per_uav_in_the_order_of_their_names(files: OwnFiles, small: Session) -> None:
    said = upload(files, MISSION, uav2__plan=plan(east_deg=0.0005), uav1__plan=plan())
    assert "2 UAVs" in said
    start = small.pipeline.picture.instant.flight.trace.positions[0]  # type: ignore[union-attr]
    assert start[1, 0] - start[0, 0] == pytest.approx(37.7, abs=0.1)


def test_a_bad_file_is_refused_in_words_and_nothing_is_lost(files: OwnFiles, small: Session) -> None:
    upload(files, MISSION, good__csv=mission_csv())
    before = small.state.scenario
    said = upload(files, MISSION, bad__csv=b"t,uav,x,y,z\n0,1,<script>,0,0\n")
    assert 'role="alert"' in said
    assert "line 2: x = &#x27;&lt;script&gt;&#x27; is not a number" in said
    assert small.state.scenario == before
    said = upload(files, MISSION, near__csv=mission_csv().replace(b"-52,78", b"-69,72"))
    assert "come within" in said
    assert small.state.scenario == before
    assert "MB" in upload(files, LINKS, links__csv=b"x" * (MAX_BYTES + 1))


def test_buildings_and_links_come_in_the_same_way(files: OwnFiles, small: Session) -> None:
    square = footprint([(0.003, 0), (0.0034, 0), (0.0034, 0.0002), (0.003, 0.0002)], height=30)
    assert "1 building, the highest 30 m" in upload(files, BUILDINGS, campus__geojson=geojson(square))
    said = upload(files, LINKS, l__csv=b"t,from,to,snr_db\n0,gcs,1,12\n")
    assert "1 of 36 links" in said
    assert "another one for every seed" in said
    assert files.button.label == "Own files: buildings, links"


def test_a_link_carries_own_files_and_says_when_one_is_not_here(
    files: OwnFiles, small: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(files, MISSION, survey__csv=mission_csv())
    small.state.apply({"buildings": "-30 -30 30 30 90; 60 -20 90 20 40 + 60 20 75 50 40"})
    other = State()
    assert read_query(other, parse_query(query_of(small.state))) == []
    assert other.scenario == small.state.scenario
    monkeypatch.setattr(folders, "RESULTS", tmp_path / "another server")
    (told, *_) = read_query(State(), parse_query(query_of(small.state)))
    assert f"{small.state.scenario.mission.file} is not on this computer" in told


def test_what_is_calibrated_for_the_page_is_found_by_its_name(files: OwnFiles, small: Session) -> None:
    upload(files, MISSION, survey__csv=mission_csv())
    assert calibration_for(small.state.scenario).mismatches(small.state.scenario)
