"""What a tree is called."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tools.reliability.tree import WRITTEN, Tree


def git(folder: Path, *words: str) -> str:
    named = ["git", "-c", "user.name=n", "-c", "user.email=e@example.org", "-C", str(folder), *words]
    return subprocess.run(named, capture_output=True, text=True, check=True).stdout.strip()


def test_a_change_shows_and_what_measuring_writes_is_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    for name in ("core.py", *WRITTEN):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    clean = git(tmp_path, "rev-parse", "--short", "HEAD")
    for name in WRITTEN:
        (tmp_path / name).write_text("2\n")
    assert Tree(tmp_path).commit == clean
    (tmp_path / "core.py").write_text("2\n")
    assert Tree(tmp_path).commit == f"{clean}+"
