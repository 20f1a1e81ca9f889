"""Findings as a CSV file, and those shipped with the project."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

from core.errors import StudyError
from core.folders import DATA
from core.studies.claims.finding import Finding
from core.studies.claims.verdict import ClaimVerdict

HEADINGS = (
    "key",
    "verdict",
    "title",
    "reference",
    "promise",
    "measured",
    "kept",
    "trials",
    "effective",
    "low",
    "high",
    "note",
)
SHIPPED = DATA / "claims" / "table-1.csv"
"""The audit of the default scenario (the preset table-1)."""


def save_findings(findings: Sequence[Finding], path: Path) -> None:
    """Write one row per finding; low and high are the interval, nan without chance."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(HEADINGS)
        writer.writerows(_row(f) for f in findings)


def load_findings(path: Path = SHIPPED) -> list[Finding]:
    """Read what `save_findings` wrote."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return [_finding(row) for row in csv.DictReader(file)]
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise StudyError(
            f"{path} is not an audit: {error}. Make one with `python -m core claims --out {path}`."
        ) from error


def _row(f: Finding) -> list[object]:
    low, high = f.interval
    return [
        f.key,
        f.verdict.value,
        f.title,
        f.reference,
        f.promise,
        f.measured,
        f.kept,
        f.trials,
        "" if f.effective is None else f.effective,
        low,
        high,
        f.note,
    ]


def _finding(row: dict[str, str]) -> Finding:
    trials, low, high = int(row["trials"]), float(row["low"]), float(row["high"])
    return Finding(
        row["key"],
        row["title"],
        row["reference"],
        row["promise"],
        row["measured"],
        int(row["kept"]),
        trials,
        ClaimVerdict(row["verdict"]),
        row["note"],
        float(row["effective"]) if row["effective"] else None,
        None if trials or math.isnan(low) else (low, high),
    )
