"""Run a server with everything it starts, and end all of it: `panel serve --num-procs` alone leaves its workers behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from types import FrameType

GRACE_S = 4.0
"""Time that everything has to end by itself before it is killed; Docker gives a container 10 s."""
ASKING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals that mean: stop."""


class _AskedToStop(Exception):
    """Raised by a signal where the supervisor waits."""


def supervise(command: Sequence[str], grace_s: float = GRACE_S) -> int:
    """Run a command in a process group of its own until it ends or a signal asks for it; nothing of the group is left.

    Args:
        command: program and arguments.
        grace_s: time between asking the group to end and killing it [s].

    Returns:
        The command's exit code; 0 when it was asked to stop.
    """
    before = {number: signal.signal(number, _raise) for number in ASKING}
    process = None
    try:
        process = subprocess.Popen(command, start_new_session=True)
        code = process.wait()
    except _AskedToStop:
        code = 0
    finally:
        for number in ASKING:
            signal.signal(number, signal.SIG_IGN)  # it is stopping already
        if process is not None:
            end_group(process.pid, grace_s)
            process.poll()
        for number, handler in before.items():
            signal.signal(number, handler)
    return code if code >= 0 else 128 - code


def end_group(group: int, grace_s: float) -> None:
    """Ask every process of a group to end, kill what is left after a while, and wait until none is there."""
    for number, patience_s in ((signal.SIGTERM, grace_s), (signal.SIGKILL, GRACE_S)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, number)
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            if not _alive(group):
                return
            time.sleep(0.05)


def _alive(group: int) -> bool:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-group, os.WNOHANG) != (0, 0):  # those that are ours to bury, all of them in a container
            pass
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _raise(_number: int, _frame: FrameType | None) -> None:
    raise _AskedToStop
