"""A table for paper: its cells as the page shows them, its values for a computer."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from core.errors import SafeExplorerError
from core.figures.paper.figure import csv_bytes, written
from core.figures.paper.stamp import Stamp
from core.figures.paper.typeset import latex

NUMBER = re.compile(r"[+−-]?[\d.,]+( ?%)?|–|∞|")
"""What stands in a column of numbers."""


@dataclass(frozen=True, eq=False)
class Table:
    """One table.

    Args:
        name: of its file, without an ending.
        caption: what it shows, with the settings that differ from the default.
        stamp: where it comes from.
        columns: heads, units in brackets.
        rows: cells as they are shown.
        values: the same as numbers, for CSV; the cells when None.
    """

    name: str
    caption: str
    stamp: Stamp
    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    values: pd.DataFrame | None = None

    @property
    def frame(self) -> pd.DataFrame:
        """The values, or the cells as text."""
        if self.values is not None:
            return self.values
        return pd.DataFrame([list(row) for row in self.rows], columns=list(self.columns))

    def render(self, format: str = "tex", width: str = "column") -> bytes:
        """The table as the content of a file.

        Args:
            format: "csv" or "tex" (booktabs).
            width: "column", or "page" for a table over both columns.
        """
        if format == "csv":
            return csv_bytes(self.frame, self.caption, self.stamp)
        if format != "tex":
            raise SafeExplorerError(f"A table is not written as {format!r}; choose csv or tex.")
        return self._tex("table*" if width == "page" else "table", width == "page").encode()

    def export(self, path: str | Path, format: str | None = None, width: str = "column") -> Path:
        """Write the table; the path's ending says the format unless `format` does."""
        return written(path, format, ("csv", "tex"), lambda kind: self.render(kind, width))

    def _tex(self, environment: str, wide: bool) -> str:
        columns, crowded = self._alignment(wide)
        lines = [
            *(f"% {' '.join(line.split())}" for line in self.stamp.lines),
            r"% \usepackage{booktabs,array,graphicx}",
            rf"\begin{{{environment}}}[t]",
            r"\centering",
            rf"\caption{{{latex(self.caption)}}}",
            rf"\label{{tab:{self.name}}}",
            r"\footnotesize",
            r"\setlength{\tabcolsep}{3pt}",
            *([r"\resizebox{\linewidth}{!}{%"] if crowded else []),
            rf"\begin{{tabular}}{{@{{}}{''.join(columns)}@{{}}}}",
            r"\toprule",
            self._heads() + r" \\",
            r"\midrule",
            *("{}" + " & ".join(map(latex, row)) + r" \\" for row in self.rows),
            r"\bottomrule",
            r"\end{tabular}" + ("}" if crowded else ""),
            rf"\end{{{environment}}}",
        ]
        return "\n".join(lines) + "\n"

    def _alignment(self, wide: bool) -> tuple[list[str], bool]:
        """Numbers to the right, words to the left, long ones as paragraphs that share what the others leave; and whether it is too wide."""
        letter, long = (0.0085, 40) if wide else (0.0175, 22)
        cells = self._cells
        longest = [
            max((len(x) for x in (*_lines(head, column), *column)), default=0)
            for head, column in zip(self.columns, cells, strict=True)
        ]
        room = max(1.0 - sum(letter * n + 0.012 for n in longest if n <= long), 0.3)
        whole = sum(min(n, 80) for n in longest if n > long)
        found = []
        for column, n in zip(cells, longest, strict=True):
            if n > long:
                share = (room - 0.012) * min(n, 80) / whole
                found.append(rf">{{\raggedright\arraybackslash}}p{{{share:.2f}\linewidth}}")
            else:
                found.append("r" if _numeric(column) else "l")
        return found, not whole and sum(letter * n + 0.012 for n in longest) > 1.0

    @property
    def _cells(self) -> list[tuple[str, ...]]:
        return list(zip(*self.rows, strict=True)) if self.rows else [()] * len(self.columns)

    def _heads(self) -> str:
        """The heads, in as many lines as keep them no wider than their columns."""
        found = []
        for head, column in zip(self.columns, self._cells, strict=True):
            lines = [
                "{" + latex(text) + "}" for text in _lines(head, column)
            ]  # a line break would take a bracket for a length
            side = "r" if _numeric(column) else "l"
            whole = r" \\ ".join(lines)
            found.append(whole if len(lines) == 1 else rf"\shortstack[{side}]{{{whole}}}")
        return " & ".join(found)


def _numeric(column: Sequence[str]) -> bool:
    return all(NUMBER.fullmatch(cell) for cell in column)


def _lines(head: str, column: Sequence[str]) -> list[str]:
    """A head broken where its column is narrower."""
    most = max([8, *map(len, column), *map(len, head.split())])
    return textwrap.wrap(head, most, break_long_words=False, break_on_hyphens=False) or [""]
