"""The tables: one run, and every run of a figure."""

from __future__ import annotations

from dataclasses import replace

from tools.reliability.check import Check, Figure
from tools.reliability.machine import Machine
from tools.reliability.measurement import Measurement, Side
from tools.reliability.table import MOST_RUNS, section

CHECKS = [Check(name, f"what {name}", "the goal", lambda _: Figure("", True), f"test {name}") for name in "12"]
AGAIN = "## Every run of a figure"


def figure(run: str, check: str, said: str, passed: bool | None = True, tree: Side = "after", commit: str = "abc") -> Measurement:  # fmt: skip
    return Measurement(run, check, tree, commit, said, passed)


def both(run: str, check: str, before: str, after: str, passed: bool = True) -> list[Measurement]:
    return [figure(run, check, before, tree="before", commit="old"), figure(run, check, after, passed)]


def rows(text: str) -> list[list[str]]:
    """Cells of the lines of a table, without its head."""
    return [[c.strip() for c in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")][2:]


def test_a_failed_figure_and_the_one_after_it_are_both_there() -> None:
    first, again = section(
        [figure("monday", "1", "400 ms", passed=False), figure("monday", "2", "ok"), figure("tuesday", "1", "20 ms")],
        CHECKS,
    ).split(AGAIN)
    assert rows(first)[0] == ["1", "what 1", "the goal", "", "400 ms", "**no**", "test 1"], "Tuesday is not a whole run"
    assert rows(again) == [
        ["1", "tuesday", "after", "abc", "20 ms", "yes"],
        ["1", "monday", "after", "abc", "400 ms", "**no**"],
    ]


def test_before_and_after_are_of_one_run() -> None:
    whole = [*both("monday", "1", "50 ms", "40 ms"), *both("monday", "2", "60 ms", "30 ms")]
    later = [figure("tuesday", "1", "20 ms"), *both("wednesday", "2", "61 ms", "31 ms")]
    first = section(whole + later, CHECKS).split(AGAIN)[0]
    assert "in one go: run monday; before old; after abc" in first
    assert [row[3:5] for row in rows(first)] == [["50 ms", "40 ms"], ["60 ms", "30 ms"]]
    first = section(whole[:2] + later, CHECKS).split(AGAIN)[0]
    assert [row[3:5] for row in rows(first)] == [["", "20 ms"], ["61 ms", "31 ms"]]


def test_several_runs_are_called_so() -> None:
    text = section([figure("monday", "1", "1 ms"), figure("tuesday", "2", "2 ms")], CHECKS)
    assert "Not measured in one go" in text
    assert "- 1: run monday" in text
    assert "- 2: run tuesday" in text
    assert AGAIN not in text
    assert "Not measured in one go" in section([figure("monday", "1", "1 ms")], CHECKS)


def test_where_and_of_what_it_was_measured() -> None:
    here = Machine("a processor", 2, "3.11.7", {"panel": "1.9.4"})
    figures = [replace(figure("monday", name, "x", commit=f"c{name}"), machine=here, load=(float(name), 0.0, 0.0)) for name in "12"]  # fmt: skip
    text = section(figures, CHECKS)
    assert "after c1, then c2 (the tree changed during the run)" in text
    assert "on a processor, 2 cores, Python 3.11.7, panel 1.9.4; load before the checks 1.0 to 2.0" in text


def test_a_tree_that_cannot_be_compared_has_neither_reached_nor_failed() -> None:
    old = figure("monday", "1", "not comparable: no module", None, "before")
    again = section([old, figure("tuesday", "1", "a | b")], CHECKS).split(AGAIN)[1]
    assert rows(again) == [["1", "tuesday", "after", "abc", "a / b", "yes"], ["1", "monday", "before", "abc", old.said, "–"]]  # fmt: skip


def test_many_runs_are_counted() -> None:
    figures = [figure(f"run {i}", "1", f"{i} ms", passed=i > 0) for i in range(MOST_RUNS + 3)]
    found = rows(section(figures, CHECKS).split(AGAIN)[1])
    assert [row[4] for row in found[:-1]] == [f"{i} ms" for i in reversed(range(3, MOST_RUNS + 3))]
    assert found[-1][-1] == "2 of 3"
