"""A checkout to measure: this one, or another to compare with. What talks to its server is always the code of this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness import Server, free_port, running
from load.server import serving, settle

from tools.reliability import ROOT


@dataclass(frozen=True)
class Tree:
    """A checkout.

    Args:
        path: its folder; its own `.venv` is used where there is one.
    """

    path: Path = ROOT

    @property
    def python(self) -> str:
        own = self.path / ".venv" / "bin" / "python"
        return str(own) if own.exists() else sys.executable

    @property
    def commit(self) -> str:
        """Short name of what is checked out, with a + when it was changed; the folder's name outside git."""
        words = ["git", "-C", str(self.path), "describe", "--always", "--dirty=+", "--exclude=*"]
        found = subprocess.run(words, capture_output=True, text=True, check=False)
        inside = (self.path / ".git").exists()
        return found.stdout.strip() if inside and found.returncode == 0 else self.path.name

    @contextmanager
    def serving(self, procs: int = 1, **environment: str) -> Iterator[Server]:
        """The dashboard as the tree's own documents start it."""
        if (self.path / "core" / "cli" / "app.py").exists():
            with serving(self.path, procs, **environment) as server:
                yield server
            return
        port = free_port()
        words = [
            self.python,
            "-m",
            "panel",
            "serve",
            str(self.path / "app"),
            "--address",
            "127.0.0.1",
            "--port",
            str(port),
        ]
        words += ["--allow-websocket-origin", f"127.0.0.1:{port}", "--warm", "--reuse-sessions", "warm"]
        words += ["--num-procs", str(procs)] if procs > 1 else []
        path = os.pathsep.join(filter(None, (str(self.path), os.environ.get("PYTHONPATH", ""))))
        with running(words, port, self.path, PYTHONPATH=path, **environment) as server:
            settle(server)
            yield server
