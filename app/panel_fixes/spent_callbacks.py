"""A repair of Bokeh 3.9: what a callback holds is free once it has run.

Bokeh ties every callback that runs once into a ring with the objects that run it. Only a full garbage collection finds such
rings, and it comes seldom: forty pictures of past moves and more lay about, and memory grew by the holes that they left.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from bokeh.document.callbacks import DocumentCallbackManager


def once(callback: Callable[[], Any]) -> Callable[[], Any]:
    """The callback, which is let go as it is called."""
    held = [callback]

    def run() -> Any:
        return held.pop()()

    if getattr(callback, "nolock", False):  # what Bokeh looks for
        setattr(run, "nolock", True)  # noqa: B010 (functions have no such attribute, says mypy)
    return run


@functools.cache
def free_spent_callbacks() -> None:
    """Let every callback that runs once be free after it. Once per process."""
    add = DocumentCallbackManager.add_session_callback

    @functools.wraps(add)
    def add_session_callback(self: DocumentCallbackManager, callback_obj: Any, callback: Any, one_shot: bool) -> Any:
        return add(self, callback_obj, once(callback) if one_shot else callback, one_shot)

    setattr(DocumentCallbackManager, "add_session_callback", add_session_callback)  # noqa: B010 (mypy: a method is not to be assigned)
