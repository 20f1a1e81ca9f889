"""The user guide names every tab and every widget, and the page of controls is what the fields themselves say."""

import re
from pathlib import Path

import pytest

from app.page import TABS
from app.state import CONTROLS, metadata_of
from app.teaching.handbook import PAGE, controls_page, listed

ROOT = Path(__file__).resolve().parents[1]
GUIDE = (ROOT / "docs" / "GUIDE.md").read_text(encoding="utf-8")
SOURCES = [
    ROOT / "app" / "header.py",
    ROOT / "app" / "calibration_bar.py",
    *sorted((ROOT / "app" / "views").glob("*.py")),
]
LABEL = re.compile(r'label="([^"]+)"(?: if \w+ else "([^"]+)")?')


def section(title: str) -> str:
    """Text under a heading of the guide."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", GUIDE, re.M | re.S)
    assert found, f"the guide has no section {title!r}"
    return found[1]


def test_the_page_of_controls_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == controls_page(), "run python -m app.teaching.handbook"


def test_the_page_of_controls_has_them_all() -> None:
    assert sorted(listed()) == sorted(CONTROLS)
    for name in CONTROLS:
        (row,) = re.findall(rf"^\| .* \| `{name}` \| .*$", PAGE.read_text(encoding="utf-8"), re.M)
        assert metadata_of(name).doc in row.replace(r"\|", "|")


def test_every_tab_has_a_section() -> None:
    sections = re.findall(r"^## (.+)$", GUIDE, re.M)
    titles = [tab.title for tab in TABS]
    assert [s for s in sections if s in titles] == titles


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_every_widget_is_described(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    title = re.search(r'^    title = "(.+)"', source, re.M)
    text = section(title[1]) if title else GUIDE
    for label in {word for found in LABEL.findall(source) for word in found if word}:
        assert re.search(rf"\*{{1,2}}{re.escape(label)}\*", text), f"{label} of {path.name}"


def test_anchors_within_the_guide_exist() -> None:
    heads = {
        re.sub(r"[^\w -]", "", h).strip().lower().replace(" ", "-") for h in re.findall(r"^##+ (.+)$", GUIDE, re.M)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", GUIDE)) <= heads
