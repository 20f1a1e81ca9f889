"""The dashboard of any checkout as a class would be served by it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import PATIENCE_S, Server, free_port, running

from load.processes import cpu_s, family

HERE = Path(__file__).resolve().parents[2]


@contextmanager
def serving(checkout: Path = HERE, procs: int = 2, **environment: str) -> Iterator[Server]:
    """`safe-explorer app --num-procs N` of a checkout, on a free port of the loopback interface, until the block ends.

    Args:
        checkout: folder of a clone or a worktree; its own `.venv` is used where there is one.
        procs: server processes.
        environment: further variables for it.
    """
    own, port = checkout / ".venv" / "bin" / "python", free_port()
    python = str(own) if own.exists() else sys.executable
    command = [python, "-m", "core", "app", "--port", str(port), "--num-procs", str(procs)]
    path = os.pathsep.join(filter(None, (str(checkout), os.environ.get("PYTHONPATH", ""))))
    with running(command, port, checkout, PYTHONPATH=path, **environment) as server:
        settle(server)
        yield server


def settle(server: Server, calm: float = 0.03, look_s: float = 2.0) -> None:
    """Wait until a server has nothing to do of its own: warm, and with all that it makes ahead."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        worked = cpu_s(*family(server.pid))
        time.sleep(look_s)
        if cpu_s(*family(server.pid)) - worked <= calm * look_s:
            return
