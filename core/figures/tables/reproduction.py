"""The paper's numbers beside ours, differences, ablations, the grid and other scenes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from core.figures.paper.stamp import Stamp
from core.figures.paper.table import Table
from core.figures.paper.words import settings_words
from core.figures.reproduction import reproduction_words
from core.numerals import numeral
from core.studies.ablation import COMPARED as ABLATED
from core.studies.ablation import ablation
from core.studies.paper_table import COMPARED, PAPER_MEAN_RMSE_M, grid_table, paper_table
from core.studies.reproduction import Reproduction


def paper_numbers(result: Reproduction, link: str = "") -> Table:
    """The paper's numbers beside ours with 95 % intervals, one row per ranked policy.

    Args:
        result: of all policies on the same seeds.
        link: query string of the page.
    """
    table = paper_table(result).set_index("policy", drop=False)
    order = [p for p in PAPER_MEAN_RMSE_M if p in table.index]
    table = table.loc[[*order, *(p for p in table.index if p not in order)]]
    heads = (
        "policy",
        "mean RMSE [m]",
        "paper",
        "P95 RMSE [m]",
        "paper",
        "SAFE's P95 V/V_max lower by [%]",
        "paper",
        "mean delay [ms]",
        "paper",
    )
    rows = []
    for row in table.to_dict("records"):
        low, high = row["paper_p95_rmse_low"], row["paper_p95_rmse_high"]
        rows.append(
            [
                str(row["policy"]),
                _interval(row, "mean_rmse_m", 2),
                _number(row["paper_mean_rmse_m"], 1),
                _interval(row, "p95_rmse_m", 2),
                _number(low, 1) if low == high or math.isnan(low) else f"{low:.1f}–{high:.1f}",
                _interval(row, "p95_v_reduction", 1, 100),
                _number(row.get("paper_p95_v_reduction"), 1, 100),
                _interval(row, "mean_delay_ms", 2),
                str(row["paper_delay"] or "–"),
            ]
        )
    return Table(
        "paper-numbers",
        f"The paper's numbers beside ours, 95 % intervals in brackets. {reproduction_words(result)}",
        Stamp.of(result.scenario, link),
        heads,
        rows,
        table.reset_index(drop=True),
    )


def paper_differences(result: Reproduction, link: str = "") -> Table:
    """SAFE minus each policy on the same seeds.

    Args:
        result, link: as for `paper_numbers`.
    """
    table = paper_table(result)
    table = table[table["policy"] != "SAFE"]
    rows = [
        [
            str(row["policy"]),
            *(_interval(row, f"{name}_vs", digits, signed=True) for name, (_, digits) in COMPARED.items()),
        ]
        for row in table.to_dict("records")
    ]
    heads = ("SAFE − policy", *(title for title, _ in COMPARED.values()))
    columns = ["policy", *(f"{name}_{what}" for name in COMPARED for what in ("vs", "vs_low", "vs_high", "p"))]
    return Table(
        "paper-differences",
        f"SAFE minus each policy, mean of the differences paired by mission and its 95 % interval. {reproduction_words(result)}",
        Stamp.of(result.scenario, link),
        heads,
        rows,
        table[columns],
    )


def ablations(result: Reproduction, link: str = "") -> Table:
    """What each part of SAFE buys.

    Args:
        result, link: as for `paper_numbers`.
    """
    parts = ablation(result)
    rows = [
        [
            p.policy,
            p.words,
            *(
                f"{_signed(c.mean, d)} [{_signed(c.low, d)}, {_signed(c.high, d)}]"
                for c, (_, d) in zip(p.change.values(), ABLATED.values(), strict=True)
            ),
        ]
        for p in parts
    ]
    values = pd.DataFrame(
        [
            {
                "policy": p.policy,
                "part": p.words,
                **{
                    f"{n}{end}": v
                    for n, c in p.change.items()
                    for end, v in (("", c.mean), ("_low", c.low), ("_high", c.high))
                },
            }
            for p in parts
        ]
    )
    return Table(
        "ablations",
        f"What each part of SAFE buys: one part exchanged at a time, ablation minus SAFE on the same missions with its 95 % interval; above zero the part pays. {reproduction_words(result)}",
        Stamp.of(result.scenario, link),
        ("policy", "part exchanged", *(title for title, _ in ABLATED.values())),
        rows,
        values,
    )


def grid(rows: pd.DataFrame, result: Reproduction, link: str = "") -> Table:
    """Who wins over corridor radius × frame length.

    Args:
        rows: of `core.studies.reproduction.grid_rows`.
        result: the reproduction that it belongs to, for its settings.
        link: query string of the page.
    """
    table = grid_table(rows)
    cells = [
        [
            f"{r['corridor_radius_m']:g}",
            f"{r['slots']:g}",
            f"{r['ours']:.2f}",
            str(r["best"]),
            f"{r['theirs']:.2f}",
            _interval(r, "difference", 2, signed=True),
            str(r["verdict"]),
        ]
        for r in table.to_dict("records")
    ]
    return Table(
        "grid",
        f"SAFE beside the best other policy over corridor radius and frame length, mean RMSE over {int(table['seeds'].min())} paired seeds with the 95 % interval of the difference, at {settings_words(result.scenario)}.",
        Stamp.of(result.scenario, link),
        ("r_c [m]", "S [slots]", "SAFE [m]", "best other", "its RMSE [m]", "SAFE − it [m]", "who wins"),
        cells,
        table,
    )


def scenes(trials: pd.DataFrame, result: Reproduction, link: str = "") -> Table:
    """Mean RMSE of each policy in each scene.

    Args:
        trials: rows of `core.studies.scenes.scene_rows`.
        result: the reproduction that it belongs to.
        link: query string of the page.
    """
    means = trials.pivot_table(index="policy", columns="setting", values="mean_rmse_m", sort=False)
    return Table(
        "scenes",
        f"Mean RMSE [m] of each policy in other scenes, {trials['seed'].nunique()} missions each.",
        Stamp.of(result.scenario, link),
        ("policy", *(f"{scene} [m]" for scene in means.columns)),
        [
            [str(policy), *(f"{value:.2f}" for value in row)]
            for policy, row in zip(means.index, means.to_numpy(), strict=True)
        ],
        means.reset_index(),
    )


def _number(value: Any, digits: int, scale: float = 1.0) -> str:
    return "–" if value is None or math.isnan(value) else f"{scale * value:.{digits}f}"


def _signed(value: float, digits: int) -> str:
    return numeral(value, f"+.{digits}f")


def _interval(row: Mapping[Hashable, Any], name: str, digits: int, scale: float = 1.0, *, signed: bool = False) -> str:
    mean, low, high = (row.get(key) for key in (name, f"{name}_low", f"{name}_high"))
    if mean is None or low is None or high is None or math.isnan(mean):
        return "–"
    form = f"{'+' if signed else ''}.{digits}f"
    return f"{numeral(scale * mean, form)} [{numeral(scale * low, form)}, {numeral(scale * high, form)}]"
