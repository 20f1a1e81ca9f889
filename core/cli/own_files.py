"""Options for files of the user's own (D27): mission, buildings, recorded links."""

from __future__ import annotations

import argparse

from core.scenario import Scenario


def add_own_options(parser: argparse.ArgumentParser) -> None:
    """The options; formats are in docs/FILES.md."""
    parser.add_argument(
        "--mission", metavar="FILE", help="own mission: .csv, .plan, .ulg, or a folder of plans or logs"
    )
    parser.add_argument("--buildings", metavar="FILE", help="own buildings: .csv or .geojson")
    parser.add_argument("--links", metavar="FILE", help="recorded links to replay: .csv")


def with_own(scenario: Scenario, args: argparse.Namespace) -> Scenario:
    """The scenario with the files that the options name."""
    return scenario.with_own(args.mission, args.buildings, args.links)
