"""`python -m core study`: sweep scenario fields under several policies, on this machine or on a Dask cluster."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from core.cli.own_files import add_own_options, with_own
from core.cli.parent import add_stop_on_eof, when_input_ends
from core.errors import StudyError
from core.scenario import PRESETS, Scenario
from core.scenario.plain_numbers import whole_number
from core.studies.axis import parse_axis
from core.studies.comparison import paired_differences
from core.studies.definition import Study
from core.studies.metrics import metric_columns, unit_of
from core.studies.policies import split_policies
from core.studies.run import Outcome, Progress, run_study
from core.studies.seeds import EVALUATION_SEED, seed_range
from core.studies.statistics import summarise
from core.studies.store import DIFFERENCES
from core.studies.study_file import scenario_named
from core.twin import calibration_for

EXAMPLE = """examples:
  python -m core study --vary network.slots=100:200:10 --policies SAFE,VoI-Sched --trials 20 --out results/slots
  python -m core study --vary network.slots=120,160 --vary twin.beta=0.01,0.05,0.2 --trials 5 --out results/slots-beta
  python -m core study my-study.yaml --out results/mine        (a YAML file with vary, policies, trials, scenario)

Give the same command again after an interruption: finished runs are kept. See docs/STUDIES.md."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "study",
        help="run a what-if study",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", nargs="?", type=Path, help="YAML study file; the options below override its entries")
    add_study_options(parser)
    add_run_options(parser)
    parser.set_defaults(run=run)


def add_study_options(parser: argparse.ArgumentParser) -> None:
    """Options that say what is run."""
    parser.add_argument("--vary", action="append", metavar="FIELD=VALUES", help="lo:hi:step or a,b,c; may be repeated")
    parser.add_argument("--policies", help="comma-separated names (default SAFE)")
    parser.add_argument("--trials", type=whole_number, help="seeds per cell and policy (default 1)")
    parser.add_argument("--seed-start", type=whole_number, help=f"first seed (default {EVALUATION_SEED})")
    parser.add_argument("--scenario", help=f"YAML file or preset ({', '.join(PRESETS)}) for all that is not varied")
    add_own_options(parser)


def add_run_options(parser: argparse.ArgumentParser, out: str = "study folder; an existing study is continued") -> None:
    """Options that say where it is run; `out` is the help of --out."""
    parser.add_argument("--out", required=True, type=Path, help=out)
    parser.add_argument(
        "--workers", type=whole_number, default=2, help="local processes; 0 = in this process (default 2)"
    )
    parser.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="a Dask scheduler you already have")
    add_stop_on_eof(parser)
    parser.add_argument("--fresh", action="store_true", help="delete the records in --out and start again")


def run(args: argparse.Namespace) -> int:
    """Run the command; 0 = every record is on disk, 1 = some failed, 130 = interrupted."""
    outcome = run_with_progress(study_from(args), args)
    if outcome.total <= 5000 and outcome.kept + outcome.new:
        _print_summary(outcome)
    return report(outcome)


def study_from(args: argparse.Namespace) -> Study:
    """The study that the file and the options define together."""
    base = Study.from_yaml(args.file) if getattr(args, "file", None) else Study()
    trials = len(base.seeds) if args.trials is None else args.trials
    start = base.seeds[0] if args.seed_start is None else args.seed_start
    keep_seeds = args.trials is None and args.seed_start is None
    return Study(
        scenario=with_own(base.scenario if args.scenario is None else scenario_from(args.scenario), args),
        axes=tuple(parse_axis(text) for text in args.vary) if args.vary else base.axes,
        policies=base.policies if args.policies is None else split_policies(args.policies),
        seeds=base.seeds if keep_seeds else seed_range(trials, start),
        points=base.points if not args.vary else None,
        settings=base.settings,
        samples=base.samples,
    )


def scenario_from(text: str) -> Scenario:
    """A preset by name, or a YAML file."""
    return scenario_named(text)


def tell_if_uncalibrated(scenario: Scenario) -> None:
    """Say on standard error when the twin was never calibrated for this scenario."""
    if text := calibration_for(scenario).notice(scenario):
        print(f"note: {text}", file=sys.stderr)


def run_with_progress(study: Study, args: argparse.Namespace, folder: Path | None = None) -> Outcome:
    """Run a study with a progress bar; Ctrl-C or SIGTERM stops it after the runs that are being written.

    Args:
        study: what to run.
        args: the options of `add_run_options`.
        folder: the study folder when it is not --out itself.
    """
    cancel = threading.Event()
    if args.stop_on_eof:
        when_input_ends(cancel.set)
    bar: tqdm[Any] = tqdm(unit="run", dynamic_ncols=True, file=sys.stderr, smoothing=0.1)

    def show(progress: Progress) -> None:
        if progress.row is None:
            bar.reset(total=progress.total)
            bar.initial = bar.n = progress.done
            bar.refresh()
        else:
            bar.update(progress.done - bar.n)

    with bar, _signals_set(cancel):
        return run_study(
            study,
            args.out if folder is None else folder,
            workers=args.workers,
            scheduler=args.scheduler,
            fresh=args.fresh,
            cancel=cancel,
            on_progress=show,
            announce=lambda text: bar.write(text, file=sys.stderr),
        )


@contextlib.contextmanager
def _signals_set(cancel: threading.Event) -> Iterator[None]:
    before = {number: signal.signal(number, lambda *_: cancel.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def report(outcome: Outcome) -> int:
    """Say what happened and return the exit code."""
    print(
        f"{outcome.kept + outcome.new} of {outcome.total} records in {outcome.store.folder} "
        f"({outcome.kept} kept, {outcome.new} new)"
    )
    print(f"read them with  pandas.read_parquet({str(outcome.store.records)!r})")
    for task, why in outcome.failed[:5]:
        print(f"failed: {task.policy}, seed {task.seed}, {task.cell}: {why}", file=sys.stderr)
    if outcome.failed:
        print(f"{len(outcome.failed)} runs failed; give the same command again to try them once more.", file=sys.stderr)
        return 1
    if not outcome.complete:
        print("stopped; give the same command again to continue.", file=sys.stderr)
        return 130
    return 0


def _print_summary(outcome: Outcome) -> None:
    """The first metric: per cell and policy, and the policies against the first of them."""
    study, frame = outcome.store.study(), outcome.store.frame()
    metrics = metric_columns(frame.columns, study.names)
    if not metrics:
        raise StudyError(f"{outcome.store.folder} has no metric to show.")
    metric, baseline = metrics[0], study.policies[0]
    heading = f"{metric} [{unit_of(metric)}]" if unit_of(metric) else metric
    table = summarise(frame[[*(c for c in frame.columns if c not in metrics), metric]], study)
    print(f"\n{heading}, 95 % band of the mean over seeds")
    _print_table(table.drop(columns=["metric", "unit"]))
    differences = paired_differences(frame, study, metric, baseline)
    if len(differences):
        print(
            f"{heading}, difference from {baseline} on matched seeds, 95 % band (all pairs and metrics: {DIFFERENCES})"
        )
        _print_table(differences.drop(columns=["baseline", "metric", "unit", "p_value", "baseline_better"]))


def _print_table(table: pd.DataFrame) -> None:
    print(table.to_string(index=False, float_format=lambda x: f"{x:.3f}"), end="\n\n")
