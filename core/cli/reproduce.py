"""`python -m core reproduce`: policies on the same seeds, beside the paper's numbers of Section V-B."""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from core.cli.ecdf_figures import save_ecdf_figures
from core.cli.progress import progress_bar
from core.cli.study import scenario_from, tell_if_uncalibrated
from core.cli.target import writable_folder
from core.scenario import PRESETS, Scenario
from core.simulation import POLICIES, REPRODUCED
from core.simulation.paper_table import PAPER_MEAN_RMSE_M, grid_markdown, paper_markdown
from core.simulation.reproduction import EVALUATION_SEED, Reproduction, corridor_slot_grid, reproduce

EXAMPLE = """examples:
  python -m core reproduce --trials 30 --out results/reproduction
  python -m core reproduce --trials 30 --first-seed 11000 --supervisor both --grid-trials 10 --out data/reproduction
  python -m core reproduce --trials 5 --first-seed 0 --out /tmp/dry-run      (calibration seeds, while choosing parameters)

Writes scenario.yaml, trials.csv (one row per policy and seed), curves.csv and ecdf-*.svg (the three ECDFs), table.md, and on request
supervisor-off/ with the same files, and grid.csv with grid.md (corridor radius × slots)."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "reproduce",
        help="the paper's comparison of policies",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--trials", type=int, default=30, help="missions per policy (default 30)")
    parser.add_argument(
        "--first-seed", type=int, default=EVALUATION_SEED, help=f"first seed (default {EVALUATION_SEED})"
    )
    parser.add_argument(
        "--policies", help=f"comma-separated names of {', '.join(POLICIES)} (default: {','.join(REPRODUCED)})"
    )
    parser.add_argument("--scenario", help=f"YAML file or preset ({', '.join(PRESETS)})")
    parser.add_argument(
        "--supervisor", choices=("on", "both"), default="on", help="both: also with the safe-mode supervisor off (D12)"
    )
    parser.add_argument(
        "--grid-trials",
        type=int,
        default=0,
        help="missions per cell of the r_c × S grid and policy (the paper's five unless --policies names others)",
    )
    parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--out", type=Path, required=True, help="folder to write")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fly, print the table, write the files."""
    scenario = scenario_from(args.scenario) if args.scenario else Scenario()
    writable_folder(args.out)
    tell_if_uncalibrated(scenario)
    names = [p.strip() for p in args.policies.split(",")] if args.policies else None
    folders = [(scenario, args.out)]
    if args.supervisor == "both":
        folders.append((scenario.replace(**{"control.supervisor": False}), args.out / "supervisor-off"))
    for flown, folder in folders:
        with progress_bar("mission") as show:
            result = reproduce(
                flown,
                trials=args.trials,
                first_seed=args.first_seed,
                policies=names,
                workers=args.workers,
                progress=show,
            )
        result = Reproduction.load(result.save(folder))  # tables follow from the rows as they are stored
        save_ecdf_figures(result, folder)
        text = paper_markdown(result)
        (folder / "table.md").write_text(text, encoding="utf-8")
        print(text)
    if args.grid_trials > 0:
        with progress_bar("mission") as show:
            grid = corridor_slot_grid(
                scenario,
                trials=args.grid_trials,
                first_seed=args.first_seed,
                policies=names or list(PAPER_MEAN_RMSE_M),
                workers=args.workers,
                progress=show,
            )
        grid.to_csv(args.out / "grid.csv", index=False, float_format="%.6g")
        if {"SAFE"} < set(grid["policy"]) & set(PAPER_MEAN_RMSE_M):  # otherwise there is nothing to compare
            text = grid_markdown(pd.read_csv(args.out / "grid.csv"))
            (args.out / "grid.md").write_text(text, encoding="utf-8")
            print(text)
    print(f"saved in {args.out}")
    return 0
