"""kill -9 of a study at ten random moments after its first record, and again while it is resumed."""

from __future__ import annotations

import tempfile
from pathlib import Path

from killed_study import kill_and_resume

from tools.reliability.check import Check, Figure
from tools.reliability.tree import Tree

KILLS, TRIALS = 10, 40


def killed(tree: Tree) -> Figure:
    """Half of the runs in one process, half on two workers; every file compared byte by byte."""
    with tempfile.TemporaryDirectory() as folder:
        found = kill_and_resume(Path(folder), KILLS, TRIALS, workers=(0, 2), python=tree.python, root=tree.path)
    at = ", ".join(map(str, found.kills))
    said = f"killed with {at} of {found.total} records: {len(found.differing)} files differ"
    return Figure(said, len(found.kills) == KILLS and min(found.kills) > 0 and not found.differing)


CHECKS = (
    Check("kill", "a study killed (SIGKILL) ten times after its first record and resumed", "the same bytes as an undisturbed run", killed, "tests/core/studies/test_killed.py"),
)  # fmt: skip
