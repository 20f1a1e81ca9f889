"""The flight tab in a real browser: play, pause, a click in the scene, back in time, the frame slot by slot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flight_page import drawn, flights, scene
from harness import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]

QUERY = "?tab=flight&uavs=8&slots=40&duration_s=12&cycle=10&policies=SAFE,VoI-Sched"


def flown(visitor: Visitor, policy: str) -> np.ndarray:
    """The RMSE that the browser draws of a policy, cycles flown so far."""
    found = np.array([np.nan if x is None else float(x) for x in visitor.column("flight.series", policy)])
    return found[np.isfinite(found)]


def test_two_policies_fly_a_click_focuses_and_five_cycles_back_are_the_same_flight(visit: Any) -> None:
    visitor: Visitor = visit(QUERY)
    page = visitor.page
    drawn(visitor, 10)
    box = page.locator("canvas.view").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20 + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 60, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    turned = scene(visitor, "scene.camera()")
    assert turned[0] != pytest.approx(-0.5)

    page.get_by_role("button", name="Play", exact=True).click()
    visitor.page.wait_for_function("() => Number(document.location.search.match(/cycle=(\\d+)/)?.[1]) >= 16")
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_role("button", name="Play", exact=True).wait_for()
    k = int(page.locator('input[data-timeline="cycle"]').input_value())
    drawn(visitor, k)
    visitor.until("find('flight.modes').data['policy'].length === 2")
    mine = flights(visitor)
    assert [s.start for s in mine["SAFE"].segments] == [0, 10], (
        "40 slots are part of the flight from where it was played"
    )
    for policy, flight in mine.items():
        shown = flown(visitor, policy)
        assert len(shown) > k
        np.testing.assert_array_equal(shown, flight.history().rmse[: len(shown)])
    assert scene(visitor, "scene.camera()") == turned, "the camera moved while the flight was played"

    safe, voi = (flight.history().served[k] for flight in mine.values())
    now = int(page.locator("canvas.view").get_attribute("data-focus") or 0)
    uav = next(i for i in [*np.flatnonzero(safe & ~voi), *np.flatnonzero(safe), 0, 1] if i + 1 != now) + 1
    page.mouse.click(*scene(visitor, "scene.where(arg)", int(uav)))
    page.wait_for_selector(f'canvas.view[data-focus="{uav}"]')
    page.wait_for_url(f"**focus={uav}&**")
    page.locator('.chain [data-link="UAV"] .value').get_by_text(str(uav), exact=True).wait_for()

    page.locator('input[data-timeline="cycle"]').focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    drawn(visitor, k - 5)
    page.wait_for_url(f"**cycle={k - 5}&**")
    assert page.locator("canvas.view").get_attribute("data-focus") == str(uav)
    visitor.until(
        "find('flight.rmse').data['policy'].length === 3 && find('flight.rmse').data['xs'][0].length === arg",
        k - 4 - 10,
    )
    rmse = visitor.page.evaluate(
        "() => { for (const d of Bokeh.documents) { for (const m of d._all_models.values()) { if (m.name === 'flight.rmse') { return Array.from(m.data['xs'][0]) } } } }"
    )
    np.testing.assert_array_equal(rmse, np.sort(mine["SAFE"].history().rmse[10 : k - 4]))


def test_the_frame_is_played_slot_by_slot_as_it_was_sent(visit: Any) -> None:
    visitor: Visitor = visit(QUERY)
    drawn(visitor, 10)
    frame = flights(visitor)["SAFE"].frame(10)
    slider = visitor.page.get_by_role("slider", name="Slot of the frame")
    slider.focus()
    slider.press("Home")
    lit = []
    for _ in range(frame.slots):
        lit.append(scene(visitor, "scene.lit()"))
        slider.press("ArrowRight")
    assert lit == [np.flatnonzero(frame.during(slot)).tolist() for slot in range(frame.slots)]
    assert sum(map(len, lit)) > 0
    visitor.page.get_by_text("The frame is over.").wait_for()
    visitor.page.get_by_role("button", name="▶ Slots").click()
    visitor.page.get_by_role("button", name="Pause", exact=True).wait_for()
    visitor.page.get_by_text("The frame is over.").wait_for()  # it came to the end by itself
    visitor.page.get_by_role("button", name="▶ Slots").wait_for()
    visitor.page.get_by_role("button", name="One cycle forward").click()
    drawn(visitor, 11)
    assert scene(visitor, "scene.lit()") == []


def test_a_click_on_the_time_series_goes_to_that_cycle(visit: Any) -> None:
    visitor: Visitor = visit(QUERY)
    drawn(visitor, 10)
    last = flights(visitor)["SAFE"].cycles - 1
    inner = visitor.page.evaluate(
        """() => {
          const views = (v) => [v, ...(v.child_views ?? []).flatMap(views)]
          for (const root of Object.values(Bokeh.index)) {
            for (const view of views(root)) {
              if (view.model.css_classes?.includes?.("series")) {
                const box = view.el.getBoundingClientRect(), f = view.frame.bbox
                return [box.left + f.left, box.left + f.right, box.top + f.top + f.height / 2]
              }
            }
          }
          return null
        }"""
    )
    assert inner is not None
    left, right, y = inner
    visitor.page.mouse.click(left + (right - left) * 30 / last, y)
    drawn(visitor, 30)
    visitor.page.wait_for_url("**cycle=30&**")
