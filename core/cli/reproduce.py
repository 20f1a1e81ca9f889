"""`python -m core reproduce`: policies on the same seeds, beside the paper's numbers of Section V-B."""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from core.cli.study import add_run_options, report, run_with_progress, scenario_from
from core.cli.target import writable_folder
from core.figures.reproduction import reproduction_ablation, reproduction_ecdf
from core.scenario import PRESETS, SCENES, Scenario
from core.scenario.plain_numbers import whole_number
from core.simulation import POLICIES, REPRODUCED
from core.studies.ablation import ablation, ablation_markdown
from core.studies.paper_table import grid_markdown, paper_markdown
from core.studies.policies import split_policies
from core.studies.reproduction import (
    FIGURES,
    REPRODUCTION_SEED,
    Reproduction,
    grid_rows,
    grid_study,
    reproduction_study,
)
from core.studies.scenes import scene_rows, scenes_markdown, scenes_study

EXAMPLE = """examples:
  python -m core reproduce --trials 30 --out results/reproduction
  python -m core reproduce --trials 30 --supervisor both --grid-trials 10 --scene-trials 30 --out data/reproduction
  python -m core reproduce --trials 5 --first-seed 0 --out /tmp/dry-run      (calibration seeds, while choosing parameters)

Writes scenario.yaml, trials.csv (one row per policy and seed), curves.csv and ecdf-*.svg (the three ECDFs), table.md, where ablations of SAFE
flew ablation.md and ablation.svg, and on request
supervisor-off/ with the same files, grid.csv with grid.md (corridor radius × slots) and scenes.csv with scenes.md (other places). The missions are studies, kept in
studies/: give the same command again after an interruption."""
MISSIONS, GRID, PLACES = (Path("studies") / name for name in ("missions", "grid", "scenes"))
"""Where the records of the missions, of the grid and of the scenes are kept, below the folder of their tables."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "reproduce",
        help="the paper's comparison of policies",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--trials", type=whole_number, default=30, help="missions per policy (default 30)")
    parser.add_argument(
        "--first-seed", type=whole_number, default=REPRODUCTION_SEED, help=f"first seed (default {REPRODUCTION_SEED})"
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
        type=whole_number,
        default=0,
        help="missions per cell of the r_c × S grid and policy (no parts of SAFE unless --policies names them; default 0)",
    )
    parser.add_argument(
        "--scene-trials",
        type=whole_number,
        default=0,
        help=f"missions per policy in each of {', '.join(SCENES)} (the same policies; default 0)",
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
        for name in FIGURES:
            drawn = reproduction_ecdf(result, name)
            drawn.export(folder / f"{drawn.name}.svg")
        _write(folder / "table.md", paper_markdown(result))
        if ablation(result):
            reproduction_ablation(result).export(folder / "ablation.svg", width="page")
            _write(folder / "ablation.md", ablation_markdown(result))
    if args.grid_trials > 0:
        study = grid_study(scenario, trials=args.grid_trials, **seeds)
        outcome = run_with_progress(study, args, args.out / GRID)
        if not outcome.complete:
            return report(outcome)
        grid_rows(outcome.store, study).to_csv(args.out / "grid.csv", index=False, float_format="%.6g")
        if {"SAFE"} < set(study.policies):  # otherwise there is nothing to compare
            _write(args.out / "grid.md", grid_markdown(pd.read_csv(args.out / "grid.csv")))
    if args.scene_trials > 0:
        study = scenes_study(trials=args.scene_trials, **seeds)
        outcome = run_with_progress(study, args, args.out / PLACES)
        if not outcome.complete:
            return report(outcome)
        scene_rows(outcome.store, study).to_csv(args.out / "scenes.csv", index=False, float_format="%.6g")
        if {"SAFE"} < set(study.policies):
            _write(args.out / "scenes.md", scenes_markdown(pd.read_csv(args.out / "scenes.csv")))
    print(f"saved in {args.out}")
    return 0


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    print(text)
