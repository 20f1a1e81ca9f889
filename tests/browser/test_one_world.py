"""One world, as a visitor walks through it: two policies fly, one corner, one UAV, why on each tab, back in time, what if, the link."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flight_page import drawn, flights, scene
from harness import Visitor

from core.instant import Instant

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]

START = "?tab=flight&cycle=20&policies=SAFE,VoI-Sched"


def said(visitor: Visitor) -> str:
    return visitor.page.locator(".chain .say").inner_text()


def here(visitor: Visitor, cycle: int) -> Instant:
    """The cycle shown, computed without the page."""
    return flights(visitor)["SAFE"].instant(cycle)


def test_fly_pause_click_ask_why_go_back_ask_what_if_and_share(visit: Any) -> None:
    visitor: Visitor = visit(START)
    page = visitor.page
    drawn(visitor, 20)
    page.locator('[data-timeline="speed"]').select_option("16")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("() => Number(document.location.search.match(/cycle=(\\d+)/)?.[1]) >= 26")
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_role("button", name="Play", exact=True).wait_for()
    k = int(page.locator('input[data-timeline="cycle"]').input_value())
    drawn(visitor, k)

    # a UAV that SAFE serves and VoI-Sched would not, at this very instant
    now = here(visitor, k)
    safe, voi = now.other_policies(["SAFE", "VoI-Sched"])
    shown = int(page.locator("canvas.view").get_attribute("data-focus") or 0)
    uav = 1 + next(int(i) for i in np.flatnonzero(safe.served & ~voi.served) if i + 1 != shown)
    page.mouse.click(*scene(visitor, "scene.where(arg)", uav))
    page.wait_for_url(f"**focus={uav}&**")
    page.locator('.chain [data-link="UAV"] .value').get_by_text(str(uav), exact=True).wait_for()
    focus = now.on(uav - 1)
    assert said(visitor) == focus.sentence

    # why, on each tab
    visitor.open_tab("Safety boundary")
    visitor.until("find('boundary.map')?.data['image'].length > 0")
    visitor.open_tab("Certified frontier")
    page.get_by_text(str(focus.why)).first.wait_for()
    visitor.open_tab("Allocation")
    visitor.until(
        "Bokeh.documents.some((d) => [...d._all_models.values()].some((m) => m.type === 'Title' && m.text.includes(arg)))",
        f"UAV {uav} is served by SAFE",
    )

    # five cycles back: the same flight, the same UAV
    page.locator('input[data-timeline="cycle"]').focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    page.wait_for_url(f"**cycle={k - 5}&**")
    earlier = here(visitor, k - 5).on(uav - 1)
    page.locator(".chain .say").get_by_text(earlier.sentence, exact=True).wait_for()

    # β with the action held: its own numbers move, and the picture before the move stays, faint
    visitor.open_tab("Safety boundary")
    held = earlier.held
    assert held is not None
    visitor.press("beta", "ArrowRight", 10)
    visitor.settled("beta")
    moved = earlier.instant.replace(
        scenario=earlier.instant.scenario.replace(**{"twin.beta": float(visitor.value("beta"))})
    )
    after = moved.on(uav - 1, held.key)
    assert after.held is not None
    assert after.held.rho_ul >= held.rho_ul
    assert visitor.raw("ρ_ul") == after.held.rho_ul
    assert said(visitor) == after.sentence
    page.get_by_text("Φ = 0 before β").first.wait_for()

    # the link, opened elsewhere, is the same picture
    second: Visitor = visit(page.url.removeprefix(f"{visitor.root}/app"))
    assert said(second) == said(visitor)
    for name in ("UAV", "SNR", "ρ_ul", "g", "Φ"):
        assert second.link(name) == visitor.link(name)
    for name in ("map", "line"):
        column = "image" if name == "map" else "y"
        second.until(f"find('boundary.{name}')?.data['{column}'].length > 0")
    assert (visitor.errors, visitor.outside) == ([], [])
