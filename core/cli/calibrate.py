"""`python -m core calibrate`: fly the calibration runs of a scenario and write what they teach the twin."""

from __future__ import annotations

import argparse
import os
import signal

from core.cli.own_files import add_own_options, with_own
from core.cli.parent import add_stop_on_eof, when_input_ends
from core.cli.progress import progress_bar
from core.cli.study import scenario_from
from core.errors import CalibrationError
from core.scenario import PRESETS, Scenario
from core.scenario.plain_numbers import whole_number
from core.simulation.calibrate import calibrate, check_seed_range, check_seeds, split
from core.simulation.held_out import coverage_of_rest
from core.twin import check_target, own_path, save_calibration

EXAMPLE = """examples:
  python -m core calibrate --seeds 0:30 --out data/calibration/default
  python -m core calibrate --scenario my-scenario.yaml

Writes <out>.npz and <out>.yaml. Whatever lies in results/calibration is found again by every command and by the dashboard
when they meet its scenario. Seeds from 1000 on are refused. See docs/CALIBRATION.md."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "calibrate",
        help="calibrate the digital twin for a scenario",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seeds", default="0:30", help="first:end or a,b,c; all below 1000 (default 0:30)")
    parser.add_argument("--scenario", help=f"YAML file or preset ({', '.join(PRESETS)}); default: the default scenario")
    add_own_options(parser)
    parser.add_argument(
        "--first",
        type=float,
        default=1.0,
        metavar="SHARE",
        help="learn from this share of the mission, test on the rest",
    )
    parser.add_argument("--out", help="where to write, without suffix (default results/calibration/…)")
    parser.add_argument("--workers", type=whole_number, default=2, help="processes (default 2)")
    add_stop_on_eof(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command; 0 = both files are written."""
    scenario = with_own(scenario_from(args.scenario) if args.scenario else Scenario(), args)
    if args.stop_on_eof:
        when_input_ends(lambda: os.kill(os.getpid(), signal.SIGINT))
    seeds = check_seeds(parse_seeds(args.seeds))
    split(scenario, args.first)  # refused before the work
    out = own_path(scenario) if args.out is None else args.out
    check_target(out)
    with progress_bar("calibration run", quiet=args.quiet) as show:
        calibration = calibrate(scenario, seeds, show, args.workers, args.first)
    npz, header = save_calibration(calibration, out)
    print(f"{npz} ({npz.stat().st_size / 1e3:.0f} kB) and {header}: {len(seeds)} seeds.")
    if args.first < 1.0:
        print(coverage_of_rest(calibration, scenario, seeds, args.first, args.workers).words)
    if gaps := calibration.gaps(scenario.twin.beta):
        print(f"note: {gaps}")
    return 0


def parse_seeds(text: str) -> list[int]:
    """Seeds from "0:30" (end excluded) or "1,2,5"."""
    try:
        if ":" in text:
            first, end = (int(x) for x in text.split(":"))
            if first < end:
                check_seed_range(first, end - 1)  # before a list of two thousand million of them is made
            return list(range(first, end))
        return [int(x) for x in text.split(",")]
    except ValueError as error:
        raise CalibrationError(
            f"--seeds {text[:60]!r} is neither first:end, such as 0:30, nor a list, such as 1,2,5."
        ) from error
