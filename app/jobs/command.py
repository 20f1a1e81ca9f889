"""A command of `python -m core` beside the server: the page stays responsive and a crash of either hurts neither."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from core.errors import SafeExplorerError
from core.folders import write_atomically
from core.plugins import environment

GRACE_S = 5.0
"""Time a cancelled command has to put its things in order."""
RUNNING: list[BackgroundCommand] = []
"""Commands of this server process; one at a time, so that a class shares the machine fairly."""


class BackgroundCommand:
    """One run of `python -m core …` in a process of its own, with its log in a file.

    Args:
        arguments: words of the command; it must know --stop-on-eof.
        log: file for what it prints; its folder is made when missing.
        what: what it is called when another one has to wait for it.
        files: content of files it reads, written before it starts.
    """

    def __init__(self, arguments: list[str], log: Path, what: str, files: Mapping[Path, str]) -> None:
        self.what: str = what
        RUNNING[:] = [p for p in RUNNING if p.running]
        if RUNNING:
            raise SafeExplorerError(
                f"Another {RUNNING[0].what} is running on this server; wait until it is done, or cancel it."
            )
        log.parent.mkdir(parents=True, exist_ok=True)
        self._log, self._cancelled_at = log, math.inf
        for path, text in files.items():
            write_atomically(path, text.encode())
        self._out = log.open("wb")
        # The child reads its standard input and stops when this server is gone, however it went. -P: the server may have
        # been started in a folder with a `core` of somebody else's.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "core", *arguments, "--stop-on-eof"],
            stdin=subprocess.PIPE,
            stdout=self._out,
            stderr=self._out,
            env={**os.environ, **environment()},
        )
        RUNNING.append(self)

    @property
    def running(self) -> bool:
        """Whether the process is still there."""
        return self._process.poll() is None

    @property
    def cancelled(self) -> bool:
        """Whether it was asked to stop."""
        return self._cancelled_at < math.inf

    @property
    def said(self) -> str:
        """What it has printed so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    @property
    def complaint(self) -> str:
        """What the command said when it ended without success; empty while it runs and after success or cancel."""
        code = self._process.poll()
        # cancelled before it could listen for the signal, it ends by the signal itself
        if code in (None, 0, 130) or self.cancelled:
            return ""
        lines = self.said.strip().splitlines()
        said = [line.removeprefix("error: ") for line in lines if line.startswith(("error: ", "failed: "))]
        return said[0] if said else f"The {self.what} stopped with code {code}; its log is {self._log}."

    def cancel(self) -> None:
        """Ask it to stop; what is finished stays."""
        if self.running:
            self._cancelled_at = min(self._cancelled_at, time.monotonic())
            self._process.terminate()

    def insist(self) -> None:
        """End a process that was asked to stop and takes its time; what it writes is whole or absent, so nothing is lost."""
        if self.running and time.monotonic() > self._cancelled_at + GRACE_S:
            self._process.kill()

    def wait(self, timeout: float | None = None) -> None:
        """Wait for the end."""
        self._process.wait(timeout)

    def close(self) -> None:
        """Stop it and let go of its pipes."""
        self.cancel()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._out.close()
