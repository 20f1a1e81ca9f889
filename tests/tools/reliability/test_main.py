"""The command: every promise has its check, every figure is kept at once, and the page is what the file says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.reliability import __main__ as command
from tools.reliability.check import Check, Figure
from tools.reliability.page import PAGE, read_section
from tools.reliability.runs import read
from tools.reliability.table import section
from tools.reliability.tree import Tree


def test_there_is_a_check_for_every_promise() -> None:
    assert list(command.CHECKS) == [*map(str, range(1, 18)), "class", "fuzz", "kill"]


def test_the_page_is_what_the_file_says() -> None:
    said = section(read(), list(command.CHECKS.values()))
    assert read_section() == said, f"python -m tools.reliability --table writes {PAGE.name} anew"


def stopped(_: Tree) -> Figure:
    raise KeyboardInterrupt


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two checks that take no time, and one that never comes to its end."""
    found = (
        Check("1", "good", "", lambda tree: Figure(f"1 ms in {tree.path.name}", True)),
        Check("2", "bad", "", lambda _: Figure("2 ms", False)),
        Check("3", "cut", "", stopped),
    )
    monkeypatch.setattr(command, "CHECKS", {check.name: check for check in found})


@pytest.mark.usefixtures("checks")
def test_what_was_measured_before_a_crash_is_kept(kept: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        command.main(["--tree", str(tmp_path)])
    assert [(f.check, f.tree) for f in read()] == [(c, t) for c in "12" for t in ("before", "after")]
    assert len({f.run for f in read()}) == 1


@pytest.mark.usefixtures("checks")
def test_it_is_kept_and_shown_only_where_wanted(kept: Path, written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = written.read_text(encoding="utf-8")
    assert command.main(["1", "--no-record"]) == 0
    assert not kept.exists()
    assert command.main(["1", "2", "1"]) == 1
    assert [f.check for f in read()] == ["1", "2"]
    assert "| 2 | bad |  |  | 2 ms | **no** |  |" in capsys.readouterr().out
    assert written.read_text(encoding="utf-8") == empty
    assert command.main(["1", "--write"]) == 0
    page = written.read_text(encoding="utf-8")
    assert page.startswith("# Head\n")
    assert page.endswith("## Tail\n")
    assert "Every run of a figure" in page
    written.write_text(empty, encoding="utf-8")
    figures = kept.read_bytes()
    assert command.main(["--table"]) == 0
    assert written.read_text(encoding="utf-8") == page
    assert kept.read_bytes() == figures


@pytest.mark.parametrize("words", ["nothing", "--table 1", "--table --write", "--write --no-record", "--tree /nowhere"])
def test_what_makes_no_sense_is_refused(words: str, kept: Path, written: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(words.split())
    assert ended.value.code == 2
    assert not kept.exists()
