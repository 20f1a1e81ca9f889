"""The timeline in a real browser: play, pause, drag back, steer, and a link that restores it all."""

from __future__ import annotations

import re
from typing import Any

import pytest
from harness import Visitor
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]

SHORT = "?uavs=12&slots=60&duration_s=10&cycle=5"


def part(visitor: Visitor, name: str) -> Any:
    return visitor.page.locator(f'[data-timeline="{name}"]')


def cycle(visitor: Visitor) -> int:
    """The cycle whose numbers are on the page."""
    query = visitor.page.locator(".chain").first.get_attribute("data-query") or ""
    found = re.search(r"cycle=(\d+)", query)
    return int(found[1]) if found else 22


def drawn(visitor: Visitor, condition: str) -> None:
    """Wait until the cycle drawn fulfils a condition on k."""
    visitor.page.wait_for_function(
        f"""() => {{
          const walk = (root) => {{
            for (const e of root.querySelectorAll('*')) {{
              if (e.classList.contains('chain')) {{ return e }}
              const inner = e.shadowRoot ? walk(e.shadowRoot) : null
              if (inner) {{ return inner }}
            }}
            return null
          }}
          const found = /cycle=(\\d+)/.exec(walk(document)?.dataset.query ?? '')
          const k = found ? Number(found[1]) : 22
          return {condition}
        }}"""
    )


def test_it_plays_pauses_and_steps_by_button_and_keyboard(visit: Any) -> None:
    visitor = visit(SHORT)
    part(visitor, "speed").select_option("16")
    visitor.page.get_by_role("button", name="Play").click()
    drawn(visitor, "k > 8")
    visitor.page.get_by_role("button", name="Pause").click()
    visitor.page.get_by_role("button", name="Play").wait_for()
    shown = int(part(visitor, "cycle").input_value())
    visitor.page.get_by_role("button", name="One cycle back").click()
    drawn(visitor, f"k === {shown - 1}")
    bar = visitor.page.get_by_role("group", name="Timeline")
    bar.focus()
    visitor.page.keyboard.press("ArrowRight")
    drawn(visitor, f"k === {shown}")
    visitor.page.keyboard.press("Space")
    drawn(visitor, f"k > {shown + 1}")
    visitor.page.keyboard.press("Space")
    visitor.page.get_by_role("button", name="Play").wait_for()
    expect(part(visitor, "k")).to_have_value(part(visitor, "cycle").input_value())


def test_the_slider_has_the_cycles_of_this_mission_and_no_more(visit: Any) -> None:
    visitor = visit(SHORT)
    assert part(visitor, "cycle").get_attribute("max") == "39"
    part(visitor, "cycle").focus()
    visitor.page.keyboard.press("End")
    drawn(visitor, "k === 39")
    visitor.page.get_by_text("of 39, 9.75 s").wait_for()
    part(visitor, "k").fill("40")
    part(visitor, "k").press("Enter")
    visitor.page.get_by_text("There is no cycle 40: the mission has the cycles 0 to 39.").wait_for()
    expect(part(visitor, "k")).to_have_value("39")


def test_dragging_back_shows_every_place_on_the_way_from_the_record(visit: Any) -> None:
    visitor = visit(SHORT + "&focus=2")
    part(visitor, "cycle").focus()
    visitor.page.keyboard.press("End")
    drawn(visitor, "k === 39")
    last = visitor.raw("SNR")
    visitor.page.evaluate("window.seen = new Set()")
    box = part(visitor, "cycle").bounding_box()
    at = box["y"] + box["height"] / 2
    visitor.page.mouse.move(box["x"] + box["width"] - 9, at)
    visitor.page.mouse.down()
    visitor.page.mouse.move(box["x"] + 9, at, steps=30)
    visitor.page.mouse.up()
    visitor.page.wait_for_url(lambda url: "cycle=0" in url)
    drawn(visitor, "k === 0")
    assert visitor.raw("SNR") != last


def test_every_press_of_a_key_counts_while_older_moves_are_still_being_answered(visit: Any) -> None:
    """An answer to an older move moved the range back between two presses; one cycle in a few was lost."""
    visitor = visit(SHORT.replace("cycle=5", "cycle=39") + "&focus=2")
    part(visitor, "cycle").focus()
    for pause_ms in (20, 45, 70, 95):
        for _ in range(8):
            visitor.page.keyboard.press("ArrowLeft")
            visitor.page.wait_for_timeout(pause_ms)
    drawn(visitor, "k === 7")
    expect(part(visitor, "cycle")).to_have_value("7")


def test_a_change_while_playing_is_marked_and_the_link_restores_the_picture(visit: Any) -> None:
    first = visit(SHORT + "&focus=2")
    part(first, "speed").select_option("4")
    first.page.get_by_role("button", name="Play").click()
    drawn(first, "k > 6")
    first.press("slots", "ArrowLeft", 20)
    first.page.locator('[data-mark][title$="S 40"]').first.wait_for()
    drawn(first, "k > 10")
    first.page.get_by_role("button", name="Pause").click()
    first.page.get_by_role("button", name="Play").wait_for()
    first.press("beta", "ArrowRight", 3)  # and a what if on top
    first.settled("beta")
    first.page.get_by_text("what if: β 0.065 at this cycle only").wait_for()
    marked = first.page.locator("[data-mark]").last.get_attribute("title")
    assert marked.endswith("S 40")
    second = visit(first.page.url.removeprefix(f"{first.root}/app"))
    assert second.page.locator("[data-mark]").last.get_attribute("title") == marked
    for name in ("cycle", "k", "focus", "policy", "seed"):
        expect(part(second, name)).to_have_value(part(first, name).input_value())
    for name in ("SNR", "ρ_ul", "g", "Φ"):
        assert second.raw(name) == first.raw(name)
    expect(second.page.locator(".chain .say")).to_have_text(first.page.locator(".chain .say").inner_text())


def test_a_uav_beyond_the_swarm_is_refused_in_words_and_the_box_goes_back(visit: Any) -> None:
    visitor = visit(SHORT + "&focus=2")
    part(visitor, "focus").fill("200")
    part(visitor, "focus").press("Enter")
    visitor.page.get_by_text("There is no UAV 200: the swarm has 12, choose one from 1 to 12").wait_for()
    expect(part(visitor, "focus")).to_have_value("2")
    assert visitor.link("UAV") == "2"


def test_another_policy_keeps_cycle_and_uav(visit: Any) -> None:
    visitor = visit(SHORT.replace("cycle=5", "cycle=20") + "&focus=2")
    before = visitor.raw("SNR")
    part(visitor, "policy").select_option("Fixed-Service")
    visitor.page.wait_for_url("**policy=Fixed-Service*")
    visitor.page.locator(f'.chain [data-link="SNR"]:not([data-raw="{before}"])').wait_for()
    assert (cycle(visitor), visitor.link("UAV")) == (20, "2")


def test_flying_again_takes_the_sliders_along(visit: Any) -> None:
    visitor = visit(SHORT + "&focus=2")
    again = part(visitor, "again")
    assert again.is_disabled() is False  # S differs from the default with which it took off
    again.click()
    visitor.page.wait_for_url("**flown=slots:60*")
    visitor.page.get_by_text("as flown", exact=True).first.wait_for()
    visitor.page.wait_for_function("(b) => b.disabled", arg=again.element_handle())
