"""`python -m core links`: every link of a scenario by class, and why the frame is scarce."""

from __future__ import annotations

import argparse

from core.cli.study import scenario_from
from core.errors import ScenarioError
from core.network.link_table import PERCENTILES, USABLE, LinkTable, link_table
from core.scenario import PRESETS, Scenario
from core.scenario.plain_numbers import whole_number
from core.simulation import snapshot
from core.twin import FIRST_EVALUATION_SEED

EXAMPLE = """examples:
  python -m core links
  python -m core links --scenario stressed --seeds 5 --every 10"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "links",
        help="links by class, routes, slots per exchange",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--scenario", help=f"YAML file or preset ({', '.join(PRESETS)})")
    parser.add_argument("--seeds", type=whole_number, default=3, help="missions to pool, seeds from 0 on (default 3)")
    parser.add_argument(
        "--every", type=whole_number, default=10, help="cycles between the instants to pool (default 10)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the table of the pooled instants."""
    if not 1 <= args.seeds <= FIRST_EVALUATION_SEED:
        raise ScenarioError(
            f"--seeds {args.seeds}: the number of missions must lie between 1 and {FIRST_EVALUATION_SEED}."
        )
    if args.every < 1:
        raise ScenarioError(f"--every {args.every}: the number of cycles between two instants must be at least 1.")
    scenario = scenario_from(args.scenario) if args.scenario else Scenario()
    cycles = range(0, scenario.cycles, args.every)
    topologies = [snapshot(scenario, seed, k).topology for seed in range(args.seeds) for k in cycles]
    print(f"{scenario.mission.uavs} UAVs, {len(topologies)} instants of {args.seeds} missions\n")
    known = ", with the shadowing it has measured (D21)" if scenario.twin.link_quality else ""
    print(
        f"Links as the twin predicts them{known}; one that passes the building closer than {scenario.twin.clearance_m:g} m "
        "counts as blocked.\n"
    )
    print(render(link_table(scenario, topologies)))
    return 0


def render(table: LinkTable) -> str:
    """The table as text."""
    heads = " ".join(f"{f'P{p}':>7}" for p in PERCENTILES)
    lines = [f"{'links':<18}{'count':>9}{'share':>8}   mean SNR [dB]: {heads}"]
    for row in table.classes:
        snr = " ".join(f"{x:7.1f}" if x == x else f"{'-':>7}" for x in row.snr_db)
        lines.append(f"{row.kind + ' ' + row.condition:<18}{row.links:>9}{row.share:>8.1%}{'':>18}{snr}")
    lines += ["", f"{'hops of each loop':<34}{'none':>8}{'1':>8}{'2':>8}{'3':>8}"]
    for what, by_direction in (
        ("most reliable route", table.best_hops),
        ("cheapest usable exchange", table.exchange_hops),
    ):
        for direction, counts in by_direction.items():
            total = max(sum(counts), 1)
            lines.append(f"{what + ', ' + direction:<34}" + "".join(f"{n / total:>8.1%}" for n in counts))
    slots = " ".join(f"{x:7.0f}" if x == x else f"{'-':>7}" for x in table.exchange_percentiles)
    fit = table.loops_per_frame
    lines += [
        "",
        f"usable = nominal success of both directions ≥ {USABLE:g}",
        f"cheapest usable exchange [slots]: {heads}",
        f"{'':>34}{slots}",
        f"loops without a usable exchange: {table.unusable_share:.1%}",
        f"loops that fit in a frame of {table.slots} slots: mean {fit.mean():.1f}, {fit.min()} to {fit.max()}",
    ]
    return "\n".join(lines)
