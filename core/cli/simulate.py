"""`python -m core simulate`: fly one mission under one policy and save it."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.cli.own_files import add_own_options, with_own
from core.cli.study import scenario_from, tell_if_uncalibrated
from core.cli.target import writable_file
from core.scenario import PRESETS, Scenario
from core.scenario.own import own_words
from core.scenario.plain_numbers import whole_number
from core.simulation import METRICS, POLICIES, Simulation, reference, simulate
from core.simulation.link_recording import fly_and_record
from core.simulation.own_mission import mission_of

EXAMPLE = """examples:
  python -m core simulate --policy SAFE --seed 3
  python -m core simulate --policy VoI-Sched --scenario stressed --out run.npz
  python -m core simulate --out run.parquet
  python -m core simulate --mission survey.csv --buildings campus.geojson
  python -m core simulate --save-mission flown.csv --save-links links.csv
  python -m core simulate --mission flown.csv --links links.csv

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
    parser.add_argument(
        "--seed", type=whole_number, default=0, help="trial (default 0; evaluation seeds start at 10000)"
    )
    parser.add_argument("--scenario", help=f"YAML file or preset ({', '.join(PRESETS)})")
    add_own_options(parser)
    parser.add_argument("--save-mission", type=Path, metavar="FILE", help="write the mission as a table for --mission")
    parser.add_argument(
        "--save-links", type=Path, metavar="FILE", help="write every link of the run as a trace for --links"
    )
    parser.add_argument("--out", type=Path, help="file to write: .npz, or .parquet for a table")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fly the mission and print its metrics."""
    scenario = with_own(scenario_from(args.scenario) if args.scenario else Scenario(), args)
    out = writable_file(args.out) if args.out is not None else None
    mission = writable_file(args.save_mission) if args.save_mission is not None else None
    links = writable_file(args.save_links) if args.save_links is not None else None
    for name, words in own_words(scenario).items():
        print(f"{name}: {words}")
    tell_if_uncalibrated(scenario)
    if links is None:
        flown = simulate(scenario, args.policy, args.seed)
    else:
        flown, trace = fly_and_record(Simulation(scenario, args.policy, args.seed))
    for name, value in flown.summary().items():
        print(f"{name:<24}{value:12.4g} {METRICS[name].unit:<7} {METRICS[name].sentence}")
    if out is not None:
        print(f"saved {flown.to_parquet(out) if out.suffix == '.parquet' else flown.save(out)}")
    if mission is not None:
        mission.write_bytes(mission_of(reference(scenario, args.seed), scenario.control.Ts).content())
        print(f"saved {mission}")
    if links is not None:
        links.write_bytes(trace.content())
        print(f"saved {links}: {len(trace.t)} records of links")
    return 0
