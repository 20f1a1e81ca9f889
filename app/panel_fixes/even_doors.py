"""A reach into Bokeh 3.9: several processes share their visitors evenly.

The processes of `--num-procs` listen at one socket (of tornado 6.6), and whichever wakes first takes all who wait there: of a class of 24, one may
get 22. Here each says in shared memory how much it has to serve, and one that has more than another leaves newcomers to that.
"""

from __future__ import annotations

import functools
import mmap
import socket
import time
import weakref
from collections.abc import Callable
from typing import Any

from tornado import netutil, process, tcpserver
from tornado.ioloop import IOLoop

STEP_S = 0.01
"""Between two looks at a door that is left to others [s]."""
PATIENCE_S = 0.05
"""A newcomer waits no longer than this for a process that has less to serve: it may be busy [s]."""
A_PAGE = 8
"""What an open page counts for, in connections: a browser has a few beside it that fetch files and then rest."""


class Ledger:
    """How much each process has to serve, in memory that all share."""

    def __init__(self, processes: int = 64) -> None:
        self._loads = memoryview(mmap.mmap(-1, 4 * processes)).cast("i")
        for i in range(processes):
            self._loads[i] = -1  # not there

    def say(self, number: int, load: int) -> None:
        """One process tells the others."""
        self._loads[number] = load

    def others_have_less(self, number: int) -> bool:
        """Whether any has less than this one."""
        return any(0 <= load < self._loads[number] for i, load in enumerate(self._loads) if i != number)


class Door:
    """Where one process lets visitors in."""

    def __init__(
        self, sock: socket.socket, enter: Callable[[socket.socket, Any], None], ledger: Ledger, pages: Callable[[], int]
    ) -> None:
        self._sock, self._enter, self._ledger, self._pages = sock, enter, ledger, pages
        self._number = process.task_id() or 0
        self._loop = IOLoop.current()
        self._connections = 0
        self._left_at = 0.0
        self._closed = False
        self._tell()
        self._watch()

    def _tell(self) -> None:
        self._ledger.say(self._number, A_PAGE * self._pages() + self._connections)

    def _watch(self) -> None:
        if not self._closed:
            self._loop.add_handler(self._sock, self._somebody, IOLoop.READ)

    def _somebody(self, _sock: Any, _events: int) -> None:
        """Somebody is at the door."""
        self._tell()
        now = time.monotonic()
        if self._ledger.others_have_less(self._number) and (not self._left_at or now - self._left_at < PATIENCE_S):
            self._left_at = self._left_at or now
            self._loop.remove_handler(self._sock)
            self._loop.call_later(STEP_S, self._look_again)
            return
        self._left_at = 0.0
        try:
            connection, address = self._sock.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return  # another process was there first, or the visitor has gone
        self._connections += 1
        weakref.finalize(connection, self._left)
        self._tell()
        self._enter(connection, address)

    def _look_again(self) -> None:
        self._watch()

    def _left(self) -> None:
        self._connections -= 1
        self._tell()

    def close(self) -> None:
        """Let nobody in any more."""
        self._closed = True
        self._loop.remove_handler(self._sock)


@functools.cache
def share_visitors(pages: Callable[[], int]) -> None:
    """Let all processes that are started from now on share their visitors. Once, before there are several.

    Args:
        pages: open pages of the process that asks.
    """
    alone, ledger = netutil.add_accept_handler, Ledger()

    def add_accept_handler(sock: socket.socket, callback: Callable[[socket.socket, Any], None]) -> Callable[[], None]:
        if process.task_id() is None:
            return alone(sock, callback)
        return Door(sock, callback, ledger, pages).close

    setattr(tcpserver, "add_accept_handler", add_accept_handler)  # noqa: B010 (tornado does not call the name public)
