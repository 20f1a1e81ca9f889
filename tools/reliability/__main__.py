"""`python -m tools.reliability [1 3 5 fuzz …]`: run checks and print their table."""

from __future__ import annotations

import argparse
import time
import traceback
from pathlib import Path

from tools.reliability import input_checks, kill_check, load_checks, page_checks
from tools.reliability.check import Check, Figure
from tools.reliability.table import PAGE, Row, markdown, write
from tools.reliability.tree import Tree

CHECKS: dict[str, Check] = {
    check.name: check
    for check in sorted(
        (*load_checks.CHECKS, *page_checks.CHECKS, *input_checks.CHECKS, *kill_check.CHECKS),
        key=lambda c: (not c.name.isdigit(), int(c.name) if c.name.isdigit() else 0, c.name),
    )
}


def main() -> int:
    """0 = every check that was run reaches its figure."""
    parser = argparse.ArgumentParser(prog="python -m tools.reliability", description=__doc__)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=f"out of {', '.join(CHECKS)} (default: all)")
    parser.add_argument("--tree", type=Path, help="another checkout, measured first, check by check, as “before”")
    parser.add_argument("--write", action="store_true", help=f"write the table into docs/{PAGE.name}")
    args = parser.parse_args()
    if unknown := [name for name in args.checks if name not in CHECKS]:
        parser.error(f"there is no check {unknown[0]!r}; there are {', '.join(CHECKS)}")
    here, other = Tree(), Tree(args.tree.resolve()) if args.tree is not None else None
    rows = []
    for name in args.checks or CHECKS:
        check = CHECKS[name]
        before = measured(check, other, "before") if other is not None else None
        rows.append(Row(check, before, measured(check, here, "after" if other is not None else "")))
    text = markdown(rows, here, other)
    print(f"\n{text}")
    if args.write:
        write(text, list(CHECKS))
    return 0 if all(row.after.passed for row in rows) else 1


def measured(check: Check, tree: Tree, when: str) -> Figure:
    """One figure; a check that breaks says so and has failed."""
    start = time.monotonic()
    try:
        found = check.measure(tree)
    except Exception as error:
        traceback.print_exc()
        found = Figure(f"could not be measured: {type(error).__name__}: {error!s:.120}", False)
    mark = "reached" if found.passed else "NOT REACHED"
    print(f"{check.name:>4}  {when:<6} {mark:<12} {found.said}   [{time.monotonic() - start:.0f} s]", flush=True)
    return found


if __name__ == "__main__":
    raise SystemExit(main())
