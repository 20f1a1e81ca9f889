"""A repair of Bokeh 3.9: whoever sends nonsense fills no disk with the log of it.

Bokeh logs each message that it cannot handle, whole, with a traceback: 660 of them made 26,600 lines. Here every kind of message
is logged in full when it is new, traceback and all; whatever of its kind follows within a minute is counted, and the count is
one line. Different faults are different kinds: what is logged where, and of an exception its type and the line that raised it.
A fault that lies in what a client sent needs no traceback: it was found where messages and values are checked, before any code of
this project had a part in it.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from traceback import walk_tb

log = logging.getLogger("app")

MINUTE_S = 60.0
FREE = {logging.INFO: 30}
"""How many of a kind a minute may have, by level: opening and closing a page is told; of what is worse, the first."""
MOST_KINDS = 500
"""Kinds that are remembered; the one not met for longest is forgotten."""
MOST_CHARACTERS = 4_000
"""Of one message; a client may have sent megabytes."""
NAMED = 100
CHECKS = ("bokeh.", "json.", "param.", "app.panel_fixes.bad_messages.")
"""Modules that check what a client sends."""
TRANSLATIONS = ("_process_property_change", "_process_event", "_handle_msg")
"""Where Panel makes a value or an event of a widget out of what a client sent."""
OURS = ("app.", "core.")


@dataclass
class Seen:
    """How often a kind was met since a moment, how often of that it was left out of the log, and how it reads."""

    since: float
    words: str
    met: int = 0
    left_out: int = 0


class FirstOfItsKind(logging.Filter):
    """Lets the first of a kind through, and of the rest a count per minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._seen: OrderedDict[Hashable, Seen] = OrderedDict()
        self._lock = threading.RLock()  # a count is logged through the same handler

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is logged; it may leave as a shorter one."""
        if getattr(record, "is_count", False):
            return True
        with self._lock:
            key, now = kind(record), self._clock()
            self._tell(now)
            known = key in self._seen
            seen = self._seen.pop(key) if known else Seen(now, _start(record))
            self._seen[key] = seen
            if len(self._seen) > MOST_KINDS:
                self._seen.popitem(last=False)
            if now - seen.since >= MINUTE_S:
                seen.since, seen.met = now, 0
            seen.met += 1
            if seen.met > FREE.get(record.levelno, 1):
                seen.left_out += 1
                return False
        _shorten(record, traceback=not known)
        return True

    def _tell(self, now: float) -> None:
        for seen in [s for s in self._seen.values() if s.left_out and now - s.since >= MINUTE_S]:
            count, seen.left_out = seen.left_out, 0
            log.warning("%d more like this within a minute: %s", count, seen.words, extra={"is_count": True})


def kind(record: logging.LogRecord) -> Hashable:
    """What makes two records alike."""
    said = record.getMessage() if record.msg == "%s" else str(record.msg)
    template = re.sub(r"0x[0-9a-f]+|[0-9]+|'[^']*'|\"[^\"]*\"", "·", said[:NAMED])
    if not isinstance(record.exc_info, tuple) or record.exc_info[1] is None:
        return record.name, record.levelno, template
    places = [(frame.f_code.co_filename, line) for frame, line in walk_tb(record.exc_info[2])]
    return record.name, record.levelno, template, record.exc_info[0], places[-1] if places else None


def lies_outside(fault: BaseException) -> bool:
    """Whether an error was raised by what checks messages and values, on behalf of nobody here."""
    frames = [frame for frame, _ in walk_tb(fault.__traceback__)]
    modules = [f"{frame.f_globals.get('__name__', '')}." for frame in frames]
    if not modules or any(module.startswith(OURS) and not module.startswith(CHECKS) for module in modules):
        return False
    return modules[-1].startswith(CHECKS) or any(frame.f_code.co_name in TRANSLATIONS for frame in frames)


def _start(record: logging.LogRecord) -> str:
    return record.getMessage()[:NAMED].replace("\n", " ")


def _shorten(record: logging.LogRecord, traceback: bool) -> None:
    """Leave out what is too long, and a traceback that is in the log already."""
    text = record.getMessage()
    if len(text) > MOST_CHARACTERS:
        record.msg, record.args = f"{text[:MOST_CHARACTERS]} …", ()
    fault = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    if fault is None:
        return
    if not traceback or lies_outside(fault):
        record.msg, record.args = f"{record.getMessage()} ({type(fault).__name__}: {str(fault)[:NAMED]})", ()
        record.exc_info = record.exc_text = None
    else:
        found = logging.Formatter().formatException((type(fault), fault, fault.__traceback__))
        half = MOST_CHARACTERS // 2
        record.exc_text = found if len(found) <= MOST_CHARACTERS else f"{found[:half]}\n  …\n{found[-half:]}"


def count_repeated_lines() -> None:
    """Have every handler of the process's log do so, and warnings go there. Handlers that have it already keep it."""
    logging.captureWarnings(True)
    loggers = [logging.getLogger(), *map(logging.getLogger, logging.Logger.manager.loggerDict)]
    for handler in {handler for logger in loggers for handler in logger.handlers}:
        if not any(isinstance(f, FirstOfItsKind) for f in handler.filters):
            handler.addFilter(FirstOfItsKind())
