"""Figures are kept for good, and before and after belong to one run."""

from __future__ import annotations

from pathlib import Path

from tools.reliability.machine import Machine
from tools.reliability.measurement import Measurement, Side
from tools.reliability.runs import append, read, runs_of, shown


def figure(run: str, check: str, said: str = "1 ms", passed: bool = True, tree: Side = "after") -> Measurement:
    return Measurement(run, check, tree, "abc1234", said, passed)


def test_a_figure_is_read_as_it_was_written(kept: Path) -> None:
    machine = Machine("a processor", 2, "3.11.7", {"panel": "1.9.4"})
    whole = Measurement("r", "1", "before", "abc1234+", "3 → 4 MB", None, 1.5, (0.5, 0.25, 0.0), machine, "2026-11-18", "by hand")  # fmt: skip
    little = Measurement("r", "2", "after", None, "5 ms", False)
    for one in (whole, little):
        append(one)
        assert read()[-1] == one, "it is there at once"
    assert read() == [whole, little]


def test_a_figure_that_is_measured_again_stays(kept: Path) -> None:
    append(figure("monday", "1", "400 ms", passed=False))
    before = kept.read_bytes()
    append(figure("tuesday", "1", "20 ms"))
    assert kept.read_bytes().startswith(before)
    assert [(f.said, f.passed) for f in read()] == [("400 ms", False), ("20 ms", True)]


def test_the_newest_run_that_has_every_check_is_shown() -> None:
    figures = [
        figure(run, check) for run, checks in (("old", "12"), ("whole", "12"), ("part", "2")) for check in checks
    ]
    found = shown(runs_of(figures), ["1", "2"])
    assert {check: run.name for check, run in found.items()} == {"1": "whole", "2": "whole"}


def test_a_run_that_measured_a_check_only_before_is_not_whole() -> None:
    figures = [figure("old", "1"), figure("old", "2"), figure("cut", "1"), figure("cut", "2", tree="before")]
    found = shown(runs_of(figures), ["1", "2"])
    assert {check: run.name for check, run in found.items()} == {"1": "old", "2": "old"}


def test_without_a_whole_run_each_check_has_its_newest() -> None:
    figures = [figure("old", "1"), figure("new", "2"), figure("newer", "1")]
    found = shown(runs_of(figures), ["1", "2", "3"])
    assert {check: run.name for check, run in found.items()} == {"1": "newer", "2": "new"}
