"""Checks that are tests: run by pytest, on this tree or on another, and counted."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass

from tools.reliability import ROOT
from tools.reliability.tree import Tree


@dataclass(frozen=True)
class Tested:
    """How many tests passed and did not; or that they could not even be loaded, which says nothing of the tree."""

    passed: int
    failed: int
    loaded: bool = True

    @property
    def good(self) -> bool:
        return self.passed > 0 and not self.failed

    def __str__(self) -> str:
        if not self.loaded:
            return "not comparable: the tests need what this tree does not have"
        return f"{self.passed} of {self.passed + self.failed} tests pass"


def run_tests(tree: Tree, *paths: str, k: str = "", **environment: str) -> Tested:
    """Run tests of this tree with the code of another (or its own).

    Args:
        tree: whose `core` and `app` they import.
        paths: from the root of this tree; a test's name may follow after `::`.
        k: only those whose names fit.
        environment: further variables.
    """
    support = os.pathsep.join(str(t / "tests" / "support") for t in (tree.path, ROOT))
    words = [tree.python, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(tree.path), "-c", str(tree.path / "pyproject.toml")]  # fmt: skip
    words += [str(ROOT / path) for path in paths] + (["-k", k] if k else [])
    done = subprocess.run(
        words, cwd=tree.path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": support, **environment}
    )
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|error)", done.stdout)}
    if not counts:
        counts["error"] = 1
    if done.returncode not in (0, 1) or counts.get("failed") or counts.get("error"):
        print(done.stdout[-3000:])
    if done.returncode not in (0, 1):  # interrupted while collecting
        return Tested(0, 0, loaded=False)
    return Tested(counts.get("passed", 0), counts.get("failed", 0) + counts.get("error", 0))
