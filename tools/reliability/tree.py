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

WRITTEN = ("tools/reliability/runs.jsonl", "docs/RELIABILITY.md")
"""What measuring itself writes: it does not count as a change of the tree that is measured."""


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
    def other(self) -> bool:
        """Whether it is not this one: it may not have what a check asks for."""
        return self.path != ROOT

    @property
    def commit(self) -> str:
        """Short name of what is checked out, with a + when it was changed; the folder's name outside git."""
        if not (self.path / ".git").exists():
            return self.path.name
        changed = self._git("status", "--porcelain", "--", ".", *(f":!{path}" for path in WRITTEN))
        return self._git("rev-parse", "--short", "HEAD") + ("+" if changed else "")

    def _git(self, *words: str) -> str:
        done = subprocess.run(["git", "-C", str(self.path), *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()

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
