"""Comma-separated tables with a heading, read so that every complaint names its row."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import OwnFileError

Floats = NDArray[np.float64]
MAX_ROWS = 1_000_000
MAX_COLUMNS = 64


@dataclass(frozen=True, eq=False)
class Table:
    """Numbers by column, and the line of the file that each row stands in.

    Args:
        name: of the file, for messages.
        columns: (n,) each, by the names asked for.
        line: counted from 1, the heading included, (n,).
    """

    name: str
    columns: Mapping[str, Floats]
    line: NDArray[np.int64]

    def __getitem__(self, column: str) -> Floats:
        return self.columns[column]

    def __contains__(self, column: str) -> bool:
        return column in self.columns

    def refuse(self, row: int, text: str) -> OwnFileError:
        """The complaint about a row."""
        return OwnFileError(f"{self.name}, line {self.line[row]}: {text}")


def decoded(name: str, content: bytes) -> str:
    """The text of a file, refused in words when it is none."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise OwnFileError(f"{name} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from error
    if "\0" in text:
        raise OwnFileError(f"{name} is not a text file; save it as UTF-8 text.")
    return text


def read_table(
    name: str,
    content: bytes,
    needed: Sequence[str],
    optional: Sequence[str] = (),
    also: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
) -> Table:
    """Read a table.

    Args:
        name: of the file, for messages.
        content: of the file; lines that begin with # are passed over.
        needed: columns that must be there.
        optional: columns that are read if they are there; all others are passed over.
        also: other names of columns, in lower case.
        words: values that are written as a word, in lower case.
    """
    rows = csv.reader(io.StringIO(decoded(name, content), newline=""), skipinitialspace=True)
    known = {*needed, *optional}
    heading: list[str] = []
    values: list[list[float]] = []
    lines: list[int] = []
    places: dict[str, int] = {}
    try:
        for row in rows:
            if not row or row[0].startswith("#") or not any(cell.strip() for cell in row):
                continue
            if not heading:
                heading = [_column(cell, also or {}) for cell in row[:MAX_COLUMNS]]
                places = _places(name, heading, known, needed)
                continue
            if len(values) >= MAX_ROWS:
                raise OwnFileError(f"{name} has more than {MAX_ROWS} rows; shorten it or sample it less often.")
            if len(row) < len(heading):
                raise OwnFileError(
                    f"{name}, line {rows.line_num}: {len(row)} values where the heading has {len(heading)} columns; fill "
                    "in what is missing or delete the row."
                )
            values.append([_number(name, rows.line_num, column, row[at], words or {}) for column, at in places.items()])
            lines.append(rows.line_num)
    except csv.Error as error:
        raise OwnFileError(f"{name}, line {rows.line_num}: not a comma-separated table ({error}).") from error
    if not values:
        raise OwnFileError(f"{name} has {'a heading but no rows' if heading else 'no rows'}; add one row per record.")
    table = np.array(values)
    return Table(name, {column: table[:, i] for i, column in enumerate(places)}, np.array(lines))


def _column(cell: str, also: Mapping[str, str]) -> str:
    plain = cell.strip().lower()
    return also.get(plain, plain)


def _places(name: str, heading: list[str], known: set[str], needed: Sequence[str]) -> dict[str, int]:
    twice = [c for c in known if heading.count(c) > 1]
    if twice:
        raise OwnFileError(f"{name} has the column {twice[0]} twice; leave one out.")
    missing = [c for c in needed if c not in heading]
    if missing:
        raise OwnFileError(
            f"{name} has no column {', '.join(missing)}: its first line must name the columns {', '.join(needed)}, separated "
            f"by commas, and it begins with {', '.join(heading)[:80]!r}."
        )
    return {column: at for at, column in enumerate(heading) if column in known}


def _number(name: str, line: int, column: str, cell: str, words: Mapping[str, float]) -> float:
    if (word := cell.strip().lower()) in words:
        return words[word]
    try:
        value = float(cell)
    except ValueError:
        raise OwnFileError(f"{name}, line {line}: {column} = {cell[:40]!r} is not a number; correct it.") from None
    if not math.isfinite(value):
        raise OwnFileError(
            f"{name}, line {line}: {column} = {cell[:40]!r} is not finite; give a number or delete the row."
        )
    return value


def write_table(columns: Mapping[str, Sequence[float] | NDArray[np.generic]]) -> bytes:
    """A table as text that reads back to the very same numbers: floats in the shortest digits that are exact."""
    plain = [np.asarray(column).tolist() for column in columns.values()]
    lines = [",".join(columns), *(",".join(map(_text, row)) for row in zip(*plain, strict=True))]
    return ("\n".join(lines) + "\n").encode()


def _text(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))
