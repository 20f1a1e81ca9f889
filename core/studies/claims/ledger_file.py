"""The conservatism ledger as a file and as a table in words."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from core.errors import StudyError
from core.folders import DATA

NUMBERS = (
    "rho_median",
    "rho_p5",
    "g_median",
    "g_p95",
    "phi_mean",
    "phi_median",
    "phi_p95",
    "admitted",
    "loops",
    "rmse_m",
    "difference_m",
    "low_m",
    "high_m",
)
"""Columns of a ledger; Φ in shares of V_max, `docs/STUDIES.md` says what each is."""


def ledger_path(scene: str) -> Path:
    """Where the shipped ledger of a scene lies."""
    return DATA / "claims" / f"ledger-{scene}.csv"


def save_ledger(ledger: pd.DataFrame, path: Path) -> None:
    """Write a ledger, one row per entry."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ledger.to_csv(path, index=False, float_format="%.6g")


def load_ledger(path: Path) -> pd.DataFrame:
    """Read what `save_ledger` wrote."""
    try:
        found = pd.read_csv(path)
        return found[["key", "title", *NUMBERS, "what"]]
    except (OSError, KeyError, ValueError) as error:
        raise StudyError(
            f"{path} is not a ledger: {error}. Make one with `python -m core claims --ledger --out {path}`."
        ) from error


HEADINGS = (
    "bound replaced",
    "ρ median, P5",
    "g median, P95",
    "Φ mean, median, P95 [% of V_max]",
    "actions, loops admitted",
    "RMSE [m]",
)
"""Columns of a ledger in words, as `in_words` fills them."""


def in_words(ledger: pd.DataFrame) -> Iterator[tuple[str, ...]]:
    """The rows of a ledger under HEADINGS; a dash where a row says nothing."""
    for row in ledger.to_dict("records"):

        def said(text: str, *names: str, row: dict[Hashable, Any] = row) -> str:
            values = [row[name] for name in names]
            return "" if any(pd.isna(v) for v in values) else text.format(*values)

        found = (
            str(row["title"]),
            said("{:.3f}, {:.3f}", "rho_median", "rho_p5"),
            said("{:g}, {:g}", "g_median", "g_p95"),
            said("{:+.2%}, {:+.2%}, {:+.2%}", "phi_mean", "phi_median", "phi_p95").replace("%", ""),
            said("{:.1%}, {:.1%}", "admitted", "loops"),
            said("{:.2f}", "rmse_m") + said(" ({:+.2f} [{:+.2f}, {:+.2f}])", "difference_m", "low_m", "high_m"),
        )
        yield tuple(cell or "–" for cell in found)


def ledger_markdown(ledger: pd.DataFrame) -> str:
    """A ledger as a Markdown table."""
    rows = ("| " + " | ".join(cells) + " |" for cells in (HEADINGS, *in_words(ledger)))
    head, *body = rows
    return "\n".join([head, "|---" * len(HEADINGS) + "|", *body]) + "\n"
