"""Trees are measured one after the other, or side by side where the check allows it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.reliability import measuring
from tools.reliability.check import Check, Figure
from tools.reliability.measurement import Measurement
from tools.reliability.measuring import all_figures, figures
from tools.reliability.tree import Tree


def check_of(met: threading.Barrier, beside: bool) -> Check:
    """A check that reaches its goal only while another one is under way."""

    def measure(tree: Tree) -> Figure:
        met.wait()
        return Figure(f"met in {tree.path.name}", True)

    return Check("1", "", "", measure, beside=beside)


def measured(check: Check, other: Path) -> list[Measurement]:
    return list(figures(check, {"before": Tree(other), "after": Tree()}, "r"))


def test_side_by_side_both_are_under_way_at_once(tmp_path: Path) -> None:
    found = {f.tree: f for f in measured(check_of(threading.Barrier(2, timeout=20), beside=True), tmp_path)}
    assert set(found) == {"before", "after"}
    assert found["before"].said == f"met in {tmp_path.name}"
    assert found["after"].said == f"met in {Tree().path.name}"
    assert all(f.passed and f.run == "r" for f in found.values())


@pytest.mark.filterwarnings("ignore")
def test_otherwise_they_take_turns(tmp_path: Path) -> None:
    found = measured(check_of(threading.Barrier(2, timeout=0.2), beside=False), tmp_path)
    assert [(f.tree, f.passed) for f in found] == [("before", False), ("after", False)]
    assert all(f.said == "could not be measured: BrokenBarrierError" for f in found)


def test_a_page_that_has_not_what_the_check_uses_cannot_be_compared(tmp_path: Path) -> None:
    def measure(_: Tree) -> Figure:
        raise TimeoutError('Locator.click: Timeout 500ms exceeded.\nCall log:\n  - waiting for locator("#new")\n')

    before, after = measured(Check("1", "", "", measure), tmp_path)
    assert (before.said, before.passed) == ('not comparable: its page has no locator("#new")', None)
    assert after.said.startswith("could not be measured: TimeoutError: Locator.click")
    assert after.passed is False
    assert "\n" not in after.said


def test_where_and_when_is_noted(tmp_path: Path) -> None:
    (found,) = figures(Check("1", "", "", lambda _: Figure("1 ms", True)), {"after": Tree(tmp_path)}, "r")
    assert found.commit == tmp_path.name, "outside git a tree is called after its folder"
    assert found.seconds is not None
    assert found.load is not None
    assert found.date is not None
    assert found.machine is not None
    assert "panel" in found.machine.packages


def checks_of(begun: list[str], meet: Callable[[], object]) -> list[Check]:
    """Two checks that depend on the load, and two that do not and meet."""

    def check(name: str, beside: bool = False, long: bool = False) -> Check:
        def measure(_: Tree) -> Figure:
            begun.append(name)
            if beside:
                meet()
            return Figure(name, True)

        return Check(name, "", "", measure, beside=beside, long=long)

    return [check("fuzz", beside=True), check("soak", beside=True, long=True), check("load"), check("open")]


def test_what_depends_on_the_load_is_measured_alone_and_first_and_then_two_at_a_time() -> None:
    begun: list[str] = []
    checks = checks_of(begun, threading.Barrier(2, timeout=60).wait)
    found = list(all_figures(checks, {"after": Tree()}, "r"))
    assert all(figure.passed for figure in found), "two were under way at once"
    assert [figure.check for figure in found[:2]] == begun[:2] == ["load", "open"]
    assert {figure.check for figure in found[2:]} == {"soak", "fuzz"}


def test_the_longest_is_begun_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "AT_ONCE", 1)
    begun: list[str] = []
    list(all_figures(checks_of(begun, lambda: None), {"after": Tree()}, "r"))
    assert begun == ["load", "open", "soak", "fuzz"]
