"""Tests asked of another tree: what it does not have says nothing about it."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

import pytest

from tools.reliability import suites
from tools.reliability.tree import Tree

LOCATOR = 'playwright._impl._errors.TimeoutError: Locator.{}: Timeout 9ms exceeded.\nCall log:\n  - waiting for locator("#new")\n'


def case(message: str = "", told: str = "", kind: str = "failure") -> ElementTree.Element:
    inside = f"<{kind} message={quoteattr(message)}>{told}</{kind}>" if message else ""
    return ElementTree.fromstring(f"<testcase>{inside}</testcase>")


@pytest.mark.parametrize(
    ("message", "told", "lacking"),
    [
        ("AssertionError: AttributeError: x", "tests/fuzz/test_chain.py:3: AssertionError", ()),
        ("AttributeError: no 'x'", "core/run.py:3: AttributeError", ()),
        ("AttributeError: no 'x'", "/here/tests/app/test_page.py:3: AttributeError", ("no 'x'",)),
        (
            "ImportError: cannot import name 'a' from 'b' (/b.py)",
            "tests/test_a.py:3: ImportError",
            ("cannot import name 'a' from 'b'",),
        ),
        ("collection failure", "E   ModuleNotFoundError: No module named 'app.new'", ("No module named 'app.new'",)),
        ("failed on setup", "E       fixture 'visit' not found", ("fixture 'visit' not found",)),
        (LOCATOR.format("set_input_files"), "_connection.py:3: TimeoutError", ('its page has no locator("#new")',)),
        (LOCATOR.format("wait_for"), "_connection.py:3: TimeoutError", ()),
    ],
)
def test_what_another_tree_lacks(message: str, told: str, lacking: tuple[str, ...]) -> None:
    cases = [case(), case(message, told)]
    assert suites.counted(cases, "", other=True) == suites.Tested(1, 0 if lacking else 1, lacking)
    assert suites.counted(cases, "", other=False) == suites.Tested(1, 1), "this tree has to have it"


def test_what_is_said_of_it() -> None:
    assert (str(suites.Tested(3, 0)), suites.Tested(3, 0).good) == ("3 of 3 tests pass", True)
    assert (str(suites.Tested(2, 1)), suites.Tested(2, 1).good) == ("2 of 3 tests pass", False)
    assert suites.Tested(0, 0).good is False
    some, none = suites.Tested(1, 0, ("no x",)), suites.Tested(0, 0, ("no x",))
    assert str(none) == "not comparable: the tests need what this tree does not have (no x)"
    assert str(some) == f"1 of 1 tests pass, 1 {none}"
    assert some.good is none.good is None
    assert suites.Tested(0, 1, ("no x",)).good is False


def test_another_tree_does_not_borrow_from_this_one(tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "__init__.py").touch()
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\naddopts = "--import-mode=importlib"\n')
    found = suites.run_tests(Tree(tmp_path), "tests/core/cli/test_app_and_lab.py")
    assert found == suites.Tested(0, 0, ("No module named 'core.__main__'",))
