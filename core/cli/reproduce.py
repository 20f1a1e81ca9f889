"""`python -m core reproduce`: policies on the same seeds, beside the paper's numbers of Section V-B."""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from core.cli.ablation_figure import save_ablation_figure
from core.cli.ecdf_figures import save_ecdf_figures
from core.cli.study import add_run_options, report, run_with_progress, scenario_from
from core.cli.target import writable_folder
from core.scenario import PRESETS, Scenario
from core.simulation import POLICIES, REPRODUCED
from core.studies.ablation import ablation, ablation_markdown
from core.studies.paper_table import PAPER_MEAN_RMSE_M, grid_markdown, paper_markdown
from core.studies.policies import split_policies
from core.studies.reproduction import Reproduction, grid_rows, grid_study, reproduction_study
from core.studies.seeds import EVALUATION_SEED

EXAMPLE = """examples:
  python -m core reproduce --trials 30 --out results/reproduction
  python -m core reproduce --trials 30 --first-seed 11000 --supervisor both --grid-trials 10 --out data/reproduction
  python -m core reproduce --trials 5 --first-seed 0 --out /tmp/dry-run      (calibration seeds, while choosing parameters)

Writes scenario.yaml, trials.csv (one row per policy and seed), curves.csv and ecdf-*.svg (the three ECDFs), table.md, where ablations of SAFE
flew ablation.md and ablation.svg, and on request
supervisor-off/ with the same files, and grid.csv with grid.md (corridor radius × slots). The missions are studies, kept in
studies/: give the same command again after an interruption."""
MISSIONS, GRID = Path("studies") / "missions", Path("studies") / "grid"
"""Where the records of the missions and of the grid are kept, below the folder of their tables."""


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
    add_run_options(parser, "folder to write; what was flown there before is kept")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fly, print the tables, write the files."""
    scenario = scenario_from(args.scenario) if args.scenario else Scenario()
    names = split_policies(args.policies) if args.policies else None
    seeds = {"first_seed": args.first_seed, "policies": names}
    writable_folder(args.out)
    folders = [(scenario, args.out)]
    if args.supervisor == "both":
        folders.append((scenario.replace(**{"control.supervisor": False}), args.out / "supervisor-off"))
    for flown, folder in folders:
        study = reproduction_study(flown, trials=args.trials, **seeds)
        outcome = run_with_progress(study, args, folder / MISSIONS)
        if not outcome.complete:
            return report(outcome)
        # tables follow from the rows as they are stored
        result = Reproduction.load(Reproduction.of(outcome.store, study).save(folder))
        save_ecdf_figures(result, folder)
        _write(folder / "table.md", paper_markdown(result))
        if ablation(result):
            save_ablation_figure(result, folder)
            _write(folder / "ablation.md", ablation_markdown(result))
    if args.grid_trials > 0:
        seeds["policies"] = names or tuple(PAPER_MEAN_RMSE_M)
        study = grid_study(scenario, trials=args.grid_trials, **seeds)
        outcome = run_with_progress(study, args, args.out / GRID)
        if not outcome.complete:
            return report(outcome)
        grid_rows(outcome.store, study).to_csv(args.out / "grid.csv", index=False, float_format="%.6g")
        if {"SAFE"} < set(study.policies):  # otherwise there is nothing to compare
            _write(args.out / "grid.md", grid_markdown(pd.read_csv(args.out / "grid.csv")))
    print(f"saved in {args.out}")
    return 0


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    print(text)
