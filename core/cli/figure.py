"""`python -m core figure`: a figure or a table for paper, from one cycle of a flight, a study or the shipped results."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.cli.study import scenario_from, tell_if_uncalibrated
from core.cli.target import writable_file
from core.errors import SafeExplorerError
from core.scenario import PRESETS, SCENES, Scenario
from core.scenario.plain_numbers import whole_number
from core.simulation import PAPER_FIVE, POLICIES
from core.studies.policies import split_policies

EXAMPLE = """examples:
  python -m core figure --list
  python -m core figure certified-frontier --out frontier.pdf --cycle 60 --uav 17
  python -m core figure flight-distributions --out flight.svg --width page --policies SAFE,VoI-Sched
  python -m core figure study-curves --study data/studies/scarcity --out scarcity.pdf
  python -m core figure paper-numbers --out numbers.tex --width page

The ending of --out says the format: .svg, .pdf, .png or .csv of a figure, .csv or .tex of a table. The caption is printed. See docs/EXPORT.md."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "figure",
        help="a figure or a table for paper",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", nargs="?", help="which one; --list names them all")
    parser.add_argument("--list", action="store_true", help="name every figure and table")
    parser.add_argument("--out", type=Path, help="file to write: .svg .pdf .png .csv, of a table .csv .tex")
    parser.add_argument(
        "--width", choices=("column", "page"), default="column", help="3.5 in or 7.16 in (default column)"
    )
    of = parser.add_argument_group("of one cycle of a flight")
    of.add_argument("--scenario", help=f"YAML file or preset ({', '.join(PRESETS)})")
    of.add_argument("--policy", default="SAFE", help=f"one of {', '.join(POLICIES)} (default SAFE)")
    of.add_argument("--seed", type=whole_number, default=0, help="trial (default 0)")
    of.add_argument("--cycle", type=whole_number, default=22, help="of the flight (default 22)")
    of.add_argument("--uav", type=whole_number, default=0, help="counted from 1 (default: the most instructive one)")
    of.add_argument("--over", default="network.snr_offset_db", help="what a solution varies (default %(default)s)")
    of.add_argument("--policies", help=f"to compare, comma-separated (default {','.join(PAPER_FIVE)})")
    other = parser.add_argument_group("of a study, or of the shipped ledgers")
    other.add_argument("--study", type=Path, help="folder of a study")
    other.add_argument("--metric", default="mean_rmse_m", help="of the study (default mean_rmse_m)")
    other.add_argument("--along", default="", help="varied field on the axis (default: the first)")
    other.add_argument("--scene", default=SCENES[0], choices=SCENES, help=f"of the ledger (default {SCENES[0]})")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Draw it, write it, print its caption."""
    if args.list:
        width = max(map(len, KNOWN))
        for name, (kind, words, _) in KNOWN.items():
            print(f"{name:<{width}}  {kind:<6}  {words}")
        return 0
    if args.name not in KNOWN:
        said = f"There is no figure {args.name!r}" if args.name else "Name a figure or a table"
        raise SafeExplorerError(f"{said}; python -m core figure --list names them all.")
    if args.out is None:
        raise SafeExplorerError(
            f"Give the file to write, such as --out {args.name}.{'tex' if KNOWN[args.name][0] == 'table' else 'pdf'}."
        )
    known = ("csv", "tex") if KNOWN[args.name][0] == "table" else ("svg", "pdf", "png", "csv")
    if args.out.suffix.removeprefix(".").lower() not in known:  # before the flight, not after it
        raise SafeExplorerError(f"--out {args.out.name!r} must end in {', '.join('.' + k for k in known)}.")
    out = writable_file(args.out)
    made = KNOWN[args.name][2](args)
    made.export(out, width=args.width)
    print(made.caption)
    print(f"saved {out} ({made.stamp.text})")
    return 0


def _focus(args: argparse.Namespace) -> Any:
    from core.instant import interesting_loop

    flight = _flight(args, args.policy)
    if not 0 <= args.cycle < flight.cycles:
        raise SafeExplorerError(f"There is no cycle {args.cycle}; the mission has the cycles 0 to {flight.cycles - 1}.")
    flight.reach(args.cycle)
    return flight.instant(args.cycle).on(args.uav - 1 if args.uav else interesting_loop(flight, args.cycle))


def _flight(args: argparse.Namespace, policy: str) -> Any:
    from core.instant import Flight

    scenario = scenario_from(args.scenario) if args.scenario else Scenario()
    tell_if_uncalibrated(scenario)
    return Flight.of(scenario, policy, args.seed)


def _instant(name: str) -> Callable[[argparse.Namespace], Any]:
    def made(args: argparse.Namespace) -> Any:
        import core.figures as figures

        focus = _focus(args)
        if name != "policy_frames":
            return getattr(figures, name)(focus)
        return figures.policy_frames(focus, focus.instant.other_policies(_policies(args)))

    return made


def _solved(args: argparse.Namespace) -> Any:
    from core.figures import solved

    return solved(_focus(args), name=args.over)


def _flights(name: str) -> Callable[[argparse.Namespace], Any]:
    def made(args: argparse.Namespace) -> Any:
        import core.figures as figures

        found = {policy: _flight(args, policy) for policy in dict.fromkeys((args.policy, *_policies(args)))}
        loop = max(args.uav, 1) - 1
        uavs = next(iter(found.values())).scenario.mission.uavs
        if loop >= uavs:
            raise SafeExplorerError(f"There is no UAV {args.uav}: the swarm has {uavs}.")
        return getattr(figures, name)(found, args.cycle, loop)

    return made


def _policies(args: argparse.Namespace) -> tuple[str, ...]:
    return tuple(split_policies(args.policies)) if args.policies else PAPER_FIVE


def _study(name: str) -> Callable[[argparse.Namespace], Any]:
    def made(args: argparse.Namespace) -> Any:
        import core.figures as figures
        from core.studies import StudyStore

        if args.study is None:
            raise SafeExplorerError("Give the folder of a study with --study, such as data/studies/scarcity.")
        store = StudyStore(args.study)
        along = {"x": args.along} if name in ("study_curves", "study_map") else {}
        return getattr(figures, name)(store.study(), store.frame(), args.metric, **along)

    return made


def _shipped(name: str, *more: str) -> Callable[[argparse.Namespace], Any]:
    def made(_: argparse.Namespace) -> Any:
        import pandas as pd

        import core.figures as figures
        from core.studies.reproduction import FOLDER, Reproduction

        result = Reproduction.load()
        if name in ("reproduction_grid", "grid", "scenes"):
            return getattr(figures, name)(
                pd.read_csv(FOLDER / f"{'scenes' if name == 'scenes' else 'grid'}.csv"), result
            )
        return getattr(figures, name)(result, *more)

    return made


def _claims(_: argparse.Namespace) -> Any:
    from core.figures import claims
    from core.studies.claims import load_findings

    return claims(load_findings(), Scenario())


def _ledger(args: argparse.Namespace) -> Any:
    from core.figures import ledger

    return ledger(args.scene)


KNOWN: dict[str, tuple[str, str, Callable[[argparse.Namespace], Any]]] = {
    "safety-boundary": ("figure", "Φ over g and ρ_ul, with the loop's actions", _instant("safety_boundary")),
    "uplink-downlink": ("figure", "Φ over ρ_ul and ρ_dl", _instant("uplink_downlink")),
    "state-plane": ("figure", "Φ over V/V_max and tr Σ", _instant("state_plane")),
    "certified-frontier": ("figure", "slots and value of a loop's actions", _instant("certified_frontier")),
    "prediction": ("figure", "the next cycles with and without the exchange", _instant("prediction")),
    "slot-allocation": ("figure", "the frame, and what b slots are worth", _instant("slot_allocation")),
    "solution": ("figure", "a loop over one quantity, with its thresholds", _solved),
    "policy-frames": ("figure", "what other policies would send", _instant("policy_frames")),
    "flight-series": ("figure", "RMSE and V over the cycles", _flights("flight_series")),
    "flight-distributions": ("figure", "distributions of RMSE, V/V_max and delay", _flights("flight_distributions")),
    "flight-modes": ("figure", "shares of the loops' modes", _flights("flight_modes")),
    "study-curves": ("figure", "a metric along a varied field, with bands", _study("study_curves")),
    "study-map": ("figure", "who wins over two varied fields", _study("study_map")),
    "ecdf-rmse": ("figure", "reproduction: RMSE of all policies", _shipped("reproduction_ecdf", "rmse_m")),
    "ecdf-v": ("figure", "reproduction: V/V_max of all policies", _shipped("reproduction_ecdf", "v_normalised")),
    "ecdf-delay": ("figure", "reproduction: command delay", _shipped("reproduction_ecdf", "command_delay_ms")),
    "ablation": ("figure", "what each part of SAFE buys", _shipped("reproduction_ablation")),
    "grid-map": ("figure", "who wins over corridor radius and frame length", _shipped("reproduction_grid")),
    "loops": ("table", "all loops of one cycle", _instant("loops")),
    "flight-numbers": ("table", "metrics of flights by policy", _flights("flight_numbers")),
    "study-summary": ("table", "a study's mean, band and P95", _study("study_summary")),
    "study-differences": ("table", "a study's paired differences", _study("study_differences")),
    "claims": ("table", "the paper's promises beside their measurement", _claims),
    "ledger": ("table", "what each bound of the certificate costs", _ledger),
    "paper-numbers": ("table", "the paper's numbers beside ours", _shipped("paper_numbers")),
    "paper-differences": ("table", "SAFE minus each policy", _shipped("paper_differences")),
    "ablations": ("table", "what each part of SAFE buys", _shipped("ablations")),
    "grid": ("table", "corridor radius × frame length", _shipped("grid")),
    "scenes": ("table", "mean RMSE in other scenes", _shipped("scenes")),
}
"""Name → kind, what it shows, how it is made."""
