"""One picture per tab in light and dark at 1280 × 800, two of them also for a projector, and each step of the tour: docs/screenshots."""

from __future__ import annotations

from harness import PATIENCE_S, ROOT, Server, Visitor, running_app, running_browser
from playwright.sync_api import Browser, Page

from app.page import SCENERY
from app.touring.catalogue import tour

FOLDER = ROOT / "docs" / "screenshots"
TABS = {
    "safety-boundary": "boundary",
    "certified-frontier": "frontier",
    "allocation": "allocation",
    "flight": "flight",
    "solve-for": "solve",
    "claims": "claims",
    "what-if": "whatif",
    "reproduction": "reproduction",
}
"""File → name of the tab in a link."""
WHERE = {"flight": "&cycle=60", "solve-for": "&cycle=60&focus=17"}
"""Where something is to be seen: the middle of the mission."""
PROJECTOR = ("safety-boundary", "flight")


def main() -> None:
    """Take every picture."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with running_app() as server, running_browser() as browser:
        for dark in (False, True):
            for name in TABS:
                sizes = [(1280, 800)] + ([(1920, 1080)] if name in PROJECTOR and not dark else [])
                for width, height in sizes:
                    mark = ("-dark" if dark else "") + (f"-{width}" if width != 1280 else "")
                    take(browser, server, name, width, height, dark, f"{name}{mark}.png")
        play(browser, server)


def play(browser: Browser, server: Server) -> None:
    """Go through the shipped tour with the arrow keys and save every step as a projector shows it."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    Visitor.at(page, server, "?tour=paper")
    for number in range(1, len(tour("paper", SCENERY).steps) + 1):
        page.wait_for_selector(f'.presenter[data-step="{number}"]')
        page.locator(".presenter .say").filter(has_not_text="…").wait_for()
        page.wait_for_timeout(1500)  # the picture follows its sentence; nothing is asserted here
        page.screenshot(path=FOLDER / f"tour-{number}.png")
        print(f"tour-{number}.png")
        page.keyboard.press("ArrowRight")
    page.close()


def take(browser: Browser, server: Server, name: str, width: int, height: int, dark: bool, file: str) -> None:
    """Open one tab in a fresh page, let it come to rest, and save what is seen."""
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    try:
        visitor = Visitor.at(
            page, server, f"?tab={TABS[name]}{WHERE.get(name, '')}" if name != "safety-boundary" else ""
        )
        if dark:
            page.get_by_label("Toggle theme").click()
            page.mouse.move(width / 2, height - 5)
        _come_to_rest(visitor, name)
        page.screenshot(path=FOLDER / file)
        print(file)
    finally:
        context.close()


def _come_to_rest(visitor: Visitor, name: str) -> None:
    page: Page = visitor.page
    if name == "allocation":
        page.get_by_text("regret").first.wait_for(timeout=PATIENCE_S * 1000)
    if name == "flight":
        page.wait_for_selector('canvas.view[data-resting="true"]')
        visitor.until("find('flight.modes').data['policy'].length === 5")
    if name == "solve-for":
        visitor.until("find('solve.curves')?.data['x'].length > 0")
    page.wait_for_timeout(1500)  # animations of the theme; nothing is asserted here


if __name__ == "__main__":
    main()
