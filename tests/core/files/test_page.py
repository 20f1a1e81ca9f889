"""The examples of docs/FILES.md are files that can be used."""

import re

import pytest

from core import Scenario
from core.files.mission import report_of
from core.folders import DATA

PAGE = (DATA.parent / "docs" / "FILES.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```(csv|yaml|geojson)\n(.*?)```", PAGE, re.S)


@pytest.mark.parametrize(("number", "kind"), [(0, "mission"), (2, "buildings"), (3, "buildings"), (4, "links")])
def test_an_example_can_be_brought(number, kind, tmp_path):
    suffix, text = EXAMPLES[number]
    path = tmp_path / f"example.{suffix}"
    path.write_text(text)
    s = Scenario().with_own(**{kind: path})
    assert s != Scenario()
    if kind == "mission":
        report = report_of(s.mission.file, s.control.Ts)
        assert report.uavs == 2
        assert report.hotspots
        assert report.gusts


def test_the_scenario_with_buildings_is_one():
    ((_, text),) = [e for e in EXAMPLES if e[0] == "yaml"]
    assert Scenario.from_yaml(text).mission.buildings.count(";") == 1
    assert len(EXAMPLES) == 5
