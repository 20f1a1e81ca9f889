"""Panel's count of what it is busy with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import pytest
from panel.io.state import _state

from app.panel_fixes.busy_counter import stop_counting

ADD, REMOVE = _state._add_busy_event, _state._remove_busy_event


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What is written down while a message is handled."""
    monkeypatch.setattr(_state, "_add_busy_event", ADD)
    monkeypatch.setattr(_state, "_remove_busy_event", REMOVE)
    monkeypatch.setattr(_state, "_schedule_busy_cleanup", lambda self: None)
    found: list[Any] = []
    watcher = pn.state.param.watch(lambda event: found.append(event.new), "_busy_counter")
    yield found
    pn.state.param.unwatch(watcher)


def handle_a_message(of: Callable[[str], Any]) -> None:
    pn.widgets.TextInput()._process_events({"value": of("move")})


def test_panel_alone_counts_every_message(changes: list[Any]) -> None:
    handle_a_message(str)
    assert len(changes) >= 2, "Panel does not count messages: this repair can go (app.panel_fixes.busy_counter)"


def test_with_the_repair_nothing_is_written_down_and_the_message_is_handled(changes: list[Any]) -> None:
    stop_counting.__wrapped__()
    widget = pn.widgets.TextInput()
    widget._process_events({"value": "move"})
    assert widget.value == "move"
    assert changes == []
    assert not pn.state.busy
