"""A repair of panel-material-ui 0.16: a page that is closed leaves memory.

Every `Page` watches Panel's global busy flag and nothing ever ends that watch, so that every page ever opened stays in memory.
This page shows no busy indicator and can do without.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import panel as pn


@contextmanager
def without_busy_watcher() -> Iterator[None]:
    """What is made inside does not go on watching the global busy flag."""
    before = _watchers()
    yield
    for watcher in _watchers():
        if not any(watcher is old for old in before):
            pn.state.param.unwatch(watcher)


def _watchers() -> list[Any]:
    return list(pn.state.param.watchers.get("busy", {}).get("value", []))
