"""`python -m core standing`: SAFE against every other policy at many settings, on calibration seeds."""

from __future__ import annotations

import argparse

from core.cli.study import add_run_options, report, run_with_progress
from core.cli.target import writable_folder
from core.scenario.plain_numbers import whole_number
from core.studies.standing import STANDING_SEED, standing_markdown, standing_rows, standing_study

EXAMPLE = """examples:
  python -m core standing --out data/standing
  python -m core standing --trials 2 --out /tmp/look

Flies the r_c × S grid, swarm sizes, link budgets, feed-forward and some presets; writes trials.csv (one row per setting, policy and
seed) and standing.md. Seeds are below 1000: nothing here is an evaluation. The missions are a study, kept in studies/: give the same command again after an interruption."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "standing",
        help="who is first at which setting",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--trials", type=whole_number, default=10, help="missions per setting and policy (default 10)")
    parser.add_argument(
        "--first-seed",
        type=whole_number,
        default=STANDING_SEED,
        help=f"first calibration seed (default {STANDING_SEED})",
    )
    add_run_options(parser, "folder to write; what was flown there before is kept")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fly, print the table, write the files."""
    study = standing_study(trials=args.trials, first_seed=args.first_seed)
    folder = writable_folder(args.out)
    outcome = run_with_progress(study, args, folder / "studies" / "settings")
    if not outcome.complete:
        return report(outcome)
    trials = standing_rows(outcome.store, study)
    trials.to_csv(folder / "trials.csv", index=False, float_format="%.6g")
    text = standing_markdown(trials)
    (folder / "standing.md").write_text(text, encoding="utf-8")
    print(text)
    return 0
