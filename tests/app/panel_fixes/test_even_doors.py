"""Processes that listen at one socket: newcomers go to the one that has least to serve, and nobody waits for one that is busy."""

from __future__ import annotations

import inspect
import os
import socket
import time
from collections import Counter
from collections.abc import Iterator

import pytest
from tornado import netutil, process, tcpserver
from tornado.ioloop import IOLoop

from app.panel_fixes.even_doors import Ledger, share_visitors

NEWCOMERS = 40


def test_whoever_has_most_leaves_newcomers_to_others() -> None:
    ledger = Ledger(4)
    for number, load in ((0, 3), (1, 2)):
        ledger.say(number, load)
    assert ledger.others_have_less(0)
    assert not ledger.others_have_less(1)  # the places of processes that are not there count for nothing
    ledger.say(0, 2)
    assert not ledger.others_have_less(0)


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Two processes behind one socket, each telling its own number to whoever comes; the second is busy with something else at first."""
    monkeypatch.setattr(tcpserver, "add_accept_handler", tcpserver.add_accept_handler)  # put back at the end
    share_visitors.__wrapped__(lambda: 0)
    sock = netutil.bind_sockets(0, "127.0.0.1", family=socket.AF_INET)[0]
    children = []
    for number in (0, 1):
        child = os.fork()
        if child == 0:
            _serve(sock, number)
        children.append(child)
    port = sock.getsockname()[1]
    sock.close()
    yield port
    for child in children:
        os.kill(child, 9)
        os.waitpid(child, 0)


def _serve(sock: socket.socket, number: int) -> None:
    process._task_id = number
    kept = []

    def enter(connection: socket.socket, _address: object) -> None:
        connection.send(str(number).encode())
        kept.append(connection)

    try:
        IOLoop(make_current=True)
        tcpserver.add_accept_handler(sock, enter)
        if number == 1:
            time.sleep(1)
        IOLoop.current().start()
    finally:
        os._exit(1)


def test_two_processes_share_a_class_and_nobody_waits_for_a_busy_one(shared: int) -> None:
    visitors, served = [], Counter[bytes]()
    for _ in range(NEWCOMERS):
        visitors.append(socket.create_connection(("127.0.0.1", shared), timeout=60))
        served[visitors[-1].recv(1)] += 1
    assert served[b"0"] >= 1
    assert served[b"1"] >= 1
    for visitor in visitors:
        visitor.close()


def test_tornado_still_takes_all_who_wait() -> None:
    source = inspect.getsource(netutil.add_accept_handler)
    assert "for i in range(_DEFAULT_BACKLOG):" in source, "tornado shares newcomers: look whether this repair can go"
