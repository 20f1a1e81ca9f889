"""The table of checks: rows that were not measured again stay, and every promise of the page has its check."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.reliability import table
from tools.reliability.__main__ import CHECKS
from tools.reliability.check import Figure
from tools.reliability.table import BEGIN, END, PAGE, Row, markdown, write
from tools.reliability.tree import Tree


def test_there_is_a_check_for_every_promise() -> None:
    assert list(CHECKS) == [*map(str, range(1, 18)), "class", "fuzz", "kill"]
    page = PAGE.read_text(encoding="utf-8")
    assert page.count(BEGIN) == page.count(END) == 1


def test_rows_that_were_not_measured_again_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Head\n\n{BEGIN}\nnothing\n{END}\n\n## Tail\n", encoding="utf-8")
    monkeypatch.setattr(table, "PAGE", page)
    for name, said in (("17", "flat"), ("2", "30 ms"), ("2", "12 ms | of one")):
        row = Row(CHECKS[name], Figure("40 ms", False), Figure(said, said != "30 ms"))
        write(markdown([row], Tree(), Tree(tmp_path)), list(CHECKS))
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert [line.split(" | ")[0] for line in lines] == ["| #", "| ---", "| 2", "| 17"]
    assert "40 ms | 12 ms / of one | yes |" in lines[2]
    assert page.read_text(encoding="utf-8").startswith("# Head\n")
    assert page.read_text(encoding="utf-8").endswith("## Tail\n")
