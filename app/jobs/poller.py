"""Looking again and again how far something is that runs beside the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import panel as pn


class Poller:
    """Calls `look` in the page's own turn, every so often, between `start` and `stop`.

    Args:
        look: what to call.
        period_ms: pause between two calls [ms].
        served: whether there is a browser to show it in; tests and notebooks call `look` themselves.
    """

    def __init__(self, look: Callable[[], Awaitable[None] | None], period_ms: int, *, served: bool) -> None:
        self._look, self._period_ms, self._served = look, period_ms, served
        self._callback: Any = None

    def start(self) -> None:
        """Begin, unless it has begun."""
        if self._served and self._callback is None:
            self._callback = pn.state.add_periodic_callback(self._look, period=self._period_ms)

    def stop(self) -> None:
        """End; it can begin again."""
        if self._callback is not None:
            self._callback.stop()
            self._callback = None
