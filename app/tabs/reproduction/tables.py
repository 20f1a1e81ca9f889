"""The paper's numbers beside ours and the modelling decisions as HTML tables; every text is escaped."""

from __future__ import annotations

import functools
import html
import math
import re
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from app.shipped import shipped
from core.folders import DOCS
from core.numerals import numeral, readable
from core.simulation import PAPER_FIVE
from core.studies.ablation import COMPARED as ABLATED
from core.studies.ablation import ablation
from core.studies.paper_table import COMPARED, PAPER_MEAN_RMSE_M, grid_table, paper_table
from core.studies.reproduction import FOLDER, Reproduction
from core.studies.statistics import paired_difference
from core.style import INK, policy_colour

SUPERVISOR_OFF = FOLDER / "supervisor-off"


@functools.cache
def shipped_tables() -> tuple[str, ...]:
    """The tables under the figures; their bootstrap intervals are computed once per process, not once per visitor."""
    result = shipped()
    return (
        f"<b>{html.escape(headline(result))}</b>",
        numbers_html(result),
        differences_html(result),
        ablation_html(result),
        grid_html(pd.read_csv(FOLDER / "grid.csv")),
        scenes_html(pd.read_csv(FOLDER / "scenes.csv")),
        "<details><summary>The same missions with the safe-mode supervisor off (D12)</summary>"
        f"{numbers_html(shipped(SUPERVISOR_OFF))}</details>",
    )


@functools.lru_cache(maxsize=1)
def decisions() -> list[tuple[str, str, str, str, str]]:
    """(number, title, paper, decision, effect) of every modelling decision, from docs/DECISIONS.md."""
    text = (DOCS / "DECISIONS.md").read_text(encoding="utf-8")
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


TABLE = "<table style='border-spacing:12px 2px;text-align:left'>"


PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


def headline(result: Reproduction, ours: str = "SAFE", metric: str = "mean_rmse_m") -> str:
    """Where SAFE stands by mean RMSE: among the paper's five, and among all that were ranked."""
    means = result.trials.groupby("policy")[metric].mean()

    def place(names: list[str]) -> str:
        return f"{PLACES[int((means[names] < means[ours]).sum())]} of {len(names)}"

    five = place([p for p in PAPER_FIVE if p in result.policies])
    ahead = [
        f"{p} by {means[ours] - means[p]:.2f} m"
        for p in means[result.ranked].sort_values().index
        if means[p] < means[ours]
    ]
    rest = f" Ahead of it: {', '.join(ahead)}." if ahead else ""
    gap = paired_difference(result.metric(ours, metric), result.flawless_rmse_m)
    return (
        f"{ours} flies {means[ours]:.2f} m: {five} policies of the paper, {place(result.ranked)} with the baselines from the literature.{rest} "
        f"It is {abs(gap.mean):.2f} m [{numeral(gap.low, '.2f')}, {numeral(gap.high, '.2f')}] {'above' if gap.mean > 0 else 'below'} a radio that never fails and takes no time."
    )


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


def ablation_html(result: Reproduction) -> str:
    """What each part of SAFE buys."""
    head = "".join(f"<th>{html.escape(title)}</th>" for title, _ in ABLATED.values())
    rows = [
        f"<td><b style='color:{policy_colour(part.policy)}'>{html.escape(part.policy)}</b></td><td>{html.escape(part.words)}</td>"
        + "".join(
            f"<td>{_banded(c.mean, c.low, c.high, f'{{:+.{d}f}}')}</td>"
            for name, (_, d) in ABLATED.items()
            for c in [part.change[name]]
        )
        for part in ablation(result)
    ]
    return (
        "<h3 style='margin:8px 0 4px'>What each part of SAFE buys</h3>One part exchanged at a time, ablation minus SAFE on the same missions with its 95 % interval: "
        f"above zero the part pays, below zero it costs.{TABLE}<tr><th></th><th>part exchanged</th>{head}</tr>"
        + "".join(f"<tr>{row}</tr>" for row in rows)
        + "</table>"
    )


def scenes_html(trials: pd.DataFrame) -> str:
    """The ranking in each scene."""
    means = trials.pivot_table(index="policy", columns="setting", values="mean_rmse_m", sort=False)
    rows = "".join(
        f"<tr><td><b style='color:{policy_colour(policy)}'>{html.escape(str(policy))}</b></td>"
        + "".join(f"<td>{value:.2f}</td>" for value in row)
        + "</tr>"
        for policy, row in zip(means.index, means.to_numpy(), strict=True)
    )
    head = "".join(f"<th>{html.escape(str(scene))}</th>" for scene in means.columns)
    return (
        "<h3 style='margin:8px 0 4px'>Other scenes</h3>Mean RMSE [m] in three geometries; differences with intervals are in docs/REPRODUCTION.md."
        f"{TABLE}<tr><th></th>{head}</tr>{rows}</table>"
    )


def grid_html(grid: pd.DataFrame) -> str:
    """Where SAFE wins and where it does not: corridor radius × frame length, against two groups."""
    five = grid[grid["policy"].isin(PAPER_FIVE)]
    seeds = grid.groupby(["corridor_radius_m", "slots"])["seed"].nunique().min()
    return (
        "<h3 style='margin:8px 0 4px'>Corridor radius × frame length</h3>Who wins, and the mean RMSE of SAFE minus that of the best other one [m], 95 % "
        f"interval over {int(seeds)} paired seeds. A policy wins where it beats every other with 95 % confidence."
        f"<p style='margin:6px 0 0'>Among the paper's five:</p>{_grid_table(five)}<p style='margin:6px 0 0'>Among all that were ranked:</p>{_grid_table(grid)}"
    )


def _grid_table(grid: pd.DataFrame) -> str:
    table = grid_table(grid)
    radii, slots = sorted(table["corridor_radius_m"].unique()), sorted(table["slots"].unique())
    cells = {(row["corridor_radius_m"], row["slots"]): row for row in table.to_dict("records")}
    flown = set(grid["policy"])
    body = "".join(
        f"<tr><th>r_c = {r:g} m</th>"
        + "".join(
            f"<td><b style='color:{policy_colour(c['verdict']) if c['verdict'] in flown else INK}'>{html.escape(c['verdict'])}</b> {numeral(c['difference'], '+.2f')} "
            f"[{numeral(c['difference_low'], '+.2f')}, {numeral(c['difference_high'], '+.2f')}]</td>"
            for s in slots
            for c in [cells[r, s]]
        )
        + "</tr>"
        for r in radii
    )
    head = "".join(f"<th>S = {s}</th>" for s in slots)
    return f"{TABLE}<tr><th></th>{head}</tr>{body}</table>"


def _number(value: Any, form: str) -> str:
    return "–" if value is None or math.isnan(value) else readable(form.format(value))


def _interval(row: Mapping[Hashable, Any], name: str, form: str) -> str:
    mean, low, high = (row.get(key) for key in (name, f"{name}_low", f"{name}_high"))
    if mean is None or math.isnan(mean):
        return "–"
    return _banded(mean, low, high, form)


def _banded(mean: Any, low: Any, high: Any, form: str) -> str:
    return readable(f"<b>{form.format(mean)}</b> [{form.format(low)}, {form.format(high)}]")


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
