"""`python -m core claims`: every guarantee of the paper beside its measurement, with a verdict."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from tqdm import tqdm

from core.cli.study import scenario_from
from core.scenario import PRESETS, Scenario
from core.studies.claims import (
    ClaimVerdict,
    Finding,
    audit,
    conservatism,
    ledger_markdown,
    save_findings,
    save_ledger,
)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("claims", help="audit the paper's guarantees", description=__doc__)
    parser.add_argument("--scenario", help=f"YAML file or preset ({', '.join(PRESETS)}); default: the paper's Table I")
    parser.add_argument(
        "--ledger",
        action="store_true",
        help="instead of the audit: what each bound of the certificate costs (some minutes, calibration seeds)",
    )
    parser.add_argument("--out", type=Path, help="also write the findings, or the ledger, to this CSV file")


def run(args: argparse.Namespace) -> int:
    """Print the findings as they are measured; 0 whatever they say: a violated claim is a result, not an error."""
    scenario = Scenario() if args.scenario is None else scenario_from(args.scenario)
    if args.ledger:
        return _ledger(scenario, args.out)
    findings: list[Finding] = []
    with _bar() as bar:
        for finding in audit(scenario, on_progress=_teller(bar)):
            bar.clear()
            print(_text(finding), flush=True)
            findings.append(finding)
    counts = {verdict: sum(f.verdict is verdict for f in findings) for verdict in ClaimVerdict}
    print(", ".join(f"{count} {verdict.value}" for verdict, count in counts.items()))
    if args.out is not None:
        save_findings(findings, args.out)
    return 0


def _ledger(scenario: Scenario, out: Path | None) -> int:
    """Print the ledger with one sentence per row, and write it."""
    with _bar() as bar:
        ledger = conservatism(scenario, on_progress=_teller(bar))
    print(ledger_markdown(ledger))
    for title, what in zip(ledger["title"], ledger["what"], strict=True):
        print(f"{title}: {what}")
    if out is not None:
        save_ledger(ledger, out)
    return 0


def _bar() -> tqdm[NoReturn]:
    return tqdm(total=100, bar_format="{desc}: {percentage:3.0f} %", file=sys.stderr, leave=False)


def _teller(bar: tqdm[NoReturn]) -> Callable[[float, str], None]:
    def show(share: float, what: str) -> None:
        bar.set_description(what, refresh=False)
        bar.update(int(100 * share) - bar.n)

    return show


def _text(f: Finding) -> str:
    interval = f"  {f.interval_text}" if f.interval_text else ""
    note = f"\n    {f.note}" if f.note else ""
    return f"{f.verdict.value.upper():>12}  {f.title}  ({f.reference})\n    {f.promise}\n    {f.measured}{interval}{note}\n"
