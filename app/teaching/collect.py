"""For the teacher: tokens for a class, and a table of what was handed in (docs/TEACHING.md)."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Sequence
from pathlib import Path

from app.teaching.results import checked, token_of
from core.errors import SafeExplorerError

COLUMNS = ("file", "student", "signature", "right", "confirmed", "refuted", "to read", "hints", "attempts")


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m app.teaching.collect tokens KEYFILE NAME …` and `python -m app.teaching.collect check KEYFILE FOLDER`."""
    parser = argparse.ArgumentParser(prog="python -m app.teaching.collect", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    tokens = commands.add_parser("tokens", help="one token per student, to give to each of them")
    tokens.add_argument("key", type=Path, help="a file with a secret of yours in it, any text")
    tokens.add_argument("students", nargs="+", metavar="NAME")
    check = commands.add_parser("check", help="a CSV table of all files in a folder")
    check.add_argument("key", type=Path, help="the same file")
    check.add_argument("folder", type=Path)
    asked = parser.parse_args(arguments)
    try:
        key = _key(asked.key)
        if asked.command == "tokens":
            for name in asked.students:
                print(f"{name}\t{token_of(key, name)}")
        else:
            _table(key, asked.folder)
    except SafeExplorerError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _key(path: Path) -> str:
    try:
        key = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SafeExplorerError(f"The key file {path} cannot be read: {error}") from error
    if not key:
        raise SafeExplorerError(f"The key file {path} is empty; write a long secret into it.")
    return key


def _table(key: str, folder: Path) -> None:
    files = sorted(folder.glob("*.json"))
    if not files:
        raise SafeExplorerError(f"There is no .json file in {folder}.")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COLUMNS)
    for path in files:
        try:
            c = checked(path, key)
        except SafeExplorerError as error:
            print(error, file=sys.stderr)
            continue
        lists = (" ".join(ids) for ids in (c.right, c.confirmed, c.refuted, c.to_read))
        out.writerow([c.file, _text(c.student), c.signature, *lists, c.hints, c.attempts])


def _text(value: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    return f"'{value}" if value[:1] in "=+-@\t\r" else value


if __name__ == "__main__":
    sys.exit(main())
