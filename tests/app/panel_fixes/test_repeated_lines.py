"""The log under a flood: every kind of fault once in full, the rest as a count, and nothing that is long."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import bokeh.server.protocol_handler
import pytest

from app.panel_fixes.repeated_lines import FREE, MINUTE_S, MOST_KINDS, FirstOfItsKind
from app.state import State


class Log:
    """A logger of its own, with a clock that is set by hand."""

    def __init__(self) -> None:
        self.text, self.now = io.StringIO(), 0.0
        self.logger = logging.getLogger("app")
        self.handler = logging.StreamHandler(self.text)
        self.handler.addFilter(FirstOfItsKind(lambda: self.now))
        self.logger.addHandler(self.handler)

    @property
    def lines(self) -> list[str]:
        return self.text.getvalue().splitlines()

    def fail(self, step: Callable[[], object], words: str = "it failed") -> None:
        try:
            step()
        except Exception:
            self.logger.exception(words)


@pytest.fixture
def log() -> Iterator[Log]:
    found = Log()
    yield found
    found.logger.removeHandler(found.handler)


def test_bokeh_alone_logs_every_message_whole_and_with_a_traceback() -> None:
    text = Path(bokeh.server.protocol_handler.__file__).read_text(encoding="utf-8")
    assert "message, e, exc_info=True" in text, (
        "Bokeh no longer logs a traceback for each message: this repair can go (app.panel_fixes.repeated_lines)"
    )


def test_the_first_of_a_kind_is_logged_in_full_and_the_rest_is_counted(log: Log) -> None:
    for i in range(1000):
        log.fail(lambda i=i: State().take(i))
    assert sum("Traceback" in line for line in log.lines) == 1
    assert log.lines[-1].startswith("AttributeError")
    shown = len(log.lines)
    log.now = MINUTE_S
    log.fail(lambda: State().take(7))
    counted, again = log.lines[shown:]
    assert counted == "999 more like this within a minute: it failed"
    assert again.startswith("it failed (AttributeError: ")


def test_other_faults_are_other_kinds(log: Log) -> None:
    log.fail(lambda: [][1])
    log.fail(lambda: {}[1])
    log.fail(lambda: [][1], "something else failed")
    assert sum("Traceback" in line for line in log.lines) == 3


def test_a_fault_that_lies_in_what_a_client_sent_is_one_line_and_ours_is_not(log: Log) -> None:
    log.fail(lambda: json.loads("{"), "a message was refused")
    assert len(log.lines) == 1
    assert log.lines[0].startswith("a message was refused (JSONDecodeError: ")
    log.fail(lambda: State().param.update(beta=99), "a callback failed")  # as Panel does with what a widget sent
    assert len(log.lines) == 2
    log.fail(lambda: State().take(3), "a callback failed")
    assert "Traceback" in "".join(log.lines[2:])


def test_warnings_that_differ_by_a_name_are_one_kind(log: Log) -> None:
    for i in range(50):
        log.logger.warning("%s", f"reference already known 'p{i}'")  # as `logging.captureWarnings` does
    assert log.lines == ["reference already known 'p0'"]


def test_the_log_is_short_whatever_was_sent(log: Log) -> None:
    log.logger.error("refused: %r", "x" * 3_000_000)
    log.fail(lambda: (_ for _ in ()).throw(RuntimeError("y" * 3_000_000)))
    assert len(log.text.getvalue()) < 15_000


def test_information_is_told_until_it_is_a_flood_and_kinds_are_forgotten(log: Log) -> None:
    log.logger.setLevel(logging.INFO)
    for _ in range(500):
        log.logger.info("opened")
    assert len(log.lines) == FREE[logging.INFO]
    for i in range(2 * MOST_KINDS):
        log.logger.warning(f"kind {'abcdefghij'[i % 10]}{'k' * (i // 10)}")
    (found,) = (f for f in log.handler.filters if isinstance(f, FirstOfItsKind))
    assert len(found._seen) <= MOST_KINDS
