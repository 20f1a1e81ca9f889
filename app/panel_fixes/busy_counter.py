"""A repair of Panel 1.9: nobody keeps a count that nobody looks at.

For every message of a browser Panel writes down that it is busy and that it is not any more, through parameters of its global
state whose watchers run each time: 0.7 ms of every move of a slider. This page shows no busy indicator; it says itself what it
is doing (app/jobs).
"""

from __future__ import annotations

import functools
from typing import Any

from panel.io.state import _state


@functools.cache
def stop_counting() -> None:
    """From now on, Panel's own busy flag stays as it is. Once per process."""

    def pass_by(self: Any, event_id: str) -> None:
        return None

    _state._add_busy_event = _state._remove_busy_event = pass_by
