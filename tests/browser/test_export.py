"""Export in a real browser: a figure and the snapshot are saved from the page, and say what the page says."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]

QUERY = "?tab=frontier&uavs=8&slots=40&duration_s=6&cycle=5&focus=3&beta=0.1"


def saved(page: Any, button: str) -> str:
    with page.expect_download() as got:
        page.get_by_role("button", name=button, exact=True).click()
    return Path(got.value.path()).read_text(encoding="utf-8")


def test_a_figure_and_the_snapshot_are_saved_and_say_what_the_page_says(visit: Any) -> None:
    visitor = visit(QUERY)
    page = visitor.page
    page.get_by_role("button", name="Export", exact=True).click()
    page.get_by_role("button", name="svg", exact=True).click()
    svg = saved(page, "Save")
    assert svg.lstrip().startswith("<?xml")
    assert "slot cost" in svg
    assert "beta=0.1" in html.unescape(svg), "the stamp names the link"
    page.get_by_role("button", name="csv", exact=True).click()
    rows = saved(page, "Save").splitlines()
    assert len(rows) > 20
    snapshot = saved(page, "Snapshot of this instant (HTML)")
    plain = html.unescape(re.sub(r"<[^>]+>", "", snapshot))
    squeeze = lambda text: re.sub(r"\s+", "", text)  # noqa: E731
    assert squeeze(page.locator(".chain .say").inner_text()) in squeeze(plain)
    assert "<script" not in snapshot
    assert not re.search(r'(?:src|href)="https?://', snapshot)
