"""A repair of Panel 1.9: what `js_on_click` registered goes with its page.

Panel keeps such scripts in a global table whose keys are weak, but once a button was drawn its script reaches the button
itself: neither is ever freed, and each holds models of a closed page.
"""

from __future__ import annotations

from panel.links import Callback
from panel.reactive import Reactive


def forget_click_scripts(*buttons: Reactive) -> None:
    """Take the buttons' scripts out of the table; called when their page closes."""
    for button in buttons:
        Callback.registry.pop(button, None)
