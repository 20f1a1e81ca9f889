"""`python -m core tune`: how scarcity, the baselines' constants and SAFE's look-ahead were chosen, on calibration seeds only."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.cli.progress import progress_bar
from core.cli.target import writable_folder
from core.scenario import PRESETS, preset
from core.simulation.tuning import try_lookaheads, try_margins, try_variants, tuning_markdown

EXAMPLE = """examples:
  python -m core tune --out data/reproduction
  python -m core tune --scarcity-of wide-hall --out data/reproduction

Writes tuning.csv (one row per variant and seed), scarcity.csv (one row per extra margin and seed),
lookahead.csv (one row per look-ahead, weight, frame and seed) and tuning.md. Seeds are fixed, below
1000, and none of them calibrates the twin or is evaluated on. With --scarcity-of only scarcity-<preset>.csv is
written: the rule that chose network.extra_margin_db, asked in another scene."""


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
    parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--out", type=Path, required=True, help="folder to write")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fly every variant, print the tables, write the files."""
    folder = writable_folder(args.out)
    if args.scarcity_of is not None:
        return _scarcity(args.scarcity_of, folder, args.workers)
    with progress_bar("mission") as show:
        margins = try_margins(workers=args.workers, progress=show)
    with progress_bar("mission") as show:
        tried = try_variants(workers=args.workers, progress=show)
    with progress_bar("mission") as show:
        lookaheads = try_lookaheads(workers=args.workers, progress=show)
    margins.to_csv(folder / "scarcity.csv", index=False, float_format="%.6g")
    tried.to_csv(folder / "tuning.csv", index=False, float_format="%.6g")
    lookaheads.to_csv(folder / "lookahead.csv", index=False, float_format="%.6g")
    text = tuning_markdown(tried, margins, lookaheads)
    (folder / "tuning.md").write_text(text, encoding="utf-8")
    print(text)
    return 0


def _scarcity(name: str, folder: Path, workers: int) -> int:
    """What a state-blind rotation waits at each extra margin in the scene of a preset; the rule is in docs/REPRODUCTION.md."""
    with progress_bar("mission") as show:
        margins = try_margins(preset(name), workers=workers, progress=show)
    margins.to_csv(folder / f"scarcity-{name}.csv", index=False, float_format="%.6g")
    waits = margins.groupby("extra_margin_db")["cycles_between"].mean()
    print("\n".join(f"{margin:g} dB: {wait:.2f} cycles between successes" for margin, wait in waits.items()))
    return 0
