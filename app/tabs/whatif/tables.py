"""A study's summary and the differences between its policies as HTML tables; every text is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any

import pandas as pd

from app.tabs.whatif.words import axis_label
from core.figures.study import level_text
from core.figures.tables.study import band
from core.numerals import numeral
from core.studies import Study, paired_differences, summarise


def summary_html(frame: pd.DataFrame, study: Study, metric: str) -> str:
    """Mean, band and P95 of one metric, per cell and policy."""
    rows = summarise(frame, study)
    heads = ["policy", "seeds", "mean", "95 % band of the mean", "P95 over seeds"]
    return _table(
        study,
        heads,
        (
            (row, [row["policy"], row["n"], numeral(row["mean"], ".4g"), band(row), numeral(row["p95"], ".4g")])
            for row in rows[rows["metric"] == metric].to_dict("records")
        ),
    )


def differences_html(frame: pd.DataFrame, study: Study, metric: str) -> str:
    """Every other policy minus the first one on matched seeds, per cell; empty when one policy flew."""
    baseline = study.policies[0]
    rows = paired_differences(frame, study, metric, baseline).to_dict("records")
    heads = [f"policy − {baseline}", "seeds in common", "mean difference", "95 % band"]
    found = ((row, [row["policy"], row["n"], numeral(row["difference"], "+.4g"), band(row)]) for row in rows)
    return _table(study, heads, found) if rows else ""


def _table(study: Study, heads: list[str], rows: Iterable[tuple[dict[Any, Any], list[Any]]]) -> str:
    """A table whose first columns say where in the study a row belongs."""
    body = []
    for row, cells in rows:
        at = (level_text(row[n]) for n in study.names)
        body.append("".join(f"<td>{html.escape(str(c))}</td>" for c in (*at, *cells)))
    head = "".join(f"<th>{html.escape(h)}</th>" for h in (*map(axis_label, study.names), *heads))
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in body)}</table>"
