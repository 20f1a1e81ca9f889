"""`python -m core sensitivity`: which sliders matter, one at a time or by Sobol indices (SALib)."""

from __future__ import annotations

import argparse
import difflib
from pathlib import Path

from core.cli.study import add_run_options, report, run_with_progress, scenario_from
from core.errors import StudyError
from core.folders import write_atomically
from core.scenario import PRESETS, Scenario
from core.scenario.plain_numbers import whole_number
from core.simulation import METRICS
from core.studies.definition import Study
from core.studies.seeds import EVALUATION_SEED, seed_range
from core.studies.sensitivity import METHODS, effects, one_at_a_time, parse_slider, sobol, sobol_indices
from core.studies.store import SENSITIVITY

EXAMPLE = """examples:
  python -m core sensitivity --vary network.snr_offset_db=-3:3 --vary twin.beta=0.01:0.2 --trials 4 --out results/oat
  python -m core sensitivity --method sobol --samples 16 --vary network.slots=120:200 --vary control.eta=0:0.5 \\
      --trials 2 --out results/sobol"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "sensitivity",
        help="which sliders matter",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--method", choices=METHODS, default="oat", help="one at a time (default), or Sobol indices")
    parser.add_argument(
        "--vary",
        action="append",
        metavar="FIELD[=LO:HI]",
        required=True,
        help="a slider and its range (default: 10 %% of its bounds to either side)",
    )
    parser.add_argument("--metric", help="metric to explain (default: the first one a run reports)")
    parser.add_argument("--policy", default="SAFE", help="policy to run (default SAFE)")
    parser.add_argument("--trials", type=whole_number, default=4, help="seeds per point (default 4)")
    parser.add_argument(
        "--samples", type=whole_number, default=8, help="base samples of Sobol, a power of two (default 8)"
    )
    parser.add_argument("--seed-start", type=whole_number, default=EVALUATION_SEED, help="first seed")
    parser.add_argument("--scenario", help=f"YAML file or preset ({', '.join(PRESETS)})")
    add_run_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the design as a study, print the table and write it as sensitivity.csv in the study folder."""
    study, metric = design_from(args), metric_from(args)
    outcome = run_with_progress(study, args)
    code = report(outcome)
    if not outcome.complete:
        return code
    frame = outcome.store.frame()
    if args.method == "sobol":
        table = sobol_indices(frame, study, metric, args.policy, args.samples)
    else:
        table = effects(frame, study, metric, args.policy)
    print(f"\n{metric}, {args.policy}")
    print(table.to_string(index=False, float_format=lambda x: f"{x:.4g}"))
    text = table.to_csv(index=False, float_format="%.10g", lineterminator="\n")
    write_atomically(Path(args.out) / SENSITIVITY, text.encode())
    return code


def design_from(args: argparse.Namespace) -> Study:
    """The points to fly."""
    scenario = Scenario() if args.scenario is None else scenario_from(args.scenario)
    axes = tuple(parse_slider(scenario, text) for text in args.vary)
    policies, seeds = (args.policy,), seed_range(args.trials, args.seed_start)
    if args.method == "sobol":
        return sobol(scenario, axes, policies, seeds, args.samples)
    return one_at_a_time(scenario, axes, policies, seeds)


def metric_from(args: argparse.Namespace) -> str:
    """The metric to explain, known before the first run; StudyError with the nearest name otherwise."""
    metrics = tuple(METRICS)
    metric = metrics[0] if args.metric is None else str(args.metric)
    if metric not in metrics:
        near = difflib.get_close_matches(metric, metrics, n=1, cutoff=0.4)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise StudyError(f"There is no metric {metric!r}; there are {', '.join(metrics)}.{hint}")
    return metric
