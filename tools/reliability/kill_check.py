"""kill -9 of a study at ten random moments after its first record, and again while it is resumed."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from killed_study import kill_and_resume

from tools.reliability.check import Check, Figure, not_comparable
from tools.reliability.tree import Tree

KILLS, TRIALS = 10, 40
UNKNOWN = re.compile(r"(?:unrecognized arguments|invalid choice|No module named).*")
"""How a command says that it is given what it does not know."""


def killed(tree: Tree) -> Figure:
    """Half of the runs in one process, half on two workers; every file compared byte by byte."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            found = kill_and_resume(Path(folder), KILLS, TRIALS, workers=(0, 2), python=tree.python, root=tree.path)
    except AssertionError as error:  # its text is what the command printed
        if tree.other and (refused := UNKNOWN.search(str(error))):
            return not_comparable(f"its command does not take what the check gives it ({refused[0]})")
        raise
    if not found.kills:
        why = "the study ended before a record of it was seen"
        return not_comparable(why) if tree.other else Figure(f"never killed: {why}", False)
    at = ", ".join(map(str, found.kills))
    said = f"killed with {at} of {found.total} records: {len(found.differing)} files differ"
    return Figure(said, len(found.kills) == KILLS and min(found.kills) > 0 and not found.differing)


CHECKS = (
    Check("kill", "a study killed (SIGKILL) ten times after its first record and resumed", "the same bytes as an undisturbed run", killed, "tests/core/studies/test_killed.py", beside=True),
)  # fmt: skip
