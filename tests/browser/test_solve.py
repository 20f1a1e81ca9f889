"""Solve for, in a browser: curves of the page's own numbers, a slider that moves the mark, a click that moves the slider."""

from __future__ import annotations

from typing import Any

import pytest

from app.picture import compute
from app.share_links import parse_query, read_query
from app.state import State

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]

QUERY = "?tab=solve&uavs=8&slots=40&duration_s=12&cycle=10&snr_offset_db=-4"


def test_curves_follow_the_sliders_and_a_click_moves_one(visit: Any) -> None:
    visitor = visit(QUERY)
    visitor.until("find('solve.curves')?.data['x'].length === 81")
    state = State()
    assert read_query(state, parse_query(QUERY)) == []
    expected = compute(state).focus.solve("network.snr_offset_db")
    assert visitor.column("solve.curves", "admitted") == expected.curves.admitted.tolist()
    assert visitor.column("solve.admitted.here", "x") == [-4.0]
    text = str(expected.certifiable)
    visitor.page.get_by_text(f"is certifiable (some action has Φ ≤ 0) {text}.").wait_for()

    visitor.press("snr_offset_db", "ArrowRight", 3)  # the varied slider: the mark moves, the curves stay
    visitor.until("find('solve.admitted.here').data['x'][0] === -2.5")
    visitor.page.get_by_text("Now ΔSNR = −2.5 dB").wait_for()
    assert visitor.column("solve.curves", "admitted") == expected.curves.admitted.tolist()

    visitor.press("beta", "ArrowRight", 2)  # another one: it is varied from now on
    visitor.until("Math.abs(find('solve.curves').data['x'].at(-1) - 0.5) < 1e-9")
    plot = visitor.page.locator(".bk-Figure").filter(has=visitor.page.locator("canvas")).first
    box = plot.bounding_box()
    assert box is not None
    visitor.page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + 0.5 * box["height"])
    visitor.page.wait_for_function("() => Number(new URL(location).searchParams.get('beta')) > 0.2")
    visitor.settled("beta")
    visitor.until("Math.abs(find('solve.U.here').data['x'][0] - arg) < 1e-9", float(visitor.value("beta")))
    assert "tab=solve" in visitor.page.url
