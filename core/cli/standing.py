"""`python -m core standing`: SAFE against every other policy at many settings, on calibration seeds."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.cli.progress import progress_bar
from core.cli.target import writable_folder
from core.scenario import SCENES
from core.simulation.standing import STANDING_SEED, fly_standing, standing_markdown
from core.studies.scenes import scenes, scenes_markdown

EXAMPLE = """examples:
  python -m core standing --out data/standing
  python -m core standing --scenes --out data/scenes
  python -m core standing --trials 2 --out /tmp/look

Flies the r_c × S grid, swarm sizes, link budgets, feed-forward and some presets; writes trials.csv (one row per setting, policy and
seed) and standing.md. With --scenes: the presets that differ in geometry, every policy by itself, scenes.md. Seeds are below 1000: nothing here is an evaluation."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "standing",
        help="who is first at which setting",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--scenes", action="store_true", help=f"fly {', '.join(SCENES)} instead")
    parser.add_argument("--trials", type=int, default=10, help="missions per setting and policy (default 10)")
    parser.add_argument(
        "--first-seed", type=int, default=STANDING_SEED, help=f"first calibration seed (default {STANDING_SEED})"
    )
    parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--out", type=Path, required=True, help="folder to write")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fly, print the table, write the files."""
    folder = writable_folder(args.out)
    with progress_bar("mission") as show:
        trials = fly_standing(
            scenes() if args.scenes else None,
            trials=args.trials,
            first_seed=args.first_seed,
            workers=args.workers,
            progress=show,
        )
    trials.to_csv(folder / "trials.csv", index=False, float_format="%.6g")
    text = scenes_markdown(trials) if args.scenes else standing_markdown(trials)
    (folder / ("scenes.md" if args.scenes else "standing.md")).write_text(text, encoding="utf-8")
    print(text)
    return 0
