"""`python -m core claims`: every guarantee of the paper beside its measurement, with a verdict."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from core.cli.study import scenario_from
from core.scenario import PRESETS, Scenario
from core.studies.claims import ClaimVerdict, Finding, audit, save_findings


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("claims", help="audit the paper's guarantees", description=__doc__)
    parser.add_argument("--scenario", help=f"YAML file or preset ({', '.join(PRESETS)}); default: the paper's Table I")
    parser.add_argument("--out", type=Path, help="also write the findings to this CSV file")


def run(args: argparse.Namespace) -> int:
    """Print the findings as they are measured; 0 whatever they say: a violated claim is a result, not an error."""
    scenario = Scenario() if args.scenario is None else scenario_from(args.scenario)
    findings: list[Finding] = []
    with tqdm(total=100, bar_format="{desc}: {percentage:3.0f} %", file=sys.stderr, leave=False) as bar:

        def show(share: float, what: str) -> None:
            bar.set_description(what, refresh=False)
            bar.update(int(100 * share) - bar.n)

        for finding in audit(scenario, on_progress=show):
            bar.clear()
            print(_text(finding), flush=True)
            findings.append(finding)
    counts = {verdict: sum(f.verdict is verdict for f in findings) for verdict in ClaimVerdict}
    print(", ".join(f"{count} {verdict.value}" for verdict, count in counts.items()))
    if args.out is not None:
        save_findings(findings, args.out)
    return 0


def _text(f: Finding) -> str:
    interval = f"  {f.interval_text}" if f.interval_text else ""
    note = f"\n    {f.note}" if f.note else ""
    return f"{f.verdict.value.upper():>12}  {f.title}  ({f.reference})\n    {f.promise}\n    {f.measured}{interval}{note}\n"
