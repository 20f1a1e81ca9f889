"""Messages in the notification area."""

import re
from pathlib import Path

import panel as pn

from app.panel_fixes.notification_text import harmless

(NOTYF,) = (Path(pn.__file__).parent / "dist" / "bundled" / "notificationarea").rglob("notyf.min.js")


def test_panel_alone_takes_a_message_for_html() -> None:
    script = NOTYF.read_text(encoding="utf-8")
    assert re.search(r"\.innerHTML=\w+\.message\b", script), (
        "Messages are put in as text: this repair can go (app.panel_fixes.notification_text)"
    )


def test_with_the_repair_there_is_no_markup_and_an_end() -> None:
    assert harmless("<img src=x>") == "‹img src=x›"
    assert harmless("a" * 500) == "a" * 400 + "…"
