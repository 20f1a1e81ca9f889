"""The user guide names every tab and every widget, and the page of controls is what the fields themselves say."""

import re
from pathlib import Path

import pytest

from app.page import TABS
from app.state import CONTROLS, metadata_of
from core.instant import Flight
from core.scenario import Scenario
from tools.controls_page import PAGE, controls_page, listed

ROOT = Path(__file__).resolve().parents[1]
GUIDE = (ROOT / "docs" / "GUIDE.md").read_text(encoding="utf-8")
SOURCES = [
    ROOT / "app" / "components" / "header.py",
    ROOT / "app" / "help_desk.py",
    ROOT / "app" / "components" / "calibration_bar.py",
    *sorted((ROOT / "app" / "tabs").glob("*/view.py")),
]
LABEL = re.compile(r'label"?[=:] ?"([^"]+)"(?: if \w+ else "([^"]+)")?')


def section(title: str) -> str:
    """Text under a heading of the guide."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", GUIDE, re.M | re.S)
    assert found, f"the guide has no section {title!r}"
    return found[1]


def test_the_page_of_controls_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == controls_page(), "run python -m tools.controls_page"


def test_the_page_of_controls_has_them_all() -> None:
    assert sorted(listed()) == sorted(CONTROLS)
    for name in CONTROLS:
        (row,) = re.findall(rf"^\| .* \| `{name}` \| .*$", PAGE.read_text(encoding="utf-8"), re.M)
        assert metadata_of(name).doc in row.replace(r"\|", "|")


def test_every_tab_has_a_section() -> None:
    sections = re.findall(r"^## (.+)$", GUIDE, re.M)
    titles = [tab.title for tab in TABS]
    assert [s for s in sections if s in titles] == titles


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_every_widget_is_described(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    title = re.search(r'^    title = "(.+)"', source, re.M)
    text = section(title[1]) if title else GUIDE
    for label in {word for found in LABEL.findall(source) for word in found if word}:
        assert re.search(rf"\*{{1,2}}{re.escape(label)}\*", text), f"{label} of {path}"


def test_anchors_within_the_guide_exist() -> None:
    heads = {
        re.sub(r"[^\w -]", "", h).strip().lower().replace(" ", "-") for h in re.findall(r"^##+ (.+)$", GUIDE, re.M)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", GUIDE)) <= heads


def test_the_threshold_in_the_guide_is_what_its_python_gives() -> None:
    found = Flight.of(Scenario(), "SAFE", 0).instant(60).on(16).solve("network.snr_offset_db")
    assert section("Solve for").count(str(found.certifiable)) == 2
