"""Panel's wait before it takes a change from the browser."""

from panel.custom import JSComponent

from app.components.controls import Controls
from app.panel_fixes.debounce import AT_ONCE_MS


def test_panel_alone_waits() -> None:
    assert JSComponent._debounce > 10 * AT_ONCE_MS, (
        "Panel takes changes at once: this repair can go (app.panel_fixes.debounce)"
    )


def test_the_controls_do_not() -> None:
    assert Controls._debounce == AT_ONCE_MS
