"""A study's summary and the differences between its policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from core.figures.arrays.study import axis_label, title_of
from core.figures.paper.table import Table
from core.figures.study import level_text, study_stamp, study_words
from core.numerals import numeral
from core.studies import Study, paired_differences, summarise


def study_summary(study: Study, frame: pd.DataFrame, metric: str = "mean_rmse_m", link: str = "") -> Table:
    """Mean, band and P95 of one metric, per cell and policy.

    Args:
        study, frame: what was run, and its records.
        metric: column of the records.
        link: query string of the page.
    """
    rows = summarise(frame, study)
    rows = rows[rows["metric"] == metric]
    return _table(
        study,
        frame,
        link,
        "study-summary",
        f"{title_of(metric)}: mean over seeds, its 95 % band, P95 over seeds.",
        ["policy", "seeds", "mean", "95 % band of the mean", "P95 over seeds"],
        [
            (row, [row["policy"], row["n"], numeral(row["mean"], ".4g"), band(row), numeral(row["p95"], ".4g")])
            for row in rows.to_dict("records")
        ],
        rows,
    )


def study_differences(study: Study, frame: pd.DataFrame, metric: str = "mean_rmse_m", link: str = "") -> Table:
    """Every other policy minus the first one on matched seeds, per cell.

    Args:
        study, frame, metric, link: as for `study_summary`.
    """
    baseline = study.policies[0]
    rows = paired_differences(frame, study, metric, baseline)
    return _table(
        study,
        frame,
        link,
        "study-differences",
        f"{title_of(metric)}: difference from {baseline} on matched seeds and its 95 % band.",
        [f"policy − {baseline}", "seeds in common", "mean difference", "95 % band"],
        [
            (row, [row["policy"], row["n"], numeral(row["difference"], "+.4g"), band(row)])
            for row in rows.to_dict("records")
        ],
        rows,
    )


def band(row: Mapping[Any, Any]) -> str:
    """A band as the tables write it; a dash where one seed has none."""
    return f"{numeral(row['lo'], '.4g')} … {numeral(row['hi'], '.4g')}" if row["n"] > 1 else "–"


def _table(
    study: Study,
    frame: pd.DataFrame,
    link: str,
    name: str,
    caption: str,
    heads: Sequence[str],
    rows: Sequence[tuple[Mapping[Any, Any], Sequence[Any]]],
    values: pd.DataFrame,
) -> Table:
    """A table whose first columns say where in the study a row belongs."""
    cells = [[*(level_text(row[n]) for n in study.names), *map(str, found)] for row, found in rows]
    columns = (*map(axis_label, study.names), *heads)
    return Table(
        name, f"{caption} {study_words(study, frame)}", study_stamp(study, frame, link), columns, cells, values
    )
