"""A server started with a policy of the user's own and a broken file: in a real browser, outside the repository."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from harness import Server, Visitor, running_app
from plugin_files import EXAMPLE, as_before, broken

from core import Scenario, load_plugins
from core.instant import Flight
from core.instant.takeoff import takeoff
from core.plugins import VARIABLE

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]

MINE = "Largest-Error"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Server]:
    """A server as a user starts it, from his folder."""
    bad = tmp_path / "bad.py"
    bad.write_text("x = 1\ny = x / 0\n")
    files = (shutil.copy(EXAMPLE, tmp_path / "mine.py"), bad, broken(tmp_path / "breaks.py", "Breaks", "return 1 / 0"))
    named = os.pathsep.join(map(str, files))
    with running_app(**{VARIABLE: named, "SAFE_EXPLORER_RESULTS": str(tmp_path / "results")}) as server:
        yield server


def test_an_own_policy_flies_on_the_page_and_in_what_if_and_a_broken_one_is_told(
    own: Server, context: Any, tmp_path: Path
) -> None:
    visitor = Visitor.at(
        context.new_page(), own, "?tab=flight&uavs=6&slots=40&duration_s=3&cycle=5&policies=SAFE,Breaks"
    )
    page = visitor.page
    page.get_by_text("bad.py, line 2: ZeroDivisionError").first.wait_for()
    page.wait_for_selector('.chip[data-policy="Breaks"][title*="failed in cycle 3: breaks.py, line 16"]')
    page.locator('select[data-timeline="policy"]').select_option(MINE)
    page.wait_for_selector(f'.chip[data-policy="{MINE}"]:not(.late)')
    visitor.until(f"find('flight.series').data['{MINE}']?.length === 12")
    with as_before():
        load_plugins(tmp_path / "mine.py")
        small = Scenario().replace(**{"mission.uavs": 6, "network.slots": 40, "mission.duration_s": 3.0})
        flight = Flight.of(takeoff(small), MINE, 0)
        flight.reach(6)
        flown = flight.history().rmse[:6].tolist()
    assert visitor.column("flight.series", MINE)[:6] == pytest.approx(flown, rel=1e-5)

    visitor.open_tab("What-if")
    box = page.get_by_label("Values (lo:hi:step or a,b,c)", exact=True)
    box.fill("20,40")
    box.press("Tab")
    page.get_by_text("scarcity (shipped): ").wait_for()  # the tab is drawn and moves no more
    policies = page.get_by_label("Policies").first.bounding_box()
    # at its end: in its middle is the cross of a policy
    page.mouse.click(policies["x"] + policies["width"] - 12, policies["y"] + policies["height"] / 2)
    page.locator(".MuiListItemText-primary").get_by_text(MINE, exact=True).click()
    page.mouse.click(1270, 5)  # beside the list, which closes it
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("runs done").wait_for()
    assert visitor.column("study.lines", "label") == ["SAFE", "VoI-Sched", MINE]
    (folder,) = (tmp_path / "results").glob("*/records")
    assert set(pd.read_parquet(folder)["policy"]) == {"SAFE", "VoI-Sched", MINE}
    page.close()
    assert visitor.errors == []
    assert visitor.outside == []
