"""Run checks and print their table. Every figure is added to tools/reliability/runs.jsonl as soon as it is measured."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from tools.reliability import input_checks, kill_check, load_checks, page_checks
from tools.reliability.check import Check
from tools.reliability.measurement import Measurement, Side
from tools.reliability.measuring import all_figures, now
from tools.reliability.page import PAGE, write_section
from tools.reliability.runs import FILE, append, read, runs_of
from tools.reliability.table import one_run, section
from tools.reliability.tree import Tree

CHECKS: dict[str, Check] = {
    check.name: check
    for check in sorted(
        (*load_checks.CHECKS, *page_checks.CHECKS, *input_checks.CHECKS, *kill_check.CHECKS),
        key=lambda c: (not c.name.isdigit(), int(c.name) if c.name.isdigit() else 0, c.name),
    )
}


def options() -> argparse.ArgumentParser:
    """What can be asked for."""
    parser = argparse.ArgumentParser(prog="python -m tools.reliability", description=__doc__)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=f"out of {', '.join(CHECKS)} (default: all)")
    parser.add_argument("--tree", type=Path, help="another checkout, measured first, check by check, as “before”")
    parser.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name} afterwards, as --table does")
    parser.add_argument(
        "--table", action="store_true", help=f"measure nothing: write docs/{PAGE.name} from {FILE.name}"
    )
    parser.add_argument("--no-record", action="store_true", help=f"to try something out: add nothing to {FILE.name}")
    return parser


def main(words: Sequence[str] | None = None) -> int:
    """0 = every check that was run reaches its figure."""
    parser = options()
    args = parser.parse_args(words)
    if unknown := [name for name in args.checks if name not in CHECKS]:
        parser.error(f"there is no check {unknown[0]!r}; there are {', '.join(CHECKS)}")
    if args.table and (args.checks or args.tree or args.write or args.no_record):
        parser.error("--table measures nothing and stands alone")
    if args.write and args.no_record:
        parser.error("--write shows what is recorded; leave out --no-record")
    if args.tree is not None and not args.tree.is_dir():
        parser.error(f"there is no folder {args.tree}")
    good = args.table or measure(list(dict.fromkeys(args.checks or CHECKS)), args.tree, keep=not args.no_record)
    if args.table or args.write:
        write_section(section(read(), list(CHECKS.values())))
    return 0 if good else 1


def measure(names: Sequence[str], other: Path | None, keep: bool) -> bool:
    """One run: whether this tree reaches every figure.

    Args:
        names: of the checks.
        other: folder of another checkout to compare with.
        keep: add the figures to the file.
    """
    before: dict[Side, Tree] = {} if other is None else {"before": Tree(other.resolve())}
    run = now().isoformat(timespec="milliseconds").replace("+00:00", "Z")  # no other run begins in this millisecond
    found: list[Measurement] = []
    for figure in all_figures([CHECKS[name] for name in names], {**before, "after": Tree()}, run):
        found.append(figure)
        if keep:
            append(figure)
        mark = {True: "reached", False: "NOT REACHED", None: "–"}[figure.passed]
        print(f"{figure.check:>5}  {figure.tree:<6} {mark:<12} {figure.said}   [{figure.seconds:.0f} s]", flush=True)
    print(f"\n{one_run(runs_of(found), [CHECKS[name] for name in names])}")
    return all(figure.passed for figure in found if figure.tree == "after")


if __name__ == "__main__":
    raise SystemExit(main())
