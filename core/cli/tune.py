"""`python -m core tune`: how scarcity, the baselines' constants and SAFE's look-ahead were chosen, on calibration seeds only."""

from __future__ import annotations

import argparse

from core.cli.study import add_run_options, report, run_with_progress
from core.cli.target import writable_folder
from core.studies import tuning

EXAMPLE = """example:
  python -m core tune --out data/reproduction

Writes tuning.csv (one row per variant and seed), scarcity.csv (one row per extra margin and seed),
lookahead.csv (one row per look-ahead, weight, frame and seed) and tuning.md. Seeds are fixed, below
1000, and none of them calibrates the twin or is evaluated on. The missions are studies, kept in
studies/: give the same command again after an interruption."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "tune",
        help="how the free parameters were chosen",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_run_options(parser, "folder to write; what was flown there before is kept")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fly every variant, print the tables, write the files."""
    folder = writable_folder(args.out)
    asked = (
        ("scarcity", tuning.margins_study(), tuning.margin_rows),
        ("tuning", tuning.variants_study(), tuning.variant_rows),
        ("lookahead", tuning.lookaheads_study(), tuning.lookahead_rows),
    )
    tables = {}
    for name, study, rows in asked:
        outcome = run_with_progress(study, args, folder / "studies" / name)
        if not outcome.complete:
            return report(outcome)
        tables[name] = rows(outcome.store, study)
        tables[name].to_csv(folder / f"{name}.csv", index=False, float_format="%.6g")
    text = tuning.tuning_markdown(tables["tuning"], tables["scarcity"], tables["lookahead"])
    (folder / "tuning.md").write_text(text, encoding="utf-8")
    print(text)
    return 0
