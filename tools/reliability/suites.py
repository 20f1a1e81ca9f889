"""Checks that are tests: run by pytest, on this tree or on another, and counted."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tools.reliability import ROOT, lacking
from tools.reliability.tree import Tree

ALONE = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if not finder.__module__.startswith("__editable__")]
import pytest
raise SystemExit(pytest.main(sys.argv[1:]))
"""
"""pytest without the installed package: a module that another tree does not have would silently be taken from this one."""


@dataclass(frozen=True)
class Tested:
    """How tests went.

    Args:
        passed, failed: how many.
        lacking: for each test that asks for something the tree does not have, and so says nothing about it, what that is.
    """

    passed: int
    failed: int
    lacking: tuple[str, ...] = ()

    @property
    def asked(self) -> int:
        """How many could be asked."""
        return self.passed + self.failed

    @property
    def good(self) -> bool | None:
        """Whether all pass; None = those that could be asked do, if any."""
        if self.failed or not (self.passed or self.lacking):
            return False
        return None if self.lacking else True

    def __str__(self) -> str:
        counted = f"{self.passed} of {self.asked} tests pass"
        if not self.lacking:
            return counted
        why = f"not comparable: the tests need what this tree does not have ({self.lacking[0]})"
        return f"{counted}, {len(self.lacking)} {why}" if self.asked else why


def run_tests(tree: Tree, *paths: str, k: str = "", **environment: str) -> Tested:
    """Run tests of this tree with the code of another (or its own).

    Args:
        tree: whose `core` and `app` they import, and the servers they start.
        paths: from the root of this tree; a test's name may follow after `::`.
        k: only those whose names fit.
        environment: further variables.
    """
    places = (tree.path, tree.path / "tests" / "support", ROOT / "tests" / "support")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places)), **environment}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        words = [tree.python, *(("-c", ALONE) if tree.other else ("-m", "pytest"))]
        words += ["-p", "no:cacheprovider", f"--junitxml={report}"]
        words += ["--rootdir", str(tree.path), "-c", str(tree.path / "pyproject.toml")]
        words += [str(ROOT / path) for path in paths] + (["-k", k] if k else [])
        done = subprocess.run(words, cwd=tree.path, capture_output=True, text=True, env=env)
        cases = list(ElementTree.parse(report).iter("testcase")) if report.exists() else []
    found = counted(cases, f"{done.stdout}\n{done.stderr}", other=tree.other)
    if found.failed:
        print(done.stdout[-3000:], done.stderr[-3000:])
    return found


def counted(cases: list[ElementTree.Element], output: str, other: bool) -> Tested:
    """Count tests.

    Args:
        cases: the tests of a report in JUnit's format; none = nothing could be loaded.
        output: what pytest printed.
        other: the tests are asked of another tree, which may not have what they need.
    """
    passed, failed, missing = 0, 0, []
    for case in cases:
        faults = [fault for kind in ("failure", "error") for fault in case.iter(kind)]
        if not faults:
            passed += case.find("skipped") is None
        elif other and (why := _lacking(faults[0])):
            missing.append(why)
        else:
            failed += 1
    if cases:
        return Tested(passed, failed, tuple(missing))
    return Tested(0, 0, (lacking.from_loading(output),)) if other else Tested(0, 1)


def _lacking(fault: ElementTree.Element) -> str:
    message, told = fault.get("message", ""), fault.text or ""
    return lacking.from_loading(told) if message == "collection failure" else lacking.from_test(message, told)
