"""`python -m core simulate`: fly one mission under one policy and save it."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.cli.study import scenario_from, tell_if_uncalibrated
from core.cli.target import writable_file
from core.scenario import PRESETS, Scenario
from core.simulation import METRICS, POLICIES, simulate

EXAMPLE = """examples:
  python -m core simulate --policy SAFE --seed 3
  python -m core simulate --policy VoI-Sched --scenario stressed --out run.npz
  python -m core simulate --out run.parquet

The npz holds the arrays of core.simulation.Run by name (see its docstring) and a JSON header; read it with
core.simulation.Run.load, or with numpy.load. A file named .parquet is a table with one row per cycle and loop for
pandas.read_parquet, units in its .attrs (docs/METRICS.md)."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "simulate",
        help="fly one mission",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--policy", default="SAFE", help=f"one of {', '.join(POLICIES)} (default SAFE)")
    parser.add_argument("--seed", type=int, default=0, help="trial (default 0; evaluation seeds start at 10000)")
    parser.add_argument("--scenario", help=f"YAML file or preset ({', '.join(PRESETS)})")
    parser.add_argument("--out", type=Path, help="file to write: .npz, or .parquet for a table")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fly the mission and print its metrics."""
    scenario = scenario_from(args.scenario) if args.scenario else Scenario()
    out = writable_file(args.out) if args.out is not None else None
    tell_if_uncalibrated(scenario)
    flown = simulate(scenario, args.policy, args.seed)
    for name, value in flown.summary().items():
        print(f"{name:<24}{value:12.4g} {METRICS[name].unit:<7} {METRICS[name].sentence}")
    if out is not None:
        print(f"saved {flown.to_parquet(out) if out.suffix == '.parquet' else flown.save(out)}")
    return 0
