"""Pin, undo and redo in a real browser: ghosts with their settings, Back and Forward, a link that carries the comparison."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]


def drawn(visitor: Visitor) -> tuple[str, list[Any]]:
    """What the strip says, and the boundary line of the first map."""
    return visitor.page.locator(".chain .say").inner_text(), visitor.column("boundary.line", "y")


def query(visitor: Visitor) -> str:
    """What the numbers on the page were computed with."""
    return visitor.page.locator(".chain").first.get_attribute("data-query") or ""


def until_shows(visitor: Visitor, wanted: str) -> None:
    """Wait until address and numbers are those of a step; "" is the default page."""
    visitor.page.wait_for_function("(q) => document.location.search === q", arg=wanted)
    visitor.page.locator(f'.chain[data-query="{wanted}"]').first.wait_for()


def drag(visitor: Visitor, control: str, steps: int) -> None:
    """Drag a slider with the mouse, through many values, and let it go."""
    slider = visitor.page.locator(f'input[data-control="{control}"]')
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    share = (float(slider.input_value()) - float(slider.get_attribute("min") or 0)) / (
        float(slider.get_attribute("max") or 1) - float(slider.get_attribute("min") or 0)
    )
    at, y = box["x"] + share * box["width"], box["y"] + box["height"] / 2
    visitor.page.mouse.move(at, y)
    visitor.page.mouse.down()
    visitor.page.mouse.move(at + 60, y, steps=steps)
    visitor.page.mouse.up()


def test_a_drag_is_one_step_back_undoes_it_and_forward_does_it_again(visit: Any) -> None:
    visitor: Visitor = visit()
    page = visitor.page
    start, entries = drawn(visitor), page.evaluate("history.length")
    assert page.locator('[data-step="undo"]').is_disabled()
    drag(visitor, "beta", 25)
    visitor.settled("beta")
    assert page.evaluate("history.length") == entries + 1
    moved, there = drawn(visitor), query(visitor)
    page.go_back()
    until_shows(visitor, "")
    visitor.until("find('boundary.line').data['y'].length > 0")
    assert drawn(visitor) == start
    assert float(visitor.value("beta")) == 0.05
    assert page.evaluate("history.length") == entries + 1  # going back makes no step
    page.go_forward()
    until_shows(visitor, there)
    assert drawn(visitor) == moved

    # five moves by five controls, five times back by button, keys and browser: the first picture; a reload keeps the place
    page.go_back()
    until_shows(visitor, "")
    for control in ("beta", "delta_T", "H_T", "slots"):
        visitor.press(control, "ArrowRight", 2)
        visitor.settled(control)
    page.locator('input[data-timeline="cycle"]').focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.location.search.includes('cycle=23')")
    last = page.evaluate("document.location.search")
    page.locator(f'.chain[data-query="{last}"]').first.wait_for()
    page.reload()
    visitor.wait_until_live()
    until_shows(visitor, last)
    for back in ("button", "keys", "browser", "button", "keys"):
        before = page.evaluate("document.location.search")
        if back == "button":
            page.locator('[data-step="undo"]').click()
        elif back == "keys":
            page.locator('input[data-control="beta"]').focus()
            page.keyboard.press("Control+z")
        else:
            page.go_back()
        page.wait_for_function("(q) => document.location.search !== q", arg=before)
        until_shows(visitor, page.evaluate("document.location.search"))
    until_shows(visitor, "")
    assert drawn(visitor)[0] == start[0]
    assert page.locator('[data-step="undo"]').is_disabled()
    page.keyboard.press("Control+Shift+z")
    page.wait_for_function("() => document.location.search.startsWith('?beta=')")

    # in a text box the keys belong to the text
    page.locator('input[data-number="beta"]').focus()
    here = page.evaluate("document.location.search")
    page.keyboard.press("Control+z")
    page.locator('[data-step="undo"]').click()
    until_shows(visitor, "")
    assert here != ""


def test_a_pinned_picture_stays_is_named_and_travels_in_the_link(visit: Any) -> None:
    visitor: Visitor = visit()
    page = visitor.page
    uav = visitor.link("UAV")
    kept = visitor.column("boundary.line", "y")
    page.locator('[data-step="pin"]').focus()
    page.keyboard.press("Enter")
    page.locator('[data-step="unpin"]').wait_for()
    page.get_by_text("this is the pinned picture").first.wait_for()
    visitor.press("snr_offset_db", "ArrowLeft", 4)
    visitor.settled("snr_offset_db")
    page.get_by_text("Since the pin (ΔSNR 0 → ").first.wait_for()
    assert visitor.column("boundary.ghost", "y") == kept
    page.get_by_text(f"pinned: ΔSNR 0 dB, UAV {uav}, cycle 22").first.wait_for()
    page.locator('input[data-timeline="cycle"]').focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.get_by_text("cycle 22 → 25").first.wait_for()
    assert visitor.column("boundary.ghost", "y") == kept
    for title, source in (("Certified frontier", "frontier.ghost"), ("Allocation", "allocation.before")):
        visitor.open_tab(title)
        visitor.until(f"find('{source}')?.data[find('{source}').data['x'] ? 'x' : 'uav'].length > 0")
        page.get_by_text(f"pinned: ΔSNR 0 dB, UAV {uav}, cycle 22").first.wait_for()
    visitor.open_tab("Flight")
    page.get_by_text(f"pinned: ΔSNR 0 dB, UAV {uav}, cycle 22").first.wait_for()
    page.get_by_text("cycles 0 to 22").first.wait_for()

    # the link shows the same comparison in another window, and from there the way to the pinned settings and back
    visitor.open_tab("Safety boundary")
    page.wait_for_function("() => !document.location.search.includes('tab=')")
    other: Visitor = visit(page.evaluate("document.location.search"))
    other.page.get_by_text("cycle 22 → 25").first.wait_for()
    assert other.page.locator(".moved").inner_text() == page.locator(".moved").inner_text()
    assert other.column("boundary.ghost", "y") == kept
    other.page.locator('[data-step="swap"]').click()
    other.page.get_by_text("cycle 25 → 22").first.wait_for()
    assert other.column("boundary.line", "y") == kept
    other.page.locator('[data-step="unpin"]').click()
    other.page.locator('[data-step="pin"]').wait_for()
    assert "pin=" not in other.page.evaluate("document.location.search")


def test_a_comparison_too_long_for_its_lines_fades_until_its_end_is_in_view(visit: Any) -> None:
    visitor: Visitor = visit()
    page = visitor.page
    page.set_viewport_size({"width": 700, "height": 800})
    page.locator('[data-step="pin"]').click()
    page.get_by_text("this is the pinned picture").first.wait_for()
    page.locator(".moved:not(.more)").wait_for()
    page.goto(f"{page.url}&snr_offset_db=-4")
    visitor.wait_until_live()
    page.locator(".moved.more").wait_for()
    page.locator(".moved").evaluate("(e) => { e.scrollTop = e.scrollHeight }")
    page.locator(".moved:not(.more)").wait_for()
