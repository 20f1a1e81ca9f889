"""The tour as a teacher plays it: arrow keys and a remote through all eight steps, a picture of each kept; help beside it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from harness import Server, Visitor
from playwright.sync_api import Browser, Page

from app.page import SCENERY
from app.stage import state_of
from app.touring.catalogue import tour

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]

STORY = tour("paper", SCENERY).steps
DRAWN = {
    "plane": "find('plane')",
    "ways": "find('ways')",
    "certificate": "find('certificate')",
    "actions": "find('frontier.actions')",
    "prediction": "find('prediction.ahead')",
    "frame": "find('allocation.frame')",
}
"""What each part draws: the plot itself where it has a name, else a source of it."""
SIZE = """
(name) => {
  const holds = (view) => view.model.name === name || view.model.renderers?.some?.((r) => r.data_source?.name === name)
  const [found] = [...Bokeh.index.query((view) => view.model.type === "Figure" && holds(view))]
  if (!found) { return null }
  const {width, height, bottom} = found.el.getBoundingClientRect()
  return [width, height, bottom]
}
"""


def at_step(visitor: Visitor, number: int) -> None:
    visitor.page.wait_for_selector(f'.presenter[data-step="{number}"]')
    visitor.page.wait_for_function(
        "() => { const says = (root) => { for (const n of root.querySelectorAll('*')) { if (n.className === 'say' && n.closest('.presenter')) { return n.textContent } "
        "if (n.shadowRoot) { const t = says(n.shadowRoot); if (t) { return t } } } return '' }; const t = says(document); return t && !t.includes('…') && !t.includes('{') }"
    )


def settle(visitor: Visitor, number: int) -> None:
    """The picture belongs to the step: state, tab, part."""
    step = STORY[number - 1]
    at_step(visitor, number)
    visitor.page.wait_for_url(re.compile(rf"\?tour=paper&step={number}$"))
    if step.show in DRAWN:
        name = DRAWN[step.show].split("'")[1]
        visitor.page.wait_for_function(
            f"(name) => {{ const s = ({SIZE})(name); return s && s[0] > 500 && s[1] > 150 }}", arg=name
        )
    elif step.show == "race":
        visitor.page.wait_for_selector('canvas.view[data-resting="true"]')
    else:
        visitor.page.locator(".glance .claim").first.wait_for()


def hidden(page: Page) -> bool:
    """Whether everything that is no part of a step has stepped aside."""
    aside = [
        page.locator(selector).first
        for selector in (".header", '[role="tab"]', ".chain .value", 'input[data-control="H_T"]')
    ]
    return not any(part.is_visible() for part in aside)


def test_all_eight_steps_are_played_with_the_keyboard(visit: Any, tmp_path: Path) -> None:
    visitor = visit("?tour=paper")
    page = visitor.page
    said = []
    for number in range(1, len(STORY) + 1):
        settle(visitor, number)
        assert hidden(page)
        said.append(page.locator(".presenter .say").inner_text())
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        page.screenshot(path=tmp_path / f"step-{number}.png")
        page.keyboard.press("ArrowRight" if number % 2 else "PageDown")
    assert len(set(said)) == len(STORY)
    assert len(list(tmp_path.glob("step-*.png"))) == len(STORY)
    page.keyboard.press("PageUp")
    settle(visitor, len(STORY) - 1)


def test_the_control_answers_reset_goes_back_and_escape_keeps_what_is_shown(visit: Any) -> None:
    visitor = visit()
    page = visitor.page
    page.get_by_role("button", name="Tour", exact=True).click()
    settle(visitor, 1)
    say = page.locator(".presenter .say")
    first = say.inner_text()
    assert "refused" in first
    slider = page.locator('.one input[data-control="snr_offset_db"], input[data-control="snr_offset_db"]').last
    box = slider.bounding_box()
    page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + box["height"] / 2)
    page.wait_for_url(re.compile("snr_offset_db="))
    page.get_by_text("so it is admitted").wait_for()
    page.get_by_role("button", name="Reset this step").click()
    page.get_by_text("so it is refused").wait_for()
    assert say.inner_text() == first
    page.keyboard.press("ArrowRight")  # a slider moved by mouse does not keep the arrow keys
    settle(visitor, 2)
    page.keyboard.press("Escape")
    page.locator(".chain .value").first.wait_for(state="visible")
    assert page.locator(".header").first.is_visible()
    assert "tour=" not in page.url
    state = state_of(STORY[1])
    assert f"focus={state.focus}" in page.url
    assert f"action={state.action}" in page.url


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (820, 1180)])
def test_a_step_fits_the_screen(server: Server, browser: Browser, size: tuple[int, int]) -> None:
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    visitor = Visitor.at(page, server, "?tour=paper&step=2")
    settle(visitor, 2)
    width, height, bottom = page.evaluate(f"({SIZE})('ways')")
    assert bottom <= size[1]
    assert height > 0.35 * size[1]
    assert width > 0.85 * size[0]
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]
    page.close()


def test_help_is_read_on_the_page_and_decisions_are_links(visit: Any) -> None:
    visitor = visit()
    page = visitor.page
    visitor.pick("Help", "User guide")
    page.locator('article[data-sheet="GUIDE.md"] h1').wait_for()
    page.locator("article").get_by_role("link", name="Allocation", exact=True).first.click()
    page.locator("article #allocation.found").wait_for()
    page.locator("article").get_by_role("link", name="decisions").first.click()
    page.locator('article[data-sheet="DECISIONS.md"]').wait_for()
    page.keyboard.press("Escape")
    page.locator("dialog.help").wait_for(state="hidden")
    page.locator('a[data-doc="DECISIONS.md#d11"]').locator("visible=true").first.click()
    page.locator("article #d11.found").wait_for()
    assert page.locator("article #d11").inner_text().startswith("D11")
    page.keyboard.press("Escape")
    page.locator("dialog.help").wait_for(state="hidden")


def test_a_tour_of_ones_own_is_shown_and_a_broken_one_refused_with_its_line(visit: Any, tmp_path: Path) -> None:
    visitor = visit()
    page, path = visitor.page, tmp_path / "mine.yaml"
    path.write_text('title: Mine\nauthor: Me\nsteps:\n  - title: One\n    say: "{nothing}"\n    link: "?slots=80"\n')
    page.locator('input[data-menu="load_tour"]').set_input_files(path)
    page.get_by_text("mine.yaml, line 5").first.wait_for()
    path.write_text(
        'title: Mine\nauthor: Me\nsteps:\n  - title: <b>One</b>\n    say: "{served} of {uavs}"\n    link: "?slots=80"\n'
    )
    page.locator('input[data-menu="load_tour"]').set_input_files(path)
    page.locator(".presenter .say").get_by_text(" of 50").wait_for()
    assert "<b>One</b>" in page.locator(".presenter .title").inner_text()
