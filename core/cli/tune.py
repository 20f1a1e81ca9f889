"""`python -m core tune`: how scarcity, the baselines' constants and SAFE's look-ahead were chosen, on calibration seeds only."""

from __future__ import annotations

import argparse

from core.cli.study import add_run_options, report, run_with_progress
from core.cli.target import writable_folder
from core.scenario import PRESETS, preset
from core.studies import tuning

EXAMPLE = """examples:
  python -m core tune --out data/reproduction
  python -m core tune --scarcity-of wide-hall --out data/reproduction

Writes tuning.csv (one row per variant and seed), scarcity.csv (one row per extra margin and seed),
lookahead.csv (one row per look-ahead, weight, frame and seed) and tuning.md. Seeds are fixed, below
1000, and none of them calibrates the twin or is evaluated on. With --scarcity-of only scarcity-<preset>.csv is
written: the rule that chose network.extra_margin_db, asked in another scene. The missions are studies, kept in
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
    parser.add_argument(
        "--scarcity-of", choices=PRESETS, metavar="PRESET", help="only the extra margins, in this scene"
    )
    add_run_options(parser, "folder to write; what was flown there before is kept")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fly every variant, print the tables, write the files."""
    folder = writable_folder(args.out)
    if args.scarcity_of is not None:
        asked = [(f"scarcity-{args.scarcity_of}", tuning.margins_study(preset(args.scarcity_of)), tuning.margin_rows)]
    else:
        asked = [
            ("scarcity", tuning.margins_study(), tuning.margin_rows),
            ("tuning", tuning.variants_study(), tuning.variant_rows),
            ("lookahead", tuning.lookaheads_study(), tuning.lookahead_rows),
        ]
    tables = {}
    for name, study, rows in asked:
        outcome = run_with_progress(study, args, folder / "studies" / name)
        if not outcome.complete:
            return report(outcome)
        tables[name] = rows(outcome.store, study)
        tables[name].to_csv(folder / f"{name}.csv", index=False, float_format="%.6g")
    if args.scarcity_of is not None:
        waits = tables[f"scarcity-{args.scarcity_of}"].groupby("extra_margin_db")["cycles_between"].mean()
        print("\n".join(f"{margin:g} dB: {wait:.2f} cycles between successes" for margin, wait in waits.items()))
        return 0
    text = tuning.tuning_markdown(tables["tuning"], tables["scarcity"], tables["lookahead"])
    (folder / "tuning.md").write_text(text, encoding="utf-8")
    print(text)
    return 0
