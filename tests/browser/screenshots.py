"""One picture per tab in light and dark at 1280 × 800, two of them also for a projector: docs/screenshots."""

from __future__ import annotations

from harness import PATIENCE_S, ROOT, Server, Visitor, running_app, running_browser
from playwright.sync_api import Browser, Page

FOLDER = ROOT / "docs" / "screenshots"
TABS = ("safety-boundary", "certified-frontier", "allocation", "closed-loop", "claims", "what-if", "reproduction")
PROJECTOR = ("safety-boundary", "closed-loop")


def main() -> None:
    """Take every picture."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with running_app() as server, running_browser() as browser:
        for dark in (False, True):
            for index, name in enumerate(TABS):
                sizes = [(1280, 800)] + ([(1920, 1080)] if name in PROJECTOR and not dark else [])
                for width, height in sizes:
                    mark = ("-dark" if dark else "") + (f"-{width}" if width != 1280 else "")
                    take(browser, server, index, width, height, dark, f"{name}{mark}.png")


def take(browser: Browser, server: Server, index: int, width: int, height: int, dark: bool, file: str) -> None:
    """Open one tab in a fresh page, let it come to rest, and save what is seen."""
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    try:
        visitor = Visitor.at(page, server, f"?tab={index}" if index else "")
        if dark:
            page.get_by_label("Toggle theme").click()
            page.mouse.move(width / 2, height - 5)
        _come_to_rest(visitor, TABS[index])
        page.screenshot(path=FOLDER / file)
        print(file)
    finally:
        context.close()


def _come_to_rest(visitor: Visitor, name: str) -> None:
    page: Page = visitor.page
    if name == "allocation":
        page.get_by_text("regret").first.wait_for(timeout=PATIENCE_S * 1000)
    if name == "closed-loop":
        page.get_by_role("button", name="Start", exact=True).click()
        visitor.until("find('live.series').data['t'].length >= 40")
        page.get_by_role("button", name="Pause", exact=True).click()
        page.get_by_role("button", name="Start", exact=True).wait_for()
    page.wait_for_timeout(1500)  # animations of the theme; nothing is asserted here


if __name__ == "__main__":
    main()
