"""Tab 7, reproduction: the paper's numbers beside ours with intervals, and the modelling decisions."""

from __future__ import annotations

import functools
import html
import math
import re
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import panel as pn

from app.figures.ecdf import FIGURES, ecdf_overlay
from app.figures.palette import policy_colour
from app.views.base import TabView, caption
from core.errors import SafeExplorerError
from core.folders import DATA
from core.studies.paper_table import COMPARED, PAPER_MEAN_RMSE_M, grid_table, paper_table
from core.studies.reproduction import FOLDER, Reproduction

SUPERVISOR_OFF = FOLDER / "supervisor-off"


@functools.lru_cache(maxsize=2)
def shipped(folder: Path = FOLDER) -> Reproduction:
    """The reproduction that comes with the repository."""
    return Reproduction.load(folder)


@functools.cache
def shipped_tables() -> tuple[str, ...]:
    """The tables under the figures; their bootstrap intervals are computed once per process, not once per visitor."""
    result = shipped()
    return (
        numbers_html(result),
        differences_html(result),
        grid_html(pd.read_csv(FOLDER / "grid.csv")),
        "<details><summary>The same missions with the safe-mode supervisor off (D12)</summary>"
        f"{numbers_html(shipped(SUPERVISOR_OFF))}</details>",
    )


@functools.lru_cache(maxsize=1)
def decisions() -> list[tuple[str, str, str, str, str]]:
    """(number, title, paper, decision, effect) of every modelling decision, from docs/DECISIONS.md."""
    text = (DATA.parent / "docs" / "DECISIONS.md").read_text(encoding="utf-8")
    found = []
    for block in re.split(r"^## ", text, flags=re.M)[1:]:
        head, _, body = block.partition("\n")
        number, _, title = head.partition(" ")
        parts = {
            k: v.strip()
            for k, v in re.findall(r"\*\*(Paper|Decision|Effect):\*\*\s*(.*?)(?=\n\*\*|\n\n|\Z)", body, flags=re.S)
        }
        if re.fullmatch(r"D\d+", number):
            found.append((number, title, parts.get("Paper", ""), parts.get("Decision", ""), parts.get("Effect", "")))
    return found


class ReproductionView(TabView):
    """The shipped result of all policies over the evaluation seeds."""

    title = "Reproduction"

    def build(self) -> pn.viewable.Viewable:
        parts: list[Any] = []
        try:
            result = shipped()
        except SafeExplorerError as error:
            parts.append(caption(f"<b>No shipped reproduction yet.</b> {html.escape(str(error))}"))
        else:
            parts.append(
                caption(
                    f"All policies flew the same {len(result.seeds)} missions (evaluation seeds {result.seeds[0]} to {result.seeds[-1]}, never used to choose a "
                    f"parameter). This is a stored result at {html.escape(result.flown_at)}: the sliders do not move it; the What-if and Live tabs answer to "
                    "them."
                )
            )
            parts.append(
                pn.Row(
                    *(
                        pn.pane.HoloViews(ecdf_overlay(result.curves, name, legend=False), sizing_mode="stretch_width")
                        for name in FIGURES
                    ),
                    sizing_mode="stretch_width",
                )
            )
            parts.append(
                caption(
                    " ".join(
                        f"<span style='color:{policy_colour(p)}'>▬</span> {html.escape(p)}" for p in result.policies
                    )
                )
            )
            parts += map(caption, shipped_tables())
        parts.append(caption(decisions_html()))
        return pn.Column(*parts, sizing_mode="stretch_width")


TABLE = "<table style='border-spacing:12px 2px;text-align:left'>"


def numbers_html(result: Reproduction) -> str:
    """The paper's numbers beside ours: the table that `python -m core reproduce` writes."""
    table = paper_table(result).set_index("policy", drop=False)
    order = [p for p in PAPER_MEAN_RMSE_M if p in table.index]
    order += [p for p in table.index if p not in order]
    rows = []
    for row in table.loc[order].to_dict("records"):
        rmse, p95 = row["paper_mean_rmse_m"], (row["paper_p95_rmse_low"], row["paper_p95_rmse_high"])
        cells = [
            _number(rmse, "{:.1f}"),
            _interval(row, "mean_rmse_m", "{:.2f}"),
            _number(p95[0], "{:.1f}")
            if p95[0] == p95[1]
            else f"{p95[0]:.1f} to {p95[1]:.1f}".replace("nan to nan", "–"),
            _interval(row, "p95_rmse_m", "{:.2f}"),
            _number(row.get("paper_p95_v_reduction"), "{:.1%}"),
            _interval(row, "p95_v_reduction", "{:.1%}"),
            _interval(row, "mean_delay_ms", "{:.2f}"),
            html.escape(str(row["paper_delay"] or "–")),
        ]
        name = f"<b style='color:{policy_colour(row['policy'])}'>{html.escape(row['policy'])}</b>"
        rows.append("".join(f"<td>{cell}</td>" for cell in (name, *cells)))
    paper_ours = "<th>paper</th><th>ours, 95 % interval</th>"
    return (
        f"{TABLE}<tr><th></th><th colspan=2>mean RMSE [m]</th><th colspan=2>P95 RMSE [m]</th>"
        "<th colspan=2>SAFE's P95 of V/V_max is lower by</th><th colspan=2>mean command delay [ms]</th></tr>"
        f"<tr><th></th>{3 * paper_ours}<th>ours, 95 % interval</th><th>paper</th></tr>"
        + "".join(f"<tr>{row}</tr>" for row in rows)
        + "</table>"
    )


def differences_html(result: Reproduction) -> str:
    """SAFE minus each policy on the same seeds: what "significantly" means above."""
    table = paper_table(result)
    head = "".join(f"<th>{html.escape(title)}</th>" for title, _ in COMPARED.values())
    rows = [
        f"<td><b style='color:{policy_colour(row['policy'])}'>{html.escape(row['policy'])}</b></td>"
        + "".join(
            f"<td>{_interval(row, f'{name}_vs', f'{{:+.{digits}f}}')}</td>" for name, (_, digits) in COMPARED.items()
        )
        for row in table.to_dict("records")
        if row["policy"] != "SAFE"
    ]
    return (
        "SAFE minus the policy, mean of the paired differences over seeds and its 95 % interval; an interval on one side of zero is significant."
        f"{TABLE}<tr><th></th>{head}</tr>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"
    )


def grid_html(grid: pd.DataFrame) -> str:
    """Where SAFE wins and where it does not: corridor radius × frame length."""
    table = grid_table(grid)
    radii, slots = sorted(table["corridor_radius_m"].unique()), sorted(table["slots"].unique())
    cells = {(row["corridor_radius_m"], row["slots"]): row for row in table.to_dict("records")}
    body = "".join(
        f"<tr><th>r_c = {r:g} m</th>"
        + "".join(
            f"<td><b style='color:{policy_colour(c['verdict'])}'>{html.escape(c['verdict'])}</b> {c['difference']:+.2f} "
            f"[{c['difference_low']:+.2f}, {c['difference_high']:+.2f}]</td>"
            for s in slots
            for c in [cells[r, s]]
        )
        + "</tr>"
        for r in radii
    )
    head = "".join(f"<th>S = {s}</th>" for s in slots)
    return (
        "<h3 style='margin:8px 0 4px'>Not everywhere: corridor radius × frame length</h3>Who wins, and the mean RMSE of SAFE minus that of the best "
        f"of the paper's four baselines [m], 95 % interval over {int(table['seeds'].min())} paired seeds. A policy wins where it beats every other with 95 % confidence."
        f"{TABLE}<tr><th></th>{head}</tr>{body}</table>"
    )


def _number(value: Any, form: str) -> str:
    return "–" if value is None or math.isnan(value) else form.format(value)


def _interval(row: Mapping[Hashable, Any], name: str, form: str) -> str:
    mean, low, high = (row.get(key) for key in (name, f"{name}_low", f"{name}_high"))
    if mean is None or math.isnan(mean):
        return "–"
    return f"<b>{form.format(mean)}</b> [{form.format(low)}, {form.format(high)}]"


def decisions_html() -> str:
    """The decisions as a table; the text comes from the repository's own file and is escaped all the same."""
    rows = "".join(
        f"<tr><td><b>{number}</b></td><td>{html.escape(title)}</td><td>{html.escape(decision)}</td><td>{html.escape(effect)}</td></tr>"
        for number, title, _paper, decision, effect in decisions()
    )
    return (
        "<h3 style='margin:8px 0 4px'>Where the paper is silent, inconsistent or wrong: decisions D1 to D"
        f"{len(decisions())}</h3>"
        "<table style='border-spacing:12px 4px;text-align:left;vertical-align:top'><tr><th></th><th>about</th><th>decision</th><th>what it changes</th></tr>"
        + rows
        + "</table>"
    )
