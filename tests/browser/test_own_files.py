"""A mission of one's own in a real browser: uploaded, drawn, calibrated, shared; a bad file is refused in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from own_data import mission_csv

from app.share_links import parse_query, read_query
from app.state import State
from core import folders
from core.files.mission import keep_mission, mission_from_csv
from core.twin import calibration_for, own_path

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]


def test_a_mission_is_uploaded_calibrated_and_shared(visit: Any, tmp_path: Path) -> None:
    content = mission_csv(3, 9, speed=7.3)
    good, bad, large = (tmp_path / name for name in ("survey.csv", "bad.csv", "large.csv"))
    good.write_bytes(content)
    bad.write_bytes(content.replace(b"2,1,", b"2,1,north"))
    kept = folders.RESULTS / "files" / keep_mission("survey.csv", mission_from_csv("survey.csv", content))
    kept.unlink()  # the page itself is to keep it
    made: list[Path] = []
    try:
        visitor = visit("?tab=flight")
        page = visitor.page
        page.get_by_text("Own mission, buildings, links").click()
        upload = page.locator(".MuiDialog-root input[type=file]").first
        large.write_bytes(b"0,1,2,3,4\n" * 1_100_000)
        upload.set_input_files(large)
        page.get_by_text("An upload may have 10 MB").wait_for()
        assert page.get_by_text("out of date").count() == 0
        visitor.errors.clear()  # the widget's script writes its reason to the console
        upload.set_input_files(bad)
        page.get_by_text("bad.csv, line 4: x = 'north").wait_for()
        upload.set_input_files(good)
        page.get_by_text("3 UAVs, 9 s, top speed 7.3 m/s").first.wait_for()
        page.keyboard.press("Escape")
        page.wait_for_function("() => location.search.includes('file=')")
        assert kept.is_file()
        page.get_by_text(f"now {kept.name}").wait_for()
        state = State()
        assert read_query(state, parse_query(page.evaluate("location.search"))) == []
        scenario = state.scenario
        assert (scenario.mission.file, scenario.mission.uavs) == (kept.name, 3)
        made = [own_path(scenario).with_suffix(suffix) for suffix in (".npz", ".yaml")]
        page.get_by_role("button", name="Calibrate now").click()
        page.get_by_text("The twin is calibrated for these settings").wait_for(timeout=120_000)
        page.get_by_text(f"now {kept.name}").wait_for(state="detached")
        assert calibration_for(scenario).mismatches(scenario) == []
    finally:
        for path in (kept, *made):
            path.unlink(missing_ok=True)
