"""The table of docs/RELIABILITY.md: what was measured, where and when, between two marks."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from results import processor

from tools.reliability import ROOT
from tools.reliability.check import Check, Figure
from tools.reliability.tree import Tree

PAGE = ROOT / "docs" / "RELIABILITY.md"
BEGIN, END = "<!-- table: python -m tools.reliability --write -->", "<!-- end of the table -->"
HEADS = ("#", "check", "to reach", "before", "after", "reached", "in CI")
PACKAGES = ("panel", "bokeh", "numba", "numpy", "pyarrow")


@dataclass(frozen=True)
class Row:
    """One check with what it found in the tree to compare with, if any, and here."""

    check: Check
    before: Figure | None
    after: Figure

    @property
    def cells(self) -> list[str]:
        """What stands in the table."""
        before = self.before.said if self.before is not None else ""
        passed = "yes" if self.after.passed else "**no**"
        c = self.check
        return [cell.replace("|", "/") for cell in (c.name, c.what, c.goal, before, self.after.said, passed, c.in_ci)]


def markdown(rows: Sequence[Row], tree: Tree, other: Tree | None) -> str:
    """The table and where it was made."""
    compared = f" Before: {other.commit}." if other is not None else ""
    return f"{machine()} After: {tree.commit}.{compared}\n\n{_table([row.cells for row in rows])}"


def _table(rows: Iterable[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (HEADS, ["---"] * len(HEADS), *rows))


def machine() -> str:
    """Where and when, in a sentence."""
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return (
        f"Measured on {today} on {processor()}, {os.cpu_count()} cores, load {load} at the end, with the visitors and the browser on "
        f"the same cores; Python {platform.python_version()}, {packages}."
    )


def write(text: str, order: Sequence[str]) -> None:
    """Put the table into the page; rows of checks that were not run stay as they were.

    Args:
        text: the table and where it was made.
        order: names of all checks.
    """
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    kept, _, tail = rest.partition(END)
    about = text.partition("\n\n")[0]
    rows = {cells[0]: cells for part in (kept, text) for cells in _rows(part) if cells[0] in order}
    table = _table(rows[name] for name in order if name in rows)
    PAGE.write_text(f"{head}{BEGIN}\n{about}\n\n{table}\n{END}{tail}", encoding="utf-8")


def _rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
